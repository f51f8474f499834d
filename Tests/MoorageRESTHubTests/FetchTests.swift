import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

@Suite(.ownThreads) struct `What a device fetches from an API` {
    private static let rows = (1...7).map { #"{"id":"\#($0)","title":"T\#($0)","done":false}"# }

    private func api(
        _ listing: FakeCollection.Listing, _ rows: [String] = rows,
        _ configure: (inout FakeCollection) -> Void = { _ in }
    ) -> FakeAPI {
        FakeAPI([
            "todos": FakeCollection(rows) {
                $0.listing = listing
                configure(&$0)
            }
        ])
    }

    @Test(arguments: 0..<FakeCollection.ways.count)
    func `new, changed and deleted rows arrive`(way: Int) async throws {
        let (fetching, listing) = FakeCollection.ways[way]
        let api = api(listing)
        try await Settings.$todo.withValue(RESTSettings(fetching: fetching)) {
            let device = try await Device(api, [Todo.self])
            try await device.sync()
            #expect(try await device.rows("SELECT title FROM todo").count == 7)
            #expect(device.replica.status.isCaughtUp)
            api.put("todos", #"{"id":"3","title":"Three","done":true}"#)
            api.put("todos", #"{"id":"9","title":"T9","done":false}"#)
            api.delete("todos", "5")
            try await device.sync()
            #expect(
                try await device.rows("SELECT title FROM todo ORDER BY id")
                    == ["T1", "T2", "Three", "T4", "T6", "T7", "T9"])
            try await device.sync()
            #expect(device.replica.status.isCaughtUp)
            #expect(try await device.replica.verify().isEmpty)
        }
    }

    @Test(arguments: 0..<FakeCollection.ways.count)
    func `a fetch that breaks off goes on`(way: Int) async throws {
        let (fetching, listing) = FakeCollection.ways[way]
        let api = api(listing)
        try await Settings.$todo.withValue(RESTSettings(fetching: fetching)) {
            var options = Device.options
            options.maximumRowsPerPage = 2
            let device = try await Device(api, [Todo.self], options: options)
            for broken in 0..<4 {
                let left = Counter(broken)
                api.breaking { _ in left.next() < 0 ? .answerLost : nil }
                _ = try? await device.sync()
                try await device.reopen()
            }
            api.breaking(nil)
            api.delete("todos", "1")
            try await device.sync()
            #expect(
                try await device.rows("SELECT id FROM todo ORDER BY id")
                    == ["2", "3", "4", "5", "6", "7"])
        }
    }

    @Test func `a list that has not changed is not read`() async throws {
        let api = api(.array) { $0.hasListETag = true }
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.sync()
        #expect(api.requests("GET").last?.headers["if-none-match"] == "\"list-7\"")
        api.delete("todos", "2")
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").count == 6)
    }

    @Test func `a member called deleted says something in a feed alone`() async throws {
        let row = #"{"id":"1","title":"T","done":false,"deleted":true}"#
        let device = try await Device(api(.array, [row]), [Todo.self])
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo") == ["1"])
        let other = try await Settings.$todo.withValue(RESTSettings(fetching: .changes())) {
            try await Device(api(.feed(3), [row]), [Todo.self])
        }
        try await other.sync()
        #expect(try await other.rows("SELECT id FROM todo").isEmpty)
    }

    @Test func `a feed that has forgotten the cursor is read again`() async throws {
        let api = api(.feed(100))
        try await Settings.$todo.withValue(RESTSettings(fetching: .changes())) {
            let device = try await Device(api, [Todo.self])
            try await device.sync()
            api.delete("todos", "2")
            api.put("todos", #"{"id":"3","title":"Three","done":true}"#)
            api.change("todos") {
                $0.oldestChange = 8
                $0.deleted = [:]
            }
            try await device.sync()
            #expect(
                try await device.rows("SELECT title FROM todo ORDER BY id")
                    == ["T1", "Three", "T4", "T5", "T6", "T7"])
        }
    }

    @Test func `a row that no page had is asked for before it goes`() async throws {
        let api = api(.pages(3))
        try await Settings.$todo.withValue(RESTSettings(fetching: .pages())) {
            let device = try await Device(api, [Todo.self])
            try await device.sync()
            // Between two pages, a row goes, and the fourth one moves to the first page.
            let left = Counter(1)
            api.breaking { request in
                guard request.path == "todos?cursor=3", left.next() == 0 else { return nil }
                api.delete("todos", "1")
                return nil
            }
            try await device.sync()
            #expect(
                try await device.rows("SELECT id FROM todo ORDER BY id")
                    == ["1", "2", "3", "4", "5", "6", "7"])
            api.breaking(nil)
            try await device.sync()
            #expect(
                try await device.rows("SELECT id FROM todo ORDER BY id")
                    == ["2", "3", "4", "5", "6", "7"])
        }
    }

    @Test func `rows with local changes keep them`() async throws {
        let api = api(.array)
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.execute("UPDATE todo SET title = 'Mine' WHERE id = '1'")
        // Reads fail, so the change waits.
        api.breaking { $0.path == "todos/1" ? .status(503) : nil }
        api.put("todos", #"{"id":"1","title":"T1","done":true}"#)
        _ = try? await device.sync()
        #expect(try await device.rows("SELECT title FROM todo WHERE id = '1'") == ["Mine"])
        api.breaking(nil)
        try await device.sync()
        #expect(try await device.rows("SELECT title, done FROM todo WHERE id = '1'") == ["Mine 1"])
        #expect(api.rows("todos")["1"] == #"{"done":true,"id":"1","title":"Mine"}"#)
    }

    @Test func `a row that the record cannot read is withheld`() async throws {
        let api = api(.array, Self.rows + [#"{"id":"8","title":7,"done":false}"#]) {
            $0.hasListETag = true
        }
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").count == 7)
        let withheld = try await device.replica.withheldValues.fetch()
        #expect(withheld.map(\.key.values) == [[.text("8")]])
        #expect(withheld.first?.reason.contains("title") == true)
        api.put("todos", #"{"id":"8","title":"T8","done":false}"#)
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").count == 8)
        #expect(try await device.replica.withheldValues.fetch().isEmpty)
    }

    @Test func `a new column is read with the next list`() async throws {
        let api = api(.array, [#"{"id":"1","title":"T","done":false,"note":"n"}"#]) {
            $0.hasListETag = true
        }
        let device = try await Device(api, [Todo.self])
        try await device.execute("ALTER TABLE todo DROP COLUMN note")
        try await device.sync()
        #expect(try await device.rows("SELECT * FROM todo") == ["1 T 0 0"])
        try await device.execute("ALTER TABLE todo ADD COLUMN note TEXT")
        try await device.catchUp()
        #expect(try await device.rows("SELECT note FROM todo") == ["n"])
    }

    @Test func `an app that starts over reads everything again`() async throws {
        let api = api(.array) { $0.hasListETag = true }
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        try await device.replica.startOver()
        #expect(try await device.rows("SELECT * FROM _moorage_rest_row").isEmpty)
        try await device.sync()
        #expect(try await device.rows("SELECT id FROM todo").count == 7)
    }

    @Test func `lost triggers are repaired by the list`() async throws {
        let api = api(.array)
        let device = try await Device(api, [Todo.self])
        try await device.sync()
        let triggers = try await device.rows(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'todo'")
        for trigger in triggers { try await device.execute("DROP TRIGGER \"\(trigger)\"") }
        try await device.execute("UPDATE todo SET title = 'Mine' WHERE id = '2'")
        try await device.execute("INSERT INTO todo(id, title) VALUES ('n', 'New')")
        try await device.execute("DELETE FROM todo WHERE id = '4'")
        api.put("todos", #"{"id":"6","title":"Theirs","done":false}"#)
        try await device.reopen()
        try await device.catchUp()
        #expect(
            try await device.rows("SELECT title FROM todo ORDER BY id")
                == ["T1", "Mine", "T3", "T5", "Theirs", "T7", "New"])
        #expect(api.rows("todos").keys.sorted() == ["1", "2", "3", "5", "6", "7", "n"])
    }
}

/// Counts down.
final class Counter: Sendable {
    private let value: Locked<Int>
    init(_ value: Int) { self.value = Locked(value) }
    /// The value after one less.
    func next() -> Int {
        value.withLock { value in
            value -= 1
            return value
        }
    }
}
