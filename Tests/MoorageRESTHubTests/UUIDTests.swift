import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

private struct Task: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "task"
    var id: String
    var orderId: String
    var text: String
}

extension Task: Uploadable {
    static let path = "tasks"
    @TaskLocal static var settings = RESTSettings()
    static var rest: RESTSettings { settings }
}

/// PostgreSQL, Django, Rails and .NET answer UUIDs in lower case. Swift writes them in upper case.
@Suite(.ownThreads) struct `UUIDs that the server writes in lower case` {
    private static let a = "0A6F2B34-5C7D-4E8F-9A0B-1C2D3E4F5A6B"
    private static let b = "1B6F2B34-5C7D-4E8F-9A0B-1C2D3E4F5A6B"
    private static let c = "2C6F2B34-5C7D-4E8F-9A0B-1C2D3E4F5A6B"
    private static let insert = """
        INSERT INTO "order" VALUES ('\(a)', 'Ada');
        INSERT INTO line VALUES ('\(b)', '\(a)', 'Nails', 10);
        INSERT INTO task VALUES ('\(c)', '\(a)', 'Call');
        """
    private static let rows = [
        "\(a) Ada", "\(b) \(a) Nails 10", "\(c) \(a) Call",
    ]

    private func device() async throws -> (Device, FakeAPI) {
        let api = FakeAPI([
            "orders": FakeCollection { $0.hasUUIDs = true },
            "tasks": FakeCollection { $0.hasUUIDs = true },
        ])
        let database = try DatabaseQueue()
        try await database.write {
            try $0.execute(
                sql: Device.schema + """
                    ;CREATE TABLE task(
                      id TEXT PRIMARY KEY NOT NULL, orderId TEXT NOT NULL REFERENCES "order"(id),
                      text TEXT NOT NULL);
                    """)
        }
        return (try await Device(api, [Order.self, Task.self], database: database), api)
    }

    private func rows(_ device: Device) async throws -> [String] {
        try await device.rows("SELECT * FROM \"order\"") + device.rows("SELECT * FROM line")
            + device.rows("SELECT * FROM task")
    }

    @Test func `keep the device's form`() async throws {
        let (device, api) = try await device()
        try await device.execute(Self.insert)
        try await device.sync()
        #expect(api.rows("tasks").keys.sorted() == [Self.c.lowercased()])
        #expect(try await rows(device) == Self.rows)
        try await device.reopen()
        try await device.sync()
        #expect(try await rows(device) == Self.rows)
        #expect(try await device.refused.isEmpty)
        #expect(try await device.conflicts.isEmpty)
        #expect(device.replica.status.isCaughtUp)
    }

    @Test func `keep it when both sides edit`() async throws {
        let (device, api) = try await device()
        try await device.execute(Self.insert)
        try await device.sync()
        api.put(
            "tasks",
            #"{"id":"\#(Self.c)","orderId":"\#(Self.a)","text":"Ring"}"#)
        api.put(
            "orders",
            """
            {"id":"\(Self.a)","customer":"Bo","lines":[{"id":"\(Self.b)","product":"Wood",\
            "count":10}]}
            """)
        try await device.execute("UPDATE line SET count = 11")
        try await device.sync()
        #expect(
            try await rows(device) == [
                "\(Self.a) Bo", "\(Self.b) \(Self.a) Wood 11", "\(Self.c) \(Self.a) Ring",
            ])
        try await device.execute("DELETE FROM task; DELETE FROM \"order\"")
        try await device.sync()
        #expect(api.rows("tasks").isEmpty && api.rows("orders").isEmpty)
        #expect(try await device.conflicts.isEmpty)
        #expect(try await device.rows("SELECT tbl, key FROM _moorage_rest_row").isEmpty)
    }

    @Test(arguments: ["POST", "PUT", "DELETE"])
    func `are found after a lost answer`(method: String) async throws {
        let (device, api) = try await device()
        if method != "POST" {
            try await device.execute(Self.insert)
            try await device.sync()
        }
        switch method {
        case "POST": try await device.execute(Self.insert)
        case "PUT": try await device.execute("UPDATE line SET count = 11")
        default: try await device.execute("DELETE FROM task")
        }
        api.breakingOnce(method, .answerLost)
        _ = try? await device.sync()
        api.breaking(nil)
        try await device.reopen()
        try await device.catchUp()
        var rows = Self.rows
        if method == "PUT" { rows[1] = "\(Self.b) \(Self.a) Nails 11" }
        if method == "DELETE" { rows[2...] = [] }
        #expect(try await self.rows(device) == rows)
        #expect(try await device.refused.isEmpty)
        #expect(try await device.conflicts.isEmpty)
    }

    @Test func `name the rows that a feed deletes`() async throws {
        try await Task.$settings.withValue(RESTSettings(fetching: .changes())) {
            let (device, api) = try await device()
            api.change("tasks") { $0.listing = .feed(10) }
            try await device.execute(Self.insert)
            try await device.sync()
            #expect(try await rows(device) == Self.rows)
            api.delete("tasks", Self.c.lowercased())
            try await device.sync()
            #expect(try await device.rows("SELECT * FROM task").isEmpty)
        }
    }

    @Test func `stay as they come where the device has no such row`() async throws {
        let (device, api) = try await device()
        let id = Self.a.lowercased()
        api.put("orders", #"{"id":"\#(id)","customer":"Ada","lines":[]}"#)
        try await device.sync()
        #expect(try await rows(device) == ["\(id) Ada"])
        try await device.execute("UPDATE \"order\" SET customer = 'Bo'")
        try await device.sync()
        #expect(try await rows(device) == ["\(id) Bo"])
        #expect(api.rows("orders")[id]?.contains("Bo") == true)
    }
}
