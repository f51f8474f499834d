import GRDB
import Logging
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire

/// The owner's database with the real hub on it, and an audit of everything that it ever contained.
final class SimulatedCentre {
    let machine = SimulatedMachine()
    private(set) var queue: DatabaseQueue
    private(set) var hub: Hub
    private(set) var tables: [String] = []
    private(set) var columns: [String: [SimulatedColumn]] = [:]
    /// The columns that each table had when it was attached: devices know no others.
    private(set) var attachedColumns: [String: Set<String>] = [:]
    /// Whether the owner changed tables and has not attached since.
    private(set) var isAltered = false
    /// Which way tables travel; one without an entry goes both ways.
    let directions: [String: TableDirection]
    let scopes: ScopeSettings
    /// Columns that do not sync like the others.
    let columnSettings: [String: ColumnSettings]
    private let configuration: HubConfiguration
    private var clockOffset: Int64 = 0
    private(set) var backup: DatabaseQueue?

    init(world: SimulatedWorld) throws {
        var limits = HubLimits()
        limits.maximumBatchRows = world.hubBatchRows
        directions = world.directions
        var configuration = HubConfiguration(
            rules: world.rules, limits: limits,
            retention: RetentionPolicy(
                time: .seconds(world.retentionHours * 3600), steps: world.retentionSteps))
        configuration.directions = world.directions
        columnSettings = world.columns
        configuration.columns = world.columns
        scopes = SimulatedScopes.settings(world.scopes, onRequest: world.onRequest)
        configuration.scopes = scopes
        // A person is a role of their own.
        configuration.rights = RightSettings(roleClaim: "roles", tables: world.rights)
        self.configuration = configuration
        queue = try machine.open()
        hub = Self.makeHub(queue, configuration, machine)
        advance(to: 0, salt: world.seed)
        try write { try $0.execute(sql: CentralAudit.table) }
        for sql in world.schema + world.centralOnly { _ = try write { try $0.commit(sql) } }
        // The audit begins before the first row.
        try readSchema()
        try write { try CentralAudit.watch(tables, $0) }
        for sql in world.rows { _ = try write { try $0.commit(sql) } }
        try attach()
    }

    private static func makeHub(
        _ queue: DatabaseQueue, _ configuration: HubConfiguration, _ machine: SimulatedMachine
    ) -> Hub {
        Hub(
            database: ForwardingDatabase(SQLiteDatabase(queue: queue)) {
                BusyConnection($0, on: machine)
            },
            configuration: configuration,
            // Histories interrupt work on purpose, so nothing is logged.
            makeID: { machine.newID() }, logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func advance(to time: Int64, salt: UInt64) {
        machine.now = SimulationClock.start + time + clockOffset
        machine.random = SeededGenerator(seed: salt ^ 0x48_55_42)
    }

    func setClock(by milliseconds: Int64) {
        clockOffset += milliseconds
        machine.now += milliseconds
    }

    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try machine.undisturbed { try queue.writeWithoutTransaction(body) }
    }

    /// The owner changes tables.
    func alter(_ sql: String) throws {
        isAltered = true
        // SQLite drops no column that a trigger names.
        try write { try CentralAudit.ignore(tables, $0) }
        _ = try edit(sql)
        try readSchema()
        try write { try CentralAudit.watch(tables, $0) }
    }

    /// Attaches every table of the owner, as it is now.
    func attach() throws {
        try readSchema()
        try write { try CentralAudit.watch(tables, $0) }
        let database = SQLiteDatabase(queue: queue)
        try database.perform { connection in
            _ = try Attachment(
                on: connection, scopes: scopes, makeID: { [machine] in machine.newID() }
            ).attach(tables: tables)
        }
        knowAttached()
        restart()
    }

    private func knowAttached() {
        attachedColumns = columns.mapValues { Set($0.map(\.name)) }
        isAltered = false
    }

    /// The tables that the hub says it does not serve.
    func suspendedTables() throws -> Set<String> {
        Set(try machine.undisturbed { try hub.currentSchema() }.suspended.map(\.name))
    }

    private func readSchema() throws {
        tables = try write { db in
            try db.rawRows(
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' \
                ESCAPE '\\' AND name NOT LIKE 'moorage\\_%' ESCAPE '\\' AND name NOT LIKE 'sim\\_%' \
                ESCAPE '\\' AND name NOT LIKE 'local\\_%' ESCAPE '\\' ORDER BY name
                """
            ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
        }
        try write { db in
            columns = [:]
            for table in tables { columns[table] = try db.simulatedColumns(of: table) }
        }
    }

    /// A transaction of another program.
    func edit(_ sql: String) throws -> Bool { try write { try $0.commit(sql) } }

    /// Another process replaces the hub: nothing of its memory is left.
    func restart() { hub = Self.makeHub(queue, configuration, machine) }

    func backUp() throws {
        let copy = try DatabaseQueue()
        try queue.backup(to: copy)
        backup = copy
    }

    func restore(_ file: DatabaseQueue) throws {
        let copy = try machine.open()
        try file.backup(to: copy)
        queue = copy
        try readSchema()
        knowAttached()
        restart()
    }
}
