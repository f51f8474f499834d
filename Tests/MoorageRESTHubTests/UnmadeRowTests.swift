import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `A reference to a row of an earlier batch` {
    @Test func `follows a row that is tried again`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        var limits = RESTLimits()
        limits.maximumChanges = 1
        let device = try await Device(api, [Person.self], limits: limits)
        try await device.sync()
        api.breakingOnce("POST", .status(422))
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Ada')")
        try await device.sync()
        try await device.execute("INSERT INTO person(id, name, boss) VALUES (2, 'Bo', NULL)")
        let refused = try #require(try await device.refused.first)
        try await device.replica.retry(refused)
        try await device.execute("UPDATE person SET boss = 1 WHERE id = 2")
        for _ in 0..<3 { try await device.sync() }
        #expect(
            try await device.rows("SELECT name, boss FROM person ORDER BY name")
                == ["Ada -", "Bo 100"])
        #expect(try await device.refused.isEmpty)
    }

    @Test func `never names another row of the server`() async throws {
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        var limits = RESTLimits()
        limits.maximumChanges = 1
        let device = try await Device(api, [Person.self], limits: limits)
        api.change("people") { people in
            people.refuses = { json in
                json["name"]?.plain == "Bad" ? (422, "No such name.") : nil
            }
        }
        try await device.execute("INSERT INTO person(id, name) VALUES (1, 'Bad')")
        try await device.execute("INSERT INTO person(id, name, boss) VALUES (2, 'Bo', 1)")
        api.put("people", #"{"id":1,"name":"Old","boss":null}"#)
        for _ in 0..<4 { _ = try? await device.sync() }
        #expect(!api.rows("people").values.contains { $0.contains(#""boss":1"#) })
    }
}
