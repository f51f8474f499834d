import Foundation
import GRDB
import Moorage
import MoorageRESTHub
import TestSupport
import Testing

// The Swift code of docs/guides/rest-backend.md, docs/reference/rest-settings.md, and of the part of
// docs/guides/testing.md about a REST API, as an app has it. `GuideTests` compares.

private enum Guide {
    struct User: Codable, FetchableRecord, PersistableRecord {
        var id = UUID().uuidString.lowercased()
        var name: String
        var email: String
    }

    struct Contact: Codable, FetchableRecord, PersistableRecord {
        var id: String
        var phoneNumber: String
    }

    struct Customer: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    struct Draft: Codable, FetchableRecord, PersistableRecord {
        var id: String
        var text: String
    }

    struct Invoice: Codable, FetchableRecord, PersistableRecord {
        var id: String
    }

    struct Item: Codable, FetchableRecord, PersistableRecord {
        var id = UUID().uuidString.lowercased()
        var invoiceId: String  // a foreign key to the table of the invoices
        var product: String
    }

    struct UpdatesByPOST: HTTPTransport {
        let base = URLSessionTransport()

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            guard request.method == "PUT" else { return try await base.send(request) }
            return try await base.send(
                HTTPTransportRequest(
                    method: "POST", url: request.url.appendingPathComponent("update"),
                    headers: request.headers, body: request.body))
        }
    }
}

private typealias User = Guide.User
private typealias Contact = Guide.Contact
private typealias UpdatesByPOST = Guide.UpdatesByPOST
private typealias Customer = Guide.Customer
private typealias Draft = Guide.Draft
private typealias Invoice = Guide.Invoice
private typealias Item = Guide.Item

extension User: Uploadable { static let path = "users" }

extension Contact: Uploadable {
    static let path = "contacts"
    static let rest = RESTSettings(
        envelope: "data",
        encoder: {
            let encoder = JSONEncoder.moorageREST
            encoder.keyEncodingStrategy = .convertToSnakeCase
            return encoder
        },
        decoder: {
            let decoder = JSONDecoder.moorageREST
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        })
}

extension Customer: Uploadable {
    static let path = "customers"
    static let rest = RESTSettings(ids: .server)
}

extension Draft: Uploadable { static let path = "drafts" }

extension Invoice: Uploadable {
    static let path = "invoices"
    static let rest = RESTSettings(children: [.embedded(Item.self, as: "items")])
}

extension Guide {
    enum AppDatabase {
        static var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("users") { db in
                try db.create(table: "user") { table in
                    table.primaryKey("id", .text)
                    table.column("name", .text).notNull()
                    table.column("email", .text).notNull()
                }
            }
            return migrator
        }
    }

    enum Pages {
        static let rest = RESTSettings(
            fetching: .pages(items: "results", next: "next_cursor", cursor: "cursor"))
    }

    enum Decisions {
        static let rest = RESTSettings(
            conflicts: .decided(by: "longer name") { (conflict: RESTConflict<User>) in
                guard let mine = conflict.mine else { return .theirs }
                return mine.name.count > conflict.theirs.name.count ? .mine : .theirs
            })
    }

    struct SigningTransport: HTTPTransport {
        let base = URLSessionTransport()
        let signature: @Sendable (HTTPTransportRequest) -> String

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            try await base.send(
                HTTPTransportRequest(
                    method: request.method, url: request.url,
                    headers: request.headers + [("X-Signature", signature(request))],
                    body: request.body))
        }
    }

    static func openByPOST(_ api: URL, _ database: DatabasePool) -> RESTHub {
        let hub = RESTHub(api, [User.self], in: database, transport: UpdatesByPOST())
        return hub
    }

    struct FakeAPI: HTTPTransport {
        let answer: @Sendable (HTTPTransportRequest) throws -> (status: Int, body: String)

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            let (status, body) = try answer(request)
            return HTTPTransportResponse(status: status, body: Array(body.utf8))
        }
    }

    protocol Session: Sendable {  // the app's own sign-in
        var userID: String { get }
        func token(refreshing: Bool) async throws -> String
    }

    func openReplica(_ database: DatabasePool, _ session: any Session) async throws -> Replica {
        let hub = RESTHub(
            URL(string: "https://api.example.com/v1")!, [User.self], in: database,
            credentials: .token { refused in try await session.token(refreshing: refused != nil) },
            user: session.userID)
        let replica = try await hub.replica(migrator: AppDatabase.migrator)
        await replica.start()
        return replica
    }

    static func open(_ hub: RESTHub) async throws {
        let replica = try await hub.replica(
            migrator: AppDatabase.migrator, firstContact: .replace,
            tables: [.table(Draft.self, firstContact: .upload)])

        for change in try await replica.refusedChanges.fetch() {
            print("\(change.table): \(change.message)")
            try await replica.retry(change)  // or dismiss(change), after a person has decided
        }
    }

    static func onANetwork(_ database: DatabasePool, _ key: String) -> RESTHub {
        let hub = RESTHub(
            URL(string: "http://192.168.1.20:8000")!, [User.self], in: database,
            headers: ["X-API-Key": key], allowsPlainHTTP: true)

        return hub
    }

    @Suite(.ownThreads) struct `An app with a REST API` {
        @Test func aRefusedUserIsListed() async throws {
            let api = FakeAPI { request in
                request.method == "POST"
                    ? (422, #"{"detail": "The address has no @."}"#) : (200, "[]")
            }
            let database = try DatabaseQueue()
            let hub = RESTHub(
                URL(string: "https://api.example.com")!, [User.self], in: database, transport: api)
            let replica = try await hub.replica(migrator: AppDatabase.migrator)
            try await database.write { try User(name: "Bo", email: "bo").insert($0) }
            try await replica.sync()
            let refused = try await replica.refusedChanges.fetch()
            #expect(refused.count == 1 && refused[0].message.hasSuffix("The address has no @."))
        }

        @Test func aContactHasTheNamesOfTheAPI() async throws {
            let api = FakeAPI { request in
                request.method == "GET"
                    ? (200, #"{"items": [{"id": "a", "phone_number": "1"}]}"#)
                    : (200, request.method == "POST" ? #"{"data": null}"# : "")
            }
            let database = try DatabaseQueue()
            try await database.write {
                try $0.execute(
                    sql: """
                        CREATE TABLE contact(id TEXT PRIMARY KEY NOT NULL, phoneNumber TEXT NOT NULL)
                        """)
            }
            let hub = RESTHub(
                URL(string: "https://api.example.com")!, [Contact.self], in: database,
                transport: api)
            let replica = try await hub.replica()
            try await replica.sync()
            let number = try await database.read { try Contact.fetchOne($0, key: "a")?.phoneNumber }
            #expect(number == "1")
        }
    }
}
