import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `A file from a backup` {
    @Test func `sends again what it had sent since, and the rows are there once`() async throws {
        let api = FakeAPI([
            "todos": FakeCollection([#"{"id":"a","title":"Milk","done":false}"#])
        ])
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute(
            """
            INSERT INTO todo(id, title) VALUES ('b', 'Bread');
            UPDATE todo SET title = 'Oats' WHERE id = 'a';
            """)
        let backup = try DatabaseQueue()
        try device.database.backup(to: backup)
        try await device.sync()
        api.put("todos", #"{"id":"c","title":"Cake","done":false}"#)
        try await device.execute("UPDATE todo SET note = 'Rye' WHERE id = 'b'")
        try await device.sync()

        let restored = try await Device(api, [Todo.self], database: backup)
        for _ in 0..<2 { try await restored.catchUp() }
        #expect(
            try await restored.rows("SELECT id, title, note FROM todo ORDER BY id")
                == ["a Oats -", "b Bread Rye", "c Cake -"])
        #expect(api.rows("todos").count == 3)
        #expect(api.rows("todos")["b"]?.contains("Rye") == true)
        #expect(try await restored.refused.isEmpty)
    }
}
