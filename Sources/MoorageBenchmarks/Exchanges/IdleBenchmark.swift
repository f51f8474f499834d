import Foundation
import Moorage
import MoorageCore
import MoorageSupport
import MoorageWire

#if Server
    import MoorageAsyncHTTP

    /// An exchange with nothing to do, against the same server's word that it is well: both by the same
    /// transport, on a connection that is kept.
    struct IdleBenchmark {
        let plan: Plan

        private static let times = 1_000

        func run(_ report: Report) async throws {
            try await PostgresScratch.with(report, orNote: "no exchange without changes") {
                try await run(report, $0)
            }
        }

        private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
            let (_, process) = try await scratch.serve(Item.rows(plan.rows, seed: 6))
            defer { process.stop() }
            let transport = AsyncHTTPTransport()
            let hub = HTTPHubConnection(
                url: process.url, secret: ServerProcess.secret, transport: transport)
            let request = try await caughtUp(hub)
            let health = HTTPTransportRequest(
                method: "GET", url: process.url.appending(path: "health"),
                headers: [(name: "Accept", value: "application/json")])
            var (exchanges, answers): ([Double], [Double]) = ([], [])
            for _ in 0..<Self.times {
                answers.append(
                    try await Cost.measure {
                        for try await _ in try await transport.send(health).body {}
                    }.wall)
                exchanges.append(
                    try await Cost.measure { try await hub.exchange(request) { _ in } }.wall)
            }
            report.latencies(
                "exchanges with nothing to do, over HTTP",
                [("GET /health", answers), ("an exchange with nothing to do", exchanges)])
        }

        /// What a replica asks when it has everything.
        private func caughtUp(_ hub: HTTPHubConnection) async throws -> ExchangeRequest {
            let schema = try await hub.schema()
            let replica = UUID().uuidString.lowercased()
            let cursor = LastCursor()
            while true {
                let request = ExchangeRequest(
                    replica: replica, hub: schema.hub,
                    sentAt: DeviceTime(.now), tables: [Item.table],
                    cursor: await cursor.cursor, schemaVersion: schema.schema.version, batch: nil,
                    limits: PageLimits())
                if await cursor.isCaughtUp { return request }
                try await hub.exchange(request) { await cursor.receive($0) }
            }
        }
    }

    private actor LastCursor {
        private(set) var cursor = SyncCursor.start
        private(set) var isCaughtUp = false

        func receive(_ frame: Frame) {
            guard case .page(let page) = frame else { return }
            cursor = page.cursor
            isCaughtUp = page.isCaughtUp
        }
    }
#endif
