import Moorage
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `Which replicas need a column` {
    private static let schema = [
        "CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20), note VARCHAR(20))",
        "CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20))",
    ]

    @Test(arguments: CentreKind.available)
    func `shows in their reports, on every database`(kind: CentreKind) async throws {
        try await World.run(kind, .http, schema: Self.schema) { world in
            let hub = world.hub
            let old = try await world.open(
                "old", schema: "CREATE TABLE item (id INTEGER NOT NULL PRIMARY KEY, name TEXT)",
                tables: [.table("item")])
            try await old.replica.sync()
            let before = try await hub.checkDrop(ofTable: "item", column: "note")
            #expect(before.isSafe && before.counts.counted == 1 && before.counts.unknown == 0)
            let new = try await world.clone("new", tables: ["item"])
            try await new.replica.sync()
            let after = try await hub.checkDrop(ofTable: "item", column: "note")
            #expect(after.replicas.map(\.need) == [.requested])
            #expect(after.needCount == 1 && after.counts.counted == 2)
            #expect(try await hub.checkDrop(ofTable: "item", column: "name").needCount == 2)
            #expect(try await hub.checkDrop(ofTable: "item").needCount == 2)
            #expect(try await hub.checkDrop(ofTable: "other").isSafe)
            let usage = try await hub.schemaUsage()
            let item = try #require(usage.tables.first(where: { $0.name == "item" }))
            #expect(item.replicaCount == 2 && item.lackingColumns.map(\.name) == ["note"])
            #expect(usage.versions.map(\.replicaCount) == [2])
            let error = await #expect(throws: HubError.self) {
                _ = try await hub.checkDrop(ofTable: "item", column: "fax")
            }
            #expect(error?.code == .unknownColumn)
        }
    }
}
