import Foundation
import Moorage

#if Server
    import MoorageAsyncHTTP

    /// Measures how long a program's write takes to reach another program that reads the change
    /// feed as events. One write goes through the hub, and one past it, for which the hub polls. The
    /// shortest way in the same PostgreSQL is an update, its commit, and a notification.
    struct FeedBenchmark {
        let plan: Plan

        private static let times = 200

        func run(_ report: Report) async throws {
            try await PostgresScratch.with(report, orNote: "no change feed") {
                try await run(report, $0)
            }
        }

        private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
            let items = Item.rows(1_000, seed: 9)
            let (link, process) = try await scratch.serve(items)
            defer { process.stop() }
            var feed = try await FollowedFeed(process.url)
            let writer = RESTWriter(url: process.url)
            let yardstick = try NotifyYardstick(scratch, link)
            var (notified, written, committed): ([Double], [Double], [Double]) = ([], [], [])
            for number in 0..<Self.times {
                notified.append(try await yardstick.measure())
                var item = items[number % items.count]
                // Not in step with the hub's polls.
                try await Task.sleep(for: .milliseconds(Int.random(in: 200..<400)))
                written.append(
                    try await Cost.measure { [item] in
                        try await writer.write("written \(number)", in: item.id)
                        try await feed.wait(for: "\"written \(number)\"")
                    }.wall)
                item.note = "committed \(number)"
                try await Task.sleep(for: .milliseconds(Int.random(in: 200..<400)))
                committed.append(
                    try await Cost.measure { [item] in
                        try link.upsert([item])
                        try await feed.wait(for: "\"committed \(number)\"")
                    }.wall)
            }
            report.latencies(
                "from a write to an event of the change feed, over HTTP",
                [
                    (NotifyYardstick.name, notified),
                    ("PATCH through the hub", written), ("commit past the hub", committed),
                ])
        }
    }

    /// Writes rows through the server.
    private struct RESTWriter {
        let url: URL
        let transport = AsyncHTTPTransport()

        func write(_ note: String, in id: String) async throws {
            let response = try await transport.send(
                HTTPTransportRequest(
                    method: "PATCH", url: url.appending(path: "v1/tables/item/\(id)"),
                    headers: [
                        ("Authorization", "Bearer \(ServerProcess.secret)"),
                        ("Content-Type", "application/json"), ("Prefer", "return=minimal"),
                    ], body: Array(#"{"note":"\#(note)"}"#.utf8)))
            guard response.status == 204 else {
                throw BenchmarkFailure("REST answers \(response.status).")
            }
            for try await _ in response.body {}
        }
    }

    /// A stream of `GET /v1/changes`, from now on.
    private struct FollowedFeed {
        private var bytes: AsyncThrowingStream<[UInt8], any Error>.Iterator

        init(_ url: URL) async throws {
            let response = try await AsyncHTTPTransport().send(
                HTTPTransportRequest(
                    method: "GET",
                    url: url.appending(path: "v1/changes").appending(queryItems: [
                        URLQueryItem(name: "since", value: "now")
                    ]),
                    headers: [
                        ("Accept", "text/event-stream"),
                        ("Authorization", "Bearer \(ServerProcess.secret)"),
                    ], isOpenEnded: true))
            guard response.status == 200 else {
                throw BenchmarkFailure("The change feed answers \(response.status).")
            }
            bytes = response.body.makeAsyncIterator()
        }

        /// Reads on until a text has come. Texts do not come twice.
        mutating func wait(for text: String) async throws {
            var read: [UInt8] = []
            while !String(decoding: read, as: UTF8.self).contains(text) {
                guard let next = try await bytes.next() else {
                    throw BenchmarkFailure("The change feed ended.")
                }
                read += next
            }
        }
    }
#endif
