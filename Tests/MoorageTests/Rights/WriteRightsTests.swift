import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The user's rights on a device` {
    private let hub = Shop.hub()

    private static let limited = RightsAnswer(
        version: "v1",
        tables: [
            TableRightsAnswer(
                table: "orders", insert: .only(["customer", "note"]), update: .only(["note"]),
                mayDelete: false, mayMove: true),
            TableRightsAnswer(
                table: "line", insert: nil, update: nil, mayDelete: false, mayMove: false),
        ])

    private func shop() async throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        return queue
    }

    private func replica(_ queue: DatabaseQueue) async throws -> Replica {
        try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), clock: ManualClock())
    }

    @Test func `are all of them until a hub says otherwise`() async throws {
        let replica = try await replica(shop())
        #expect(try await replica.rights(on: "orders") == WriteRights())
        hub.rights = Self.limited
        try await replica.sync()
        let orders = try await replica.rights(on: "orders")
        #expect(orders.mayInsert && orders.mayUpdate && !orders.mayDelete && orders.mayMove)
        // The column `draft` is the app's own.
        let columns = ["id", "customer", "freight", "note", "draft"]
        #expect(
            columns.filter { orders.mayInsert(column: $0) } == ["id", "customer", "note", "draft"])
        #expect(columns.filter { orders.mayUpdate(column: $0) } == ["note", "draft"])
        let line = try await replica.rights(on: "line")
        #expect(!line.mayInsert && !line.mayUpdate && !line.mayDelete && !line.mayMove)
        #expect(!line.mayInsert(column: "number") && !line.mayUpdate(column: "quantity"))
        let customer = try await replica.rights(on: "customer")
        #expect(customer.mayInsert && customer.mayUpdate && customer.mayDelete && customer.mayMove)
        #expect(customer.mayUpdate(column: "id") && customer.mayUpdate(column: "name"))
    }

    @Test func `are in the file, and asked for by their version`() async throws {
        let queue = try await shop()
        hub.rights = Self.limited
        let first = try await replica(queue)
        for _ in 0..<2 { try await first.sync() }
        #expect(hub.requests.map(\.rightsVersion) == [nil, "v1"])
        let second = try await replica(queue)
        #expect(try await second.rights(on: "line").mayInsert == false)
        hub.rights = RightsAnswer(version: "v2", tables: [])
        try await second.sync()
        #expect(try await second.rights(on: "line").mayInsert)
        #expect(hub.requests.last?.rightsVersion == "v1")
        try await second.sync()
        #expect(hub.requests.last?.rightsVersion == "v2")
    }

    @Test func `are forgotten with the user`() async throws {
        let replica = try await replica(shop())
        hub.rights = Self.limited
        try await replica.sync()
        try await replica.startOver()
        #expect(try await replica.rights(on: "line").mayInsert)
        try await replica.sync()
        #expect(hub.requests.last?.rightsVersion == nil)
        #expect(try await replica.rights(on: "line").mayInsert == false)
    }

    @Test func `that another version of the library has read are asked for once more`() async throws
    {
        let queue = try await shop()
        hub.rights = Self.limited
        try await replica(queue).sync()
        try await queue.write {
            try $0.execute(
                sql: "UPDATE _moorage_meta SET value = '0.0.0' WHERE name = 'rightsReader'")
        }
        let second = try await replica(queue)
        for _ in 0..<2 { try await second.sync() }
        #expect(hub.requests.map(\.rightsVersion) == [nil, nil, "v1"])
    }

    @Test func `stay with a new replica id, and go with a wipe`() throws {
        let device = try Shop.device()
        try device.queue.writeWithoutTransaction { db in
            func mayInsert() throws -> Bool {
                try device.store.rights(db, on: "line").mayInsert
            }
            try device.store.welcome(db, rights: Self.limited)
            #expect(try !mayInsert())
            try device.store.fork(db, newID: "00000000-0000-4000-8000-000000000002")
            #expect(try !mayInsert())
            try device.store.reconcile(
                db, newID: "00000000-0000-4000-8000-000000000003", at: ExchangeTime(device.now))
            #expect(try !mayInsert())
            try device.store.wipe(db)
            #expect(try mayInsert())
        }
    }

    @Test func `are a part of an observation of the app`() async throws {
        let queue = try await shop()
        let replica = try await replica(queue)
        let observation = ValueObservation.tracking { db in
            try replica.rights(db, on: "orders").mayDelete
        }
        var told = observation.values(in: queue).makeAsyncIterator()
        #expect(try await told.next() == true)
        hub.rights = Self.limited
        try await replica.sync()
        #expect(try await told.another(than: true) == false)
        try await replica.startOver()
        #expect(try await told.another(than: false) == true)
    }

    @Test func `are those of a table in the replica's list`() async throws {
        let replica = try await replica(shop())
        let error = await #expect(throws: ReplicaError.self) {
            _ = try await replica.rights(on: "Orders")
        }
        #expect(error?.code == .noSuchTable && error?.message.contains("Orders") == true)
    }

    @Test func `that an app makes up for its screens are as it says`() {
        let rights = WriteRights(
            mayDelete: false, mayMove: false, fixedOnInsert: ["note"], fixedOnUpdate: ["customer"])
        #expect(rights.mayInsert && rights.mayUpdate && !rights.mayDelete && !rights.mayMove)
        #expect(!rights.mayInsert(column: "note") && rights.mayUpdate(column: "note"))
        #expect(rights.mayInsert(column: "customer") && !rights.mayUpdate(column: "customer"))
    }
}
