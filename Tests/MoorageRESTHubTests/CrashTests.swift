import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

/// The process ends before each commit of an exchange, in turn.
@Suite(.ownThreads) struct `A process that ends at a commit` {
    private static let milk = #"{"id":"a","title":"Milk","done":false}"#

    private func device(_ way: (RESTFetching, FakeCollection.Listing)) async throws -> Device {
        let api = FakeAPI(["todos": FakeCollection([Self.milk]) { $0.listing = way.1 }])
        return try await Settings.$todo.withValue(RESTSettings(fetching: way.0)) {
            try await Device(api, [Todo.self])
        }
    }

    /// Syncs until the process ends before its commit with this number.
    ///
    /// - Returns: Whether there was such a commit.
    private func sync(_ device: Device, endingAt commit: Int) async throws -> Bool {
        let end = EndAtCommit(commit)
        device.database.add(transactionObserver: end)
        try? await device.sync()
        device.database.remove(transactionObserver: end)
        guard end.hasEnded else { return false }
        try await device.reopen()
        return true
    }

    /// A scan that broke off goes on, and the next one meets what it had passed.
    private func twice(_ device: Device) async throws {
        for _ in 0..<2 { try await device.catchUp() }
    }

    /// Runs a case for each commit.
    private func atEachCommit(
        _ body: (Int, (RESTFetching, FakeCollection.Listing)) async throws -> Bool
    ) async throws {
        // A list, pages with a cursor of their own, and a feed.
        for way in [FakeCollection.ways[0], FakeCollection.ways[3], FakeCollection.ways[4]] {
            var commit = 0
            while try await body(commit, way) { commit += 1 }
            #expect(commit > 3)
        }
    }

    /// K2: a row that is on the device is known, so it goes with the server's.
    @Test func `knows each row that it has`() async throws {
        try await atEachCommit { commit, way in
            let device = try await device(way)
            let hasEnded = try await sync(device, endingAt: commit)
            let row = try await device.rows("SELECT id FROM todo")
            if !row.isEmpty {
                let known = try await device.rows("SELECT tbl, key FROM _moorage_rest_row")
                #expect(known == ["todo [\"a\"]"], "commit \(commit), \(way.0)")
            }
            // A scan in full finds what is missing, and a feed says it.
            device.api.delete("todos", "a")
            try await twice(device)
            let rest = try await device.rows("SELECT id FROM todo")
            #expect(rest == [], "commit \(commit), \(way.0)")
            return hasEnded
        }
    }

    @Test func `brings back a row that was deleted for a while`() async throws {
        try await atEachCommit { commit, way in
            let device = try await device(way)
            try await device.sync()
            device.api.delete("todos", "a")
            let hasEnded = try await sync(device, endingAt: commit)
            device.api.put("todos", Self.milk)
            try await twice(device)
            let rest = try await device.rows("SELECT title FROM todo")
            #expect(rest == ["Milk"], "commit \(commit), \(way.0)")
            return hasEnded
        }
    }

    @Test func `follows a row that changed for a while`() async throws {
        try await atEachCommit { commit, way in
            let device = try await device(way)
            try await device.sync()
            device.api.put("todos", #"{"id":"a","title":"Oats","done":false}"#)
            let hasEnded = try await sync(device, endingAt: commit)
            device.api.put("todos", Self.milk)
            try await twice(device)
            let rest = try await device.rows("SELECT title FROM todo")
            #expect(rest == ["Milk"], "commit \(commit), \(way.0)")
            return hasEnded
        }
    }

    @Test func `follows a row that others set back after it was sent`() async throws {
        try await atEachCommit { commit, way in
            let device = try await device(way)
            try await device.sync()
            try await device.execute("UPDATE todo SET title = 'Mine'")
            let hasEnded = try await sync(device, endingAt: commit)
            let isSent = device.api.rows("todos")["a"]?.contains("Mine") == true
            device.api.put("todos", Self.milk)
            try await twice(device)
            let there = device.api.rows("todos")["a"]?.contains("Mine") == true ? "Mine" : "Milk"
            let rest = try await device.rows("SELECT title FROM todo")
            #expect(rest == [there], "commit \(commit), \(way.0), sent: \(isSent)")
            return hasEnded
        }
    }
}
