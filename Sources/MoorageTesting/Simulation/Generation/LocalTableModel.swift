import GRDB

/// A table of the app's own that its replica does not sync. It refers to a synced table.
struct LocalTableModel {
    static let name = "local_draft"

    let parent: TableModel
    let onDelete: String

    /// - Returns: `nil` where no table has a key that one column can refer to.
    static func random(
        in tables: [TableModel], _ random: inout SeededGenerator
    ) -> LocalTableModel? {
        guard let parent = random.pick(tables.filter { $0.keys.count == 1 }) else { return nil }
        let actions = ["CASCADE", "SET NULL", "NO ACTION", "SET DEFAULT"]
        return LocalTableModel(parent: parent, onDelete: random.pick(actions) ?? "CASCADE")
    }

    /// Deletes all its rows, where the device has it.
    ///
    /// - Returns: How many there were.
    static func deleteRows(on device: SimulatedDevice) throws -> Int {
        try device.write { db in
            guard try db.tableExists(name) else { return 0 }
            try db.execute(sql: "DELETE FROM \(name)")
            return db.changesCount
        }
    }

    private var key: String { parent.keyList }

    var createSQL: String {
        """
        CREATE TABLE \(Self.name) (id INTEGER PRIMARY KEY, body TEXT, ref \
        \(parent.keys[0].kind.rawValue) REFERENCES \(parent.name.sqlName)(\(key)) \
        ON DELETE \(onDelete) ON UPDATE CASCADE)
        """
    }

    /// What a user does with it. Its texts are not those of synced rows: nobody waits for them.
    func statement(at time: Int64, _ random: inout SeededGenerator) -> String {
        let place = Int.random(in: 0..<6, using: &random)
        let reference =
            "(SELECT \(key) FROM \(parent.name.sqlName) ORDER BY \(key) LIMIT 1 OFFSET \(place))"
        let isRow = "id = (SELECT id FROM \(Self.name) ORDER BY id LIMIT 1 OFFSET \(place))"
        switch random.below(5) {
        case 0: return "UPDATE \(Self.name) SET body = 'draft \(time) again' WHERE \(isRow)"
        case 1: return "UPDATE \(Self.name) SET ref = \(reference) WHERE \(isRow)"
        case 2 where random.chance(30): return "DELETE FROM \(Self.name) WHERE \(isRow)"
        default:
            return
                "INSERT INTO \(Self.name) (body, ref) VALUES ('draft \(time)', \(reference))"
        }
    }
}
