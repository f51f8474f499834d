import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

/// The network breaks after each number of bytes that an exchange sends and receives, in turn. So it
/// breaks inside the head and the body of each request and each answer, and between them. An
/// exchange has an insert, an update and a delete of each model, and fetches each collection.
///
/// One device and one server go through all of it. An exchange begins with what the last one
/// left. First comes each boundary between two parts: heads of requests with their bodies, heads of
/// answers, and their bodies. Then comes every 997th byte, and at night every one.
@Suite(.ownThreads) struct `A network that is cut at each byte` {
    private static let stride =
        ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] == "1" ? 1 : 997

    /// Runs one exchange for each boundary, until one is over before its boundary.
    private func atEachByte(
        _ network: CutNetwork, edit: (Int) async throws -> Void,
        sync: () async throws -> Void, recover: (Int) async throws -> Void
    ) async throws {
        var (boundary, step) = (CutNetwork.Boundary.parts(0), 0)
        while true {
            try await edit(step)
            network.cut(after: boundary)
            let isDone: Bool
            do {
                try await sync()
                isDone = true
            } catch is ReplicaError { isDone = false }
            let isDown = network.cut(after: nil)
            #expect(isDone == !isDown, "\(boundary)")
            try await recover(step)
            step += 1
            switch boundary {
            case .parts(let count) where isDown: boundary = .parts(count + 1)
            case .parts(let count):
                #expect(count > 15)
                // Beside the boundaries of parts.
                boundary = .bytes(Self.stride / 2)
            case .bytes(let count) where isDown: boundary = .bytes(count + Self.stride)
            case .bytes(let count):
                #expect(count > 2_000)
                return
            }
        }
    }

    // MARK: A small server

    private static let models: [any Uploadable.Type] = [Todo.self, Person.self, Order.self]

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let way: (RESTFetching, FakeCollection.Listing)
        var lost = RESTSettings.LostAnswers.lookUp
        var batch: RESTBatch?
        var isSilent = false
        var makesElementIDs = false

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "lists, elements with ids of the server", way: (.list(), .array),
            makesElementIDs: true),
        Case(name: "a change feed", way: (.changes(), .feed(3))),
        Case(
            name: "pages, idempotency keys", way: (.pages(), .pages(3)), lost: .idempotencyKey),
        Case(
            name: "batches, answers of no length", way: (.changes(), .feed(3)),
            batch: RESTBatch(path: "batch", maximum: 4), isSilent: true),
    ]

    @Test(arguments: cases)
    func `doubles nothing and loses nothing of a small server`(of kind: Case) async throws {
        func collection(_ makesIDs: Bool = false) -> FakeCollection {
            FakeCollection {
                $0.listing = kind.way.1
                $0.makesIDs = makesIDs
                $0.elementIDs = kind.makesElementIDs ? "lines" : nil
            }
        }
        let api = FakeAPI([
            "todos": collection(), "people": collection(true), "orders": collection(),
        ])
        api.state.withLock { $0.honoursKeys = kind.lost == .idempotencyKey }
        let network = CutNetwork(api, isSilent: kind.isSilent)
        let settings = RESTSettings(
            fetching: kind.way.0, lostAnswers: kind.lost, batch: kind.batch)
        var (person, order) = (settings, settings)
        person.ids = .server
        order.children = [
            .embedded(Line.self, as: "lines", ids: kind.makesElementIDs ? .server : .device)
        ]
        let device = try await Settings.$todo.withValue(settings) {
            try await Settings.$person.withValue(person) {
                try await Settings.$order.withValue(order) {
                    try await Device(api, Self.models, network: network)
                }
            }
        }
        try await atEachByte(network) { step in
            try await edit(step, device)
        } sync: {
            try await device.sync()
        } recover: { step in
            if step % 2 == 1 { try await device.reopen() }
            try await device.catchUp()
            let here = try await here(device)
            #expect(here == Self.expected(step), "step \(step)")
            let there = Self.there(api)
            #expect(there == Self.expected(step), "step \(step)")
            let (refused, conflicts) = (try await device.refused, try await device.conflicts)
            let listed =
                refused.map { "\($0.table) \($0.message)" }
                + conflicts.map { "\($0.table) \($0.mine ?? [:]) \($0.theirs ?? [:])" }
            #expect(listed == [], "step \(step)")
        }
    }

    private func edit(_ step: Int, _ device: Device) async throws {
        let (last, old) = (step - 1, step - 2)
        try await device.execute(
            """
            INSERT INTO todo(id, title) VALUES ('t\(step)', 'new');
            UPDATE todo SET title = 'old' WHERE id = 't\(last)';
            DELETE FROM todo WHERE id = 't\(old)';
            INSERT INTO person(name) VALUES ('p\(step)');
            UPDATE person SET name = name || '!' WHERE name = 'p\(last)';
            DELETE FROM person WHERE name = 'p\(old)!';
            INSERT INTO "order" VALUES ('o\(step)', 'Ada');
            INSERT INTO line VALUES ('l\(step)', 'o\(step)', 'l\(step)', 1);
            INSERT INTO line SELECT 'm\(last)', id, 'm\(last)', 1 FROM "order" WHERE id = 'o\(last)';
            DELETE FROM "order" WHERE id = 'o\(old)';
            """)
        device.api.put("todos", #"{"id":"s\#(step)","title":"theirs","done":false}"#)
        device.api.delete("todos", "s\(last)")
    }

    /// Each row once, in one order.
    private static func expected(_ step: Int) -> [String] {
        var rows = [
            "line l\(step) o\(step)", "order o\(step)", "person p\(step)", "todo s\(step) theirs",
            "todo t\(step) new",
        ]
        if step > 0 {
            let last = step - 1
            rows += [
                "line l\(last) o\(last)", "line m\(last) o\(last)", "order o\(last)",
                "person p\(last)!", "todo t\(last) old",
            ]
        }
        return rows.sorted()
    }

    private func here(_ device: Device) async throws -> [String] {
        try await device.rows(
            """
            SELECT 'todo', id, title FROM todo UNION ALL SELECT 'line', product, orderId FROM line
            """
        ).sorted().map { $0 }
            .appending(try await device.rows("SELECT 'order', id FROM \"order\""))
            .appending(try await device.rows("SELECT 'person', name FROM person")).sorted()
    }

    private static func there(_ api: FakeAPI) -> [String] {
        func all(_ path: String) -> [JSON] { api.rows(path).values.map { JSON($0) } }
        func text(_ row: JSON, _ name: String) -> String { row[name]?.plain ?? "-" }
        var rows = all("todos").map { "todo \(text($0, "id")) \(text($0, "title"))" }
        rows += all("people").map { "person \(text($0, "name"))" }
        for order in all("orders") {
            rows.append("order \(text(order, "id"))")
            guard case .array(let lines)? = order["lines"] else { continue }
            rows += lines.map { "line \(text($0, "product")) \(text(order, "id"))" }
        }
        return rows.sorted()
    }

    // MARK: Our own REST interface

    private struct Errand: Codable, FetchableRecord, PersistableRecord, Sendable, Uploadable {
        static let databaseTableName = "task"
        static let path = "v1/tables/task"
        static let rest = RESTSettings(
            ids: .server, fetching: .pages(items: "rows", cursor: "after"),
            lostAnswers: .idempotencyKey)
        var id: Int64
        var title: String
    }

    @Test func `doubles nothing and loses nothing of our own REST interface`() async throws {
        let server = try await OwnREST(
            "CREATE TABLE task(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
        let network = CutNetwork(server)
        let database = try DatabaseQueue()
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE task(
                      id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL)
                    """)
        }
        let hub = RESTHub(
            URL(string: "http://localhost:8080")!, [Errand.self], in: database,
            transport: network)
        let replica = try await hub.replica(options: Device.options)
        try await atEachByte(network) { step in
            try await database.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO task(title) VALUES ('t\(step)');
                        UPDATE task SET title = title || '!' WHERE title = 't\(step - 1)';
                        DELETE FROM task WHERE title = 't\(step - 2)!';
                        """)
            }
            try server.sql("INSERT INTO task(title) VALUES ('s\(step)')")
            try server.sql("DELETE FROM task WHERE title = 's\(step - 1)'")
        } sync: {
            try await replica.sync()
        } recover: { step in
            for _ in 0..<20 {
                try await replica.sync()
                if replica.status.isCaughtUp { break }
            }
            let here = try await database.read {
                try String.fetchAll($0, sql: "SELECT title FROM task ORDER BY title")
            }
            let there = try server.rows("SELECT title FROM task ORDER BY title").map {
                $0.first?.plain ?? "-"
            }
            let expected =
                ["s\(step)", "t\(step)"] + (step > 0 ? ["t\(step - 1)!"] : [])
            #expect(there == expected.sorted(), "step \(step)")
            #expect(here == expected.sorted(), "step \(step)")
            let refused = try await replica.refusedChanges.fetch()
            #expect(refused.isEmpty, "step \(step)")
        }
    }
}

extension [String] {
    fileprivate func appending(_ others: [String]) -> [String] { self + others }
}
