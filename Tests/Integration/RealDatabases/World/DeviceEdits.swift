import GRDB
import MoorageTesting

/// A user's transactions on a device, as statements on the file.
struct DeviceEdits {
    let device: Int
    /// All rows that were ever made, by table.
    let known: [String: [Int]]
    var random: SeededGenerator
    var nextID: Int
    var nextToken: Int
    var ledger: DeviceLedger
    private(set) var made: [DeviceLedger.Row] = []

    init(
        device: Int, known: [String: [Int]], random: SeededGenerator, nextID: Int, nextToken: Int,
        ledger: DeviceLedger
    ) {
        self.device = device
        self.known = known
        self.random = random
        self.nextID = nextID
        self.nextToken = nextToken
        self.ledger = ledger
    }

    mutating func statement(_ db: Database, padding: String = "") throws {
        let table = random.pick(FireSchema.tree) ?? "leaf"
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<34: _ = try insert(db, table, padding)
        case 34..<74: try update(db, table, padding)
        case 74..<84: try move(db, random.chance(50) ? "child" : "leaf")
        case 84..<90:
            // Inserts a row and deletes it in the same transaction.
            if let row = try insert(db, table, padding) { try delete(db, row) }
        case 90..<98:
            if let id = pick("leaf") { try delete(db, DeviceLedger.Row(table: "leaf", id: id)) }
        default:
            if let id = pick(table) { try delete(db, DeviceLedger.Row(table: table, id: id)) }
        }
    }

    private mutating func pick(_ table: String) -> Int? { random.pick(known[table] ?? []) }

    private mutating func token(_ padding: String) -> String {
        nextToken += 1
        return "d\(device)-\(nextToken)\(padding)"
    }

    private mutating func insert(
        _ db: Database, _ table: String, _ padding: String
    ) throws -> DeviceLedger.Row? {
        nextID += 1
        let row = DeviceLedger.Row(table: table, id: nextID)
        let (label, note) = (token(""), token(padding))
        if let above = FireSchema.above(table) {
            guard let parent = pick(above) else { return nil }
            try db.execute(
                sql: "INSERT INTO \(table) SELECT ?, id, ?, ? FROM \(above) WHERE id = ?",
                arguments: [row.id, label, note, parent])
        } else {
            try db.execute(
                sql: "INSERT INTO \(table) VALUES (?, ?, ?)", arguments: [row.id, label, note])
        }
        guard db.changesCount == 1 else { return nil }
        ledger.wrote(label, row, "label")
        ledger.wrote(note, row, "note")
        made.append(row)
        return row
    }

    private mutating func update(_ db: Database, _ table: String, _ padding: String) throws {
        guard let id = pick(table) else { return }
        let both = random.chance(25)
        let columns = both ? FireSchema.columns : [random.chance(50) ? "label" : "note"]
        for column in columns {
            let value = token(column == "note" ? padding : "")
            try db.execute(
                sql: "UPDATE \(table) SET \(column) = ? WHERE id = ?", arguments: [value, id])
            guard db.changesCount == 1 else { return }
            ledger.wrote(value, DeviceLedger.Row(table: table, id: id), column)
        }
    }

    private mutating func move(_ db: Database, _ table: String) throws {
        guard let above = FireSchema.above(table), let column = FireSchema.reference(table),
            let id = pick(table), let parent = pick(above)
        else { return }
        try db.execute(
            sql: """
                UPDATE \(table) SET \(column) = ?1
                WHERE id = ?2 AND EXISTS (SELECT 1 FROM \(above) WHERE id = ?1)
                """, arguments: [parent, id])
    }

    /// Deletes a row, and records the rows that SQLite's cascades delete with it.
    private mutating func delete(_ db: Database, _ row: DeviceLedger.Row) throws {
        var falling = [row]
        for table in FireSchema.tree.dropFirst() {
            guard let above = FireSchema.above(table), let column = FireSchema.reference(table)
            else { continue }
            for parent in falling where parent.table == above {
                let ids = try Int.fetchAll(
                    db, sql: "SELECT id FROM \(table) WHERE \(column) = ?", arguments: [parent.id])
                falling += ids.map { DeviceLedger.Row(table: table, id: $0) }
            }
        }
        try db.execute(sql: "DELETE FROM \(row.table) WHERE id = ?", arguments: [row.id])
        guard db.changesCount > 0 else { return }
        for row in falling { ledger.removed(row) }
    }
}
