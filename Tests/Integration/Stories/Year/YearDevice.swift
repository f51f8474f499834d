import GRDB
import Moorage
import MoorageCore
import MoorageTesting

/// A device with its user, and the version of the app that it has.
final class YearDevice: YearWriter {
    let name: String
    let disk: SimulatedDisk
    private let file: DatabaseQueue
    private let random: YearRandom
    private let door: YearDoor
    /// Milliseconds that its clock is ahead of the hub's.
    private let skew: Int64
    private(set) var version = 0
    private var replica: Replica?
    /// The month in which its user uses it again; 0 for always.
    var sleepsUntil = 0

    init(number: Int, seed: UInt64, skew: Int64, door: YearDoor) throws {
        name = "device \(number)"
        disk = try SimulatedDisk(seed: seed)
        file = try disk.memory()
        random = YearRandom(seed: seed)
        self.skew = skew
        self.door = door
    }

    func setClock(_ time: Int64) { disk.clock = time + skew }

    /// Starts a version of the app, which migrates the file.
    func launch(version: Int) async throws {
        let random = random
        replica = try await Replica.open(
            database: file, hub: .direct(door), tables: YearSchema.replicaTables(at: version),
            migrator: YearSchema.migrator(at: version), clock: YearClock(disk: disk),
            random: ReplicaRandom { random.next() })
        self.version = version
    }

    private func opened() throws -> Replica {
        guard let replica else { throw NotLaunched() }
        return replica
    }

    private struct NotLaunched: Error {}

    func sync() async throws { try await opened().sync() }

    /// Suspended tables, each with the code.
    func suspensions() throws -> [(table: String, code: String, reason: String)] {
        try opened().status.suspendedTables.map { ($0.name, $0.code, $0.reason) }
    }

    // MARK: The user

    func ids(of table: String) throws -> [String] {
        try file.read { try String.fetchAll($0, sql: "SELECT id FROM \(table) ORDER BY id") }
    }

    func text(_ column: String, of row: YearRow) throws -> String? {
        try file.read {
            try String.fetchOne(
                $0, sql: "SELECT \(column) FROM \(row.table) WHERE id = ?", arguments: [row.id])
        }
    }

    func execute(_ sql: String) throws { try file.write { try $0.execute(sql: sql) } }

    // MARK: Looking

    /// Enters in the ledger what the lists of this device have.
    func report(to ledger: inout YearLedger) async throws {
        let replica = try opened()
        guard replica.status.refusedCount + replica.status.overruledCount > 0 else { return }
        for change in try await replica.refusedChanges.fetch(limit: 100_000) {
            // What the hub did not bring back was not changed here.
            if change.kind == .recovered { continue }
            let values = Self.texts(change.after)
            ledger.log(values)
            ledger.refuse(values)
            guard let row = Self.row(change.table, change.key) else { continue }
            if change.kind == .insert { ledger.refuseInsert(of: row) }
            if change.kind == .delete { ledger.failDeletion(of: row, by: name) }
        }
        for change in try await replica.overruledChanges.fetch(limit: 100_000) {
            ledger.log(Self.texts(change.mine) + Self.texts(change.theirs))
            guard change.kind == .delete, change.result != nil,
                let row = Self.row(change.table, change.key)
            else { continue }
            ledger.failDeletion(of: row, by: name)
        }
    }

    private static func texts(_ values: [String: Value]?) -> [String] {
        (values ?? [:]).values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    private static func row(_ table: String, _ key: RowKey) -> YearRow? {
        guard case .text(let id)? = key.values.first else { return nil }
        return YearRow(table: table, id: id)
    }

    /// What differs from the centre, or is not in order.
    ///
    /// - Parameter rows: The central rows, by table and id.
    func problems(_ rows: [String: [String: [String: String]]]) async throws -> [String] {
        let replica = try opened()
        var problems: [String] = []
        for (table, central) in rows.sorted(by: { $0.key < $1.key }) {
            let own = try self.rows(of: table)
            for id in Set(own.keys).union(central.keys).sorted() where own[id] != central[id] {
                problems.append(
                    "\(table) \(id) is \(own[id] ?? [:]), at the centre \(central[id] ?? [:])")
            }
        }
        let status = replica.status
        if !status.isCaughtUp { problems.append("it has not caught up: \(status)") }
        for change in try await replica.pendingChanges.fetch() {
            problems.append("\(change.table) \(change.key.values) is pending")
        }
        for difference in try await replica.verify() {
            problems.append("verify says \(difference)")
        }
        return problems.map { "\(name): \($0)" }
    }

    /// A table's values by id and column, without NULL.
    private func rows(of table: String) throws -> [String: [String: String]] {
        let columns = YearSchema.columns(of: table, at: version).compactMap { $0.name(at: version) }
        let list = columns.map { ", \($0)" }.joined()
        let rows = try file.read { try Row.fetchAll($0, sql: "SELECT id\(list) FROM \(table)") }
        return Dictionary(
            rows.map { row in
                let values: [String?] = columns.map { row[$0] }
                return (row["id"] as String, YearSchema.named(values, columns))
            }, uniquingKeysWith: { first, _ in first })
    }
}
