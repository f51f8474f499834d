import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Whoever reads diagnostics and logs must not learn what the rows are about.
@Suite(.ownThreads) struct `Diagnostics and log lines` {
    private static let canary = "Kanarienvogel"

    private func check(_ replica: Replica, _ log: LogLines) async throws {
        #expect(!log.all.isEmpty)
        for line in log.all { #expect(!line.contains(Self.canary), "\(line)") }
        let found = try await replica.diagnostics()
        for text in [try found.json(), "\(found)"] {
            #expect(!text.contains(Self.canary), "\(text)")
        }
    }

    @Test func `have no value, no key and no scope`() async throws {
        let shop = try await DiagnosedShop()
        let canary = Self.canary
        shop.hub.put(
            "customer", [.text(canary), .text("\(canary)@x"), .text(canary), .null])
        shop.hub.withheld = [
            WithheldRow(
                row: RowName(table: "customer", key: RowKey([.text(canary + "2")])),
                column: "name", reason: "too long")
        ]
        try await shop.replica.sync()
        try await shop.replica.subscribe(to: "project/\(canary)")
        // Refused, kept on the device, pending, and in a conflict.
        shop.hub.refusing = {
            $0.table == "orders" ? Refusal(code: .rule, message: "\(canary) may not.") : nil
        }
        shop.hub.overruling = { change in
            guard change.table == "customer" else { return nil }
            return Outcome(
                kind: .overruled, overruling: Overruling(rule: "server", theirs: [], result: []))
        }
        try await shop.run(
            """
            INSERT INTO orders(id, customer, note) VALUES(7, '\(canary)', '\(canary)');
            UPDATE customer SET name = '\(canary) II' WHERE id = '\(canary)';
            INSERT INTO customer VALUES('\(canary)3', NULL, CAST(x'ff' AS TEXT), '\(canary)')
            """)
        try await shop.replica.sync()
        try await shop.run("UPDATE customer SET name = '\(canary) III' WHERE id = '\(canary)'")
        shop.hub.onAnswer = { _ in throw HubError(.databaseError, "\(canary) is no number.") }
        await #expect(throws: ReplicaError.self) { try await shop.replica.sync() }
        let found = try await shop.replica.diagnostics()
        // All of it is there, as counts.
        let customer = try #require(found.tables.first { $0.name == "customer" })
        #expect(customer.withheld == 1 && customer.blocked == 1 && customer.inFlight == 1)
        #expect(customer.overruled == 1)
        #expect(found.tables.first { $0.name == "orders" }?.refused == 1)
        #expect(found.cursor.subscriptions == 1 && found.lastErrorCode == "databaseError")
        try await check(shop.replica, shop.log)
    }

    @Test func `have no token, and of an address the host alone`() async throws {
        let log = LogLines()
        var options = ReplicaOptions()
        options.logger = log.logger
        options.device = DeviceDescription(name: "\(Self.canary)'s phone")
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let url = try #require(URL(string: "https://hub.example:8443/\(Self.canary)"))
        let replica = try await Replica(
            database: queue,
            hub: .http(
                url, credentials: .secret(Self.canary),
                transport: FailingTransport(reason: "\(Self.canary) is not there")),
            tables: Shop.tables(), options: options)
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        let found = try await replica.diagnostics()
        #expect(found.address == "https://hub.example:8443")
        #expect(found.lastErrorCode == "unreachable")
        try await check(replica, log)
    }

    private struct FailingTransport: HTTPTransport {
        struct Failure: LocalizedError { let errorDescription: String? }
        let reason: String

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            throw Failure(errorDescription: reason)
        }
    }
}
