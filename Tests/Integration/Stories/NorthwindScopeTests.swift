import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import NorthwindSample
import TestSupport
import Testing

/// Employees, each with a device of their own, on one database: four by day, all nine at night.
@Suite(.ownThreads) struct `Northwind, each employee their own orders` {
    private static let scopes = ScopeSettings(
        rules: [
            "orders": [ScopeRule(.column(kind: "employee", "employee_id"))],
            "order_details": [ScopeRule(.through(["order_id"]))],
        ], holdings: ["employee": .claim("employee_id")])

    @Test(arguments: CentreKind.available)
    func `on generated rows`(kind: CentreKind) async throws {
        try await tell(NorthwindSample(seed: 7), on: kind)
    }

    @Test(.enabled(if: RealRows.areTried), arguments: CentreKind.available)
    func `on the real rows`(kind: CentreKind) async throws {
        try await tell(NorthwindSample(csvFolder: try #require(RealRows.folder)), on: kind)
    }

    private func tell(_ sample: NorthwindSample, on kind: CentreKind) async throws {
        var configuration = HubConfiguration()
        configuration.scopes = Self.scopes
        let schema =
            NorthwindSample.schema(for: kind.dialect) + sample.statements(for: kind.dialect)
        try await World.run(kind, schema: schema, configuration: configuration) { world in
            let everyone = sample["employees"].compactMap { row -> Int64? in
                if case .integer(let id) = row[0] { id } else { nil }
            }
            #expect(everyone.count == 9)
            let ids = everyone.sorted().prefix(isNightly ? 9 : 4)
            var devices: [(id: Int64, device: Device)] = []
            for id in ids {
                let principal = Principal(
                    subject: "employee-\(id)", claims: ["employee_id": [String(id)]])
                let device = try await world.clone(
                    "employee\(id)", link: .direct(world.hub.asSeen(by: principal)))
                devices.append((id, device))
            }
            for (id, device) in devices { try check(device, of: id, in: world) }

            // An order moves to another employee with its lines. Each device follows within one
            // exchange.
            let (from, to) = (ids[0], ids[1])
            let order = try #require(
                try world.centre.text(
                    "SELECT min(order_id) FROM orders WHERE employee_id = \(from)"))
            try world.centre.execute(
                "UPDATE orders SET employee_id = \(to) WHERE order_id = \(order)")
            for (id, device) in devices {
                try await device.replica.sync()
                try check(device, of: id, in: world)
            }

            // Employees may change everything in their own orders. The hub refuses changes of rows
            // that belong to others, or would afterwards.
            let (giver, taker) = (devices[0].device, devices[1].device)
            let own = try #require(
                try giver.text("SELECT min(order_id) FROM orders"))
            try giver.execute("UPDATE orders SET ship_city = 'Kalmar' WHERE order_id = \(own)")
            try giver.execute("DELETE FROM order_details WHERE order_id = \(own)")
            let given = try #require(try taker.text("SELECT max(order_id) FROM orders"))
            try taker.execute(
                "UPDATE orders SET employee_id = \(from) WHERE order_id = \(given)")
            for (id, device) in devices {
                try await device.replica.sync()
                try await device.replica.sync()
                try check(device, of: id, in: world)
            }
            #expect(try await giver.replica.refusedChanges.fetch().isEmpty)
            #expect(try await taker.replica.refusedChanges.fetch().map(\.code) == [.permission])
            #expect(
                try world.centre.text("SELECT ship_city FROM orders WHERE order_id = \(own)")
                    == "Kalmar")
        }
    }

    /// Expects only the employee's orders and their lines, and all rows that everyone may see.
    private func check(_ device: Device, of employee: Int64, in world: World) throws {
        let mine = "employee_id = \(employee)"
        for (table, condition) in [
            ("orders", mine),
            ("order_details", "order_id IN (SELECT order_id FROM orders WHERE \(mine))"),
            ("products", "1 = 1"), ("customers", "1 = 1"),
        ] {
            let wanted = try world.centre.count("SELECT count(*) FROM \(table) WHERE \(condition)")
            #expect(
                try device.text("SELECT count(*) FROM \(table)") == String(wanted),
                "\(table) of \(employee)")
            #expect(
                try device.text("SELECT count(*) FROM \(table) WHERE \(condition)")
                    == String(wanted))
        }
    }
}
