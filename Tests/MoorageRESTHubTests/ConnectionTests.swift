import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `A collection that cannot be read` {
    private func device() async throws -> (Device, FakeAPI) {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#]),
            "people": FakeCollection([#"{"id":1,"name":"Ada"}"#]) { $0.makesIDs = true },
            "orders": FakeCollection(),
        ])
        return (try await Device(api, [Todo.self, Person.self, Order.self]), api)
    }

    static let answers: [(Int, String, HubError.Code)] = [
        (403, "", .unknownTable), (404, "", .notFound), (400, "", .malformed), (500, "", .busy),
        (200, #"{"items":[],"next":2}"#, .malformed),
    ]

    @Test(arguments: 0..<answers.count, ["todos", "people"])
    func `does not stop the others`(number: Int, path: String) async throws {
        let (device, api) = try await device()
        let (status, body, code) = Self.answers[number]
        api.breaking { $0.path == path ? .status(status, body: body) : nil }
        for _ in 0..<2 {
            let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
            #expect(error?.hubCode == code)
            #expect(error?.code.rawValue.contains("unauthorized") == false)
        }
        let table = path == "todos" ? "person" : "todo"
        #expect(try await device.rows("SELECT id FROM \(table)").count == 1)
        #expect(device.replica.status.lastError != nil)
        try await device.execute("INSERT INTO \"order\"(id, customer) VALUES ('o', 'Ada')")
        _ = try? await device.sync()
        #expect(api.rows("orders").count == 1)
        api.breaking(nil)
        try await device.sync()
        #expect(device.replica.status.isCaughtUp)
        #expect(try await device.rows("SELECT id FROM todo").count == 1)
        #expect(try await device.rows("SELECT id FROM person").count == 1)
    }

    @Test(arguments: [
        FakeAPI.Fault.status(401), .status(503, headers: ["Retry-After": "9"]), .lost,
        .status(200, body: "<html>"),
    ])
    func `stops them if nobody can read any`(fault: FakeAPI.Fault) async throws {
        let (device, api) = try await device()
        api.breaking { _ in fault }
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(api.takeLog().count == 1)
    }
}

@Suite(.ownThreads) struct `A hub and its file` {
    private func hub(
        _ database: DatabaseQueue, _ address: String = "http://localhost/api",
        name: String? = nil, _ transport: FakeAPI
    ) -> RESTHub {
        RESTHub(
            URL(string: address)!, [Todo.self], in: database, name: name, transport: transport)
    }

    private func code(_ hub: RESTHub) async -> HubError.Code? {
        do {
            try await hub.replica(options: Device.options).sync()
            return nil
        } catch { return error.hubCode }
    }

    private func file() async throws -> DatabaseQueue {
        let file = try DatabaseQueue()
        try await file.write { try $0.execute(sql: Device.schema) }
        return file
    }

    @Test func `belong together`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let (one, other) = (try await file(), try await file())
        let hub = hub(one, "http://localhost:9999/api", api)
        let first = try await hub.replica(options: Device.options)
        try await first.sync()
        let replica = try await Replica(
            database: other, hub: hub.connection, tables: [.table("todo")],
            options: Device.options)
        try await other.write {
            try $0.execute(sql: "INSERT INTO todo(id, title) VALUES ('a', 'A')")
        }
        for _ in 0..<2 {
            let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
            #expect(error?.hubCode == .configuration)
        }
        #expect(api.rows("todos").isEmpty)
        #expect(api.requests("POST").isEmpty)
    }

    @Test func `have one API`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let file = try await file()
        #expect(await code(hub(file, "http://localhost:9999/api", api)) == nil)
        // Another port, path or scheme is another address of the same API.
        #expect(await code(hub(file, "http://localhost:9998/v2", api)) != .differentHub)
        #expect(await code(hub(file, "http://127.0.0.1:9999/api", api)) == .differentHub)
        #expect(
            await code(hub(file, "http://127.0.0.1:9999/api", name: "localhost", api)) == nil)
    }

    @Test func `may start over with another API`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let file = try await file()
        #expect(await code(hub(file, "http://localhost:9999/api", api)) == nil)
        try await hub(file, "http://localhost:9999/api", api).replica(options: Device.options)
            .startOver()
        #expect(await code(hub(file, "http://127.0.0.1:9999/api", api)) == nil)
    }
}

@Suite(.ownThreads) struct `How often a collection is read` {
    private func device(_ todo: RESTSettings) async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection(), "orders": FakeCollection()])
        let device = try await Settings.$todo.withValue(todo) {
            try await Device(api, [Todo.self, Order.self])
        }
        return (device, api)
    }

    private func sync(_ device: Device, for occasion: ExchangeOccasion) async throws -> [String] {
        _ = device.api.takeLog()
        try await ExchangeOccasion.$current.withValue(occasion) { try await device.sync() }
        return device.api.takeLog().filter { $0.hasPrefix("GET") }
    }

    @Test func `is at each pull, and after half a minute for commits`() async throws {
        let (device, _) = try await device(RESTSettings())
        // Nothing was read yet.
        #expect(try await sync(device, for: .commit).count == 2)
        #expect(try await sync(device, for: .commit) == [])
        #expect(device.replica.status.isCaughtUp)
        #expect(try await sync(device, for: .interval).count == 2)
        #expect(try await sync(device, for: .asked).count == 2)
    }

    @Test func `may be less often`() async throws {
        let (device, _) = try await device(RESTSettings(interval: .seconds(3_600)))
        #expect(try await sync(device, for: .interval).count == 2)
        #expect(try await sync(device, for: .interval) == ["GET orders"])
        #expect(try await sync(device, for: .commit) == [])
        #expect(try await sync(device, for: .asked).count == 2)
        try await device.reopen()
        try await device.replica.startOver()
        #expect(try await sync(device, for: .commit).count == 2)
    }

    @Test func `may be for each commit`() async throws {
        let (device, _) = try await device(RESTSettings(interval: .zero))
        #expect(try await sync(device, for: .commit).count == 2)
        #expect(try await sync(device, for: .commit) == ["GET todos"])
    }

    @Test func `is not once for each commit of the app`() async throws {
        let api = FakeAPI(["todos": FakeCollection(), "orders": FakeCollection()])
        var options = Device.options
        options.pushDelay = .milliseconds(5)
        let device = try await Device(api, [Todo.self, Order.self], options: options)
        await device.replica.start()
        try await eventually("the device is caught up") { device.replica.status.isCaughtUp }
        for id in ["a", "b", "c"] {
            try await device.execute("INSERT INTO todo(id, title) VALUES ('\(id)', 'T')")
            try await eventually("the row is there") { api.rows("todos")[id] != nil }
        }
        await device.replica.stop()
        // The first exchange reads them, and no other one.
        #expect(api.requests("GET").map(\.path).sorted() == ["orders", "todos"])
    }

    @Test func `does not depend on that where a row must come`() async throws {
        let (device, api) = try await device(RESTSettings())
        try await device.sync()
        try await device.execute("INSERT INTO todo(id, title) VALUES ('a', 'A')")
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine'")
        api.breaking { $0.path == "todos/a" ? .status(403) : nil }
        #expect(try await sync(device, for: .commit).contains("GET todos"))
        #expect(try await device.rows("SELECT title FROM todo") == ["A"])
    }

    @Test func `does not depend on that where a scan broke off`() async throws {
        let (device, api) = try await device(RESTSettings())
        api.change("todos") { $0.listing = .links(1) }
        api.put("todos", #"{"id":"1","title":"A","done":false}"#)
        api.put("todos", #"{"id":"2","title":"B","done":false}"#)
        try await device.sync()
        api.breaking { $0.path.contains("cursor") ? .lost : nil }
        await #expect(throws: ReplicaError.self) { try await device.sync() }
        api.breaking(nil)
        #expect(try await sync(device, for: .commit).contains("GET todos"))
    }
}
