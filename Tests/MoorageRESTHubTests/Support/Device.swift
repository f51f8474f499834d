import Foundation
import GRDB
import Logging
import Moorage
import MoorageCore
import MoorageRESTHub

/// Something to do. The device makes the ids.
struct Todo: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "todo"
    var id: String
    var title: String
    var done: Bool
    var note: String?
}

/// A person. The server makes the ids.
struct Person: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "person"
    var id: Int64
    var name: String
    var boss: Int64?
}

struct Order: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "order"
    var id: String
    var customer: String
}

struct Line: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "line"
    var id: String
    var orderId: String
    var product: String
    var count: Int
}

/// Models whose settings a test chooses: a type has one declaration, and a test is one task.
enum Settings {
    @TaskLocal static var todo = RESTSettings()
    @TaskLocal static var person = RESTSettings(ids: .server)
    @TaskLocal static var order = RESTSettings(children: [.embedded(Line.self, as: "lines")])
}

extension Todo: Uploadable {
    static let path = "todos"
    static var rest: RESTSettings { Settings.todo }
}

extension Person: Uploadable {
    static let path = "people"
    static var rest: RESTSettings { Settings.person }
}

extension Order: Uploadable {
    static let path = "orders"
    static var rest: RESTSettings { Settings.order }
}

/// An app with a file, whose replica can be dropped and opened again.
final class Device {
    let database: DatabaseQueue
    let api: FakeAPI
    let hub: RESTHub
    private(set) var replica: Replica

    static let schema = """
        CREATE TABLE todo(
          id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, done BOOLEAN NOT NULL DEFAULT 0,
          note TEXT, pinned INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE person(
          id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
          boss INTEGER REFERENCES person(id));
        CREATE TABLE "order"(id TEXT PRIMARY KEY NOT NULL, customer TEXT NOT NULL);
        CREATE TABLE line(
          id TEXT PRIMARY KEY NOT NULL,
          orderId TEXT NOT NULL REFERENCES "order"(id) ON DELETE CASCADE,
          product TEXT NOT NULL, count INTEGER NOT NULL);
        """

    init(
        _ api: FakeAPI, _ models: [any Uploadable.Type],
        database: DatabaseQueue? = nil, credentials: HubCredentials? = nil,
        limits: RESTLimits = RESTLimits(), user: String? = nil, options: ReplicaOptions? = nil,
        firstContact: ReplicaTable.FirstContact = .refuse,
        reason: (@Sendable (Int, Data) -> String?)? = nil, network: (any HTTPTransport)? = nil
    ) async throws {
        self.database = try database ?? DatabaseQueue()
        self.api = api
        if database == nil {
            try await self.database.write { try $0.execute(sql: Self.schema) }
        }
        hub = RESTHub(
            FakeAPI.address, models, in: self.database, credentials: credentials, user: user,
            reason: reason, limits: limits, transport: network ?? api)
        replica = try await hub.replica(
            firstContact: firstContact, options: options ?? Self.options)
    }

    /// Failures are what these tests are about, and need no lines in the log.
    static var options: ReplicaOptions {
        var options = ReplicaOptions()
        options.logger = Logger(label: "test")
        options.logger.logLevel = .critical
        return options
    }

    /// The process ends, and the app starts again.
    func reopen() async throws { replica = try await hub.replica(options: Self.options) }

    func execute(_ sql: String) async throws {
        try await database.write { try $0.execute(sql: sql) }
    }

    func sync() async throws { try await replica.sync() }

    /// Syncs until nothing is missing.
    func catchUp() async throws {
        for _ in 0..<20 {
            try await replica.sync()
            if replica.status.isCaughtUp { return }
        }
    }

    /// A query's rows as texts: values with a space between them.
    func rows(_ sql: String) async throws -> [String] {
        try await database.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { value in
                    switch value.storage {
                    case .null: "-"
                    case .int64(let number): "\(number)"
                    case .double(let number): "\(number)"
                    case .string(let text): text
                    case .blob(let data): "\(data.count)b"
                    }
                }.joined(separator: " ")
            }
        }
    }

    var refused: [RefusedChange] {
        get async throws { try await replica.refusedChanges.fetch() }
    }
    var conflicts: [OverruledChange] {
        get async throws { try await replica.overruledChanges.fetch() }
    }
}

extension Error {
    /// The hub's code, if the hub's failure is behind it.
    var hubCode: HubError.Code? { ((self as? ReplicaError)?.cause as? HubError)?.code }
}
