import GRDB
import Moorage
import MoorageCore

/// A device that lives through one change of the schema, as its cell says.
struct ChangedDevice: Sendable {
    let cell: ChangeCell
    private let change: SchemaChange
    /// The key of the row that it edits. No other device edits that one.
    private let row: Int
    private let way: WitnessWay
    private let device: Device
    private var replica: Replica
    private var first: String?
    private var failures: [String] = []

    init(_ cell: ChangeCell, row: Int, of change: SchemaChange, in world: World) async throws {
        self.cell = cell
        self.change = change
        self.row = row
        way = WitnessWay(world.hub)
        device = try await world.open(
            "device \(row)", schema: change.deviceSchema, tables: SchemaChange.tables,
            link: .direct(way))
        replica = device.replica
        try await replica.sync()
        try device.execute("UPDATE calm SET note = 'mine' WHERE id = \(row)")
        if cell.edits == .pending {
            try device.execute("UPDATE item SET \(change.edit) WHERE id = \(row)")
        }
    }

    /// From now on it counts which tables are read.
    func beginCounting() { way.forget() }

    /// The first sync after the change is what the page calls the first contact.
    mutating func sync() async throws {
        do {
            try await replica.sync()
        } catch let error as ReplicaError {
            failures.append("sync threw \(error.code)")
        }
        if first == nil { first = state }
    }

    mutating func upgrade() async throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v2") { [change] db in
            if !change.upgrade.isEmpty { try db.execute(sql: change.upgrade) }
        }
        try Replica.migrate(device.file, with: migrator)
        replica = try await Replica(
            database: device.file, hub: .direct(way), tables: change.newTables)
    }

    // MARK: What became of it

    private var shown: [String?] { cell.app == .stays ? change.before : change.after }

    private var state: String {
        let status = replica.status
        let suspended = status.suspendedTables.map {
            $0.name == "item" ? $0.code : "\($0.name) \($0.code)"
        }
        let waiting = status.pendingCount == 0 ? [] : ["\(status.pendingCount) waits"]
        return ((suspended.isEmpty ? ["runs"] : suspended) + waiting).joined(separator: ", ")
    }

    /// The last six columns of the page's table.
    func result(in world: World) async throws -> [String] {
        let central = try values(of: change.after) { try world.centre.text($0) }
        let own = try values(of: shown) { try device.text($0) }
        let notes = try await lists() + differences(from: world)
        return [
            first ?? "", state, central, own == central ? "=" : own, reads,
            notes.isEmpty ? "–" : notes.joined(separator: ", "),
        ]
    }

    private func values(
        of columns: [String?], _ text: (String) throws -> String?
    ) throws -> String {
        let values = try columns.map { column -> String in
            guard let (table, name) = column.map(Self.parts) else { return "–" }
            let isThere = try text("SELECT count(*) FROM \(table) WHERE id = \(row)") == "1"
            guard isThere else { return "gone" }
            return try text("SELECT \(name) FROM \(table) WHERE id = \(row)") ?? "NULL"
        }
        return values.joined(separator: " ")
    }

    private static func parts(_ column: String) -> (table: Substring, name: Substring) {
        let parts = column.split(separator: ".")
        return (parts[0], parts[1])
    }

    private var reads: String {
        let tables = way.tablesRead
        if tables.contains("calm") { return "all" }
        return tables.isDisjoint(with: ["item", "thing"]) ? "no" : "yes"
    }

    /// The entries of the device's lists, once for each kind.
    private func lists() async throws -> [String] {
        let key = RowKey([.integer(Int64(row))])
        let refused = try await replica.refusedChanges.fetch().map {
            $0.key == key ? "\($0.code)" : "\($0.code) elsewhere"
        }
        let overruled = try await replica.overruledChanges.fetch().map { _ in "overruled" }
        let withheld = try await replica.withheldValues.fetch().map { _ in "withheld" }
        return failures + Set(refused + overruled + withheld).sorted()
    }

    /// What is wrong beside the row: the table that stays as it is, and the number of rows.
    private func differences(from world: World) throws -> [String] {
        var result: [String] = []
        let calm = ["calm.note", "calm.total"]
        let sides = [
            try values(of: calm) { try world.centre.text($0) },
            try values(of: calm) { try device.text($0) },
        ]
        if sides != ["mine 9", "mine 9"] { result.append("calm: \(sides)") }
        if let mine = shown.compactMap({ $0 }).first.map(Self.parts)?.table,
            let theirs = change.after.compactMap({ $0 }).first.map(Self.parts)?.table
        {
            let count = try device.text("SELECT count(*) FROM \(mine)")
            let all = try world.centre.text("SELECT count(*) FROM \(theirs)")
            if count != all { result.append("\(count ?? "no") of \(all ?? "no") rows") }
        }
        return result
    }
}
