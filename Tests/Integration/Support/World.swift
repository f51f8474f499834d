import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import Testing

/// How the devices of a test reach the hub.
enum Way: String, Sendable {
    case direct = "in process"
    case http = "over HTTP"
}

/// One central database with its hub, and the devices of a test.
struct World: Sendable {
    let centre: any Centre
    let hub: Hub
    let link: ReplicaHub
    let way: Way
    /// The server's address. In direct mode nobody listens at it.
    let url: URL
    let folder: TemporaryFolder

    static let secret = "the-secret-of-the-integration-tests"

    /// Makes a central database with a schema, attaches a hub to it, runs the test, and removes
    /// everything again.
    ///
    /// - Parameter tables: The tables to attach; `nil` for every table.
    static func run(
        _ kind: CentreKind, _ way: Way = .direct, schema: [String], tables: [String]? = nil,
        configuration: HubConfiguration = HubConfiguration(), attaches: Bool = true,
        _ test: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        try await run(
            on: kind.make(), way, schema: schema, tables: tables, configuration: configuration,
            attaches: attaches, test)
    }

    /// The same, on a central database that was made for the test.
    static func run(
        on centre: any Centre, _ way: Way = .direct, schema: [String], tables: [String]? = nil,
        configuration: HubConfiguration = HubConfiguration(), attaches: Bool = true,
        _ test: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        do {
            for statement in schema { try centre.execute(statement) }
            let hub = Hub(database: try centre.connector(), configuration: configuration)
            if attaches { _ = try await hub.attach(tables: tables) }
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let nobody = URL(fileURLWithPath: "/")
            switch way {
            case .direct:
                try await test(
                    World(
                        centre: centre, hub: hub, link: .direct(hub), way: way, url: nobody,
                        folder: folder))
            case .http:
                try await RunningHub.run(hub) { url in
                    try await test(
                        World(
                            centre: centre, hub: hub, link: .http(url, secret: secret), way: way,
                            url: url, folder: folder))
                }
            }
        } catch {
            try centre.close()
            throw error
        }
        try centre.close()
    }

    /// Clones a device into a new file.
    ///
    /// - Parameters:
    ///   - link: The hub as this device's user sees it.
    ///   - mostBytes: The limit of a page and of a batch; `nil` for the defaults.
    func clone(
        _ name: String, tables: [String]? = nil, link: ReplicaHub? = nil, pageRows: Int? = nil,
        mostBytes: Int? = nil
    ) async throws -> Device {
        let names: [String]
        if let tables {
            names = tables
        } else {
            names = try await hub.schema().schema.tables.map(\.name)
        }
        let file = try DatabaseQueue(path: folder.path("\(name).db"), configuration: Self.hasty)
        let replica = try await Replica.clone(
            into: file, from: link ?? self.link, tables: names,
            options: Self.options(pageRows, mostBytes))
        return Device(name: name, file: file, replica: replica)
    }

    /// Opens a replica on a file that the app made itself.
    func open(
        _ name: String, schema: String, tables: [ReplicaTable], link: ReplicaHub? = nil,
        pageRows: Int? = nil
    ) async throws -> Device {
        let file = try DatabaseQueue(path: folder.path("\(name).db"), configuration: Self.hasty)
        try await file.writeWithoutTransaction { try $0.execute(sql: schema) }
        let replica = try await Replica(
            database: file, hub: link ?? self.link, tables: tables,
            options: Self.options(pageRows))
        return Device(name: name, file: file, replica: replica)
    }

    /// Opens the same file with another hub, or with another list of tables.
    func reopen(
        _ device: Device, link: ReplicaHub? = nil, tables: [String]? = nil
    ) async throws -> Device {
        let names: [String]
        if let tables {
            names = tables
        } else {
            names = try await hub.schema().schema.tables.map(\.name)
        }
        let replica = try await Replica(
            database: device.file, hub: link ?? self.link, tables: names.map { .table($0) })
        return Device(name: device.name, file: device.file, replica: replica)
    }

    /// A test's file may lose data in a power cut.
    private static var hasty: Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        return configuration
    }

    static func options(_ pageRows: Int?, _ mostBytes: Int? = nil) -> ReplicaOptions {
        var options = ReplicaOptions()
        if let pageRows { options.pageLimits.maximumRows = pageRows }
        if let mostBytes {
            options.pageLimits.maximumBytes = mostBytes
            options.maximumBytesPerBatch = mostBytes
        }
        return options
    }

    // MARK: Comparing

    /// Syncs each device twice, so that each one receives what the others pushed.
    func converge(_ devices: Device...) async throws {
        for _ in 0..<2 {
            for device in devices { try await device.replica.sync() }
        }
    }

    /// Describes each difference between devices and centre, row by row. It returns nothing when
    /// all rows are equal, no foreign key is broken, nothing is pending, and `verify` finds
    /// nothing.
    func differences(_ devices: Device...) async throws -> [String] {
        var result: [String] = []
        let schema = try await hub.schema().schema
        for table in schema.tables {
            let central = Dictionary(
                grouping: try centre.rows(table), by: { table.key(of: $0) })
            for device in devices {
                result += try device.differences(table, central).map {
                    "\(device.name): \(table.name) \($0)"
                }
            }
        }
        for device in devices {
            let broken = try await device.file.read {
                try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count
            }
            if broken > 0 { result.append("\(device.name): \(broken) broken foreign keys") }
            for change in try await device.replica.pendingChanges.fetch() {
                result.append("\(device.name): \(change.table) \(change.key.values) is pending")
            }
            for difference in try await device.replica.verify() {
                result.append("\(device.name): verify says \(difference)")
            }
        }
        return result
    }

    /// The conflict log as lines of `kind table reason mine theirs`.
    func conflicts() async throws -> [String] {
        try await hub.conflicts().map { record in
            let parts = [record.reasonCode, record.mine, record.theirs].map { $0 ?? "-" }
            return "\(record.kind) \(record.table) \(parts.joined(separator: " "))"
        }
    }
}

/// A replica and the app's own access to its file.
struct Device: Sendable {
    let name: String
    let file: DatabaseQueue
    let replica: Replica

    /// Runs the app's SQL as one transaction.
    func execute(_ sql: String) throws {
        try file.write { try $0.execute(sql: sql) }
    }

    func insert(into table: String, _ columns: [String], _ values: [Value]) throws {
        try file.write { try $0.insert(into: table, columns, values) }
    }

    func text(_ sql: String) throws -> String? {
        try file.read { try String.fetchOne($0, sql: sql) }
    }

    func values(_ table: String, _ columns: String...) throws -> [[Value]] {
        try file.read { try $0.values(of: columns, in: table) }
    }

    /// Makes the unsent edits an hour older, as if the device had been offline since. Then neither
    /// the test's clock nor the machine's speed decides which edit is the newest.
    func makeEditsOlder() throws {
        try file.write { db in
            let logs = try String.fetchAll(
                db,
                sql:
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '_moorage_log_*'"
            )
            for log in logs { try db.execute(sql: "UPDATE \"\(log)\" SET at = at - 3600000") }
        }
    }

    /// The app's rows, pending changes and refused changes. Tests compare them to see that nothing
    /// was half done.
    func state() async throws -> [String] {
        let pending = try await replica.pendingChanges.fetch().map {
            "\($0.table) \($0.key.values) \($0.kind)"
        }
        let refused = try await replica.refusedChanges.fetch().map {
            "\($0.table) \($0.key.values) \($0.code)"
        }
        let rows = try await file.read { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type = 'table' AND name NOT GLOB '_moorage_*' AND name NOT GLOB 'sqlite_*'
                    ORDER BY name
                    """)
            return try tables.flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"").map { "\(table) \($0)" }
            }
        }
        return rows + pending.sorted() + refused
    }

    fileprivate func differences(
        _ table: TableDescription, _ central: [RowKey: [[Value]]]
    ) throws -> [String] {
        let columns = table.columns.map(\.name)
        let own = try file.read { db -> [[Value]] in
            guard try db.tableExists(table.name) else { return [] }
            return try db.values(of: columns, in: table.name)
        }
        let mine = Dictionary(grouping: own, by: { table.key(of: $0) })
        var result: [String] = []
        for (key, rows) in mine where rows.count > 1 {
            result.append("\(key.values) is there \(rows.count) times")
        }
        for (key, rows) in central {
            guard let row = mine[key]?.first else {
                result.append("\(key.values) is missing")
                continue
            }
            for (index, column) in table.columns.enumerated()
            where !column.type.equal(row[index], rows[0][index]) {
                let here = String(String(describing: row[index]).prefix(60))
                let there = String(String(describing: rows[0][index]).prefix(60))
                result.append("\(key.values) \(column.name): \(here), at the centre \(there)")
            }
        }
        for key in mine.keys where central[key] == nil {
            result.append("\(key.values) is not at the centre")
        }
        return result
    }
}
