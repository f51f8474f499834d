import Foundation
import Moorage
import MoorageAsyncHTTP
import MoorageCore
import MoorageSupport
import MoorageWire

#if Server
    /// Rows that tell which commit brought them.
    enum NumberedItem {
        private static let base: Int64 = 1_000_000

        static func item(_ number: Int) -> Item {
            var item = Item.rows(1, seed: UInt64(number) + 77)[0]
            item.quantity = base + Int64(number)
            return item
        }

        /// The commits whose rows a page brings.
        static func numbers(in page: Page) -> [Int] {
            page.tables.flatMap { table -> [Int] in
                guard let place = table.columns.firstIndex(of: "quantity") else { return [] }
                return table.content.columns[place].words
                    .map { Int64(bitPattern: $0) - base }.filter { $0 >= 0 }.map { Int($0) }
            }
        }
    }

    /// Commits at a steady rate, one row each; what is late is made up for until the time is over.
    struct Pace {
        let start = ContinuousClock.now
        let interval: Duration
        let seconds: Int

        /// When so-and-so many are due; `nil` after the end.
        func due(_ count: Int) -> ContinuousClock.Instant? {
            let due = start + interval * count
            return max(due, .now) < start + .seconds(seconds) ? due : nil
        }
    }

    /// A program that writes past the hub.
    enum DirectWriter {
        /// On a thread of its own: libpq waits for the database.
        static func write(
            _ url: String, _ ledger: CommitLedger, rate: Int, seconds: Int
        ) async throws {
            try await withCheckedThrowingContinuation {
                (done: CheckedContinuation<Void, any Error>) in
                Thread {
                    done.resume(
                        with: Result {
                            let link = try PostgresLink(url)
                            let pace = Pace(interval: .seconds(1) / rate, seconds: seconds)
                            var count = 0
                            while let due = pace.due(count) {
                                let wait = ContinuousClock.now.duration(to: due) / .seconds(1)
                                if wait > 0 { Thread.sleep(forTimeInterval: wait) }
                                try link.upsert([NumberedItem.item(ledger.begin())])
                                count += 1
                            }
                        })
                }.start()
            }
        }
    }

    /// A device that pushes.
    actor PushingWriter {
        private let hub: HTTPHubConnection
        private let schema: SchemaAnswer
        private let replica = UUID().uuidString.lowercased()
        private var cursor = SyncCursor.start
        private var answered: Int64 = 0

        init(_ url: URL) async throws {
            hub = HTTPHubConnection(
                url: url, secret: ServerProcess.secret, transport: AsyncHTTPTransport())
            schema = try await hub.schema()
        }

        func write(_ ledger: CommitLedger, rate: Int, seconds: Int) async throws {
            let pace = Pace(interval: .seconds(1) / rate, seconds: seconds)
            var count = 0
            while let due = pace.due(count) {
                try await Task.sleep(until: due, clock: .continuous)
                try await push(NumberedItem.item(ledger.begin()))
                count += 1
            }
        }

        private func push(_ item: Item) async throws {
            let now = DeviceTime(.now)
            let batch = Batch(
                number: answered + 1, nonce: UUID().uuidString.lowercased(), preparedAt: now,
                tables: [Item.table],
                changes: [
                    Change(
                        table: Item.table.name, key: RowKey([.text(item.id)]),
                        operation: .insert(item.values), editedAt: now)
                ])
            let request = ExchangeRequest(
                replica: replica, hub: schema.hub, sentAt: now, tables: [Item.table],
                cursor: cursor, schemaVersion: schema.schema.version, answered: answered,
                batch: batch, limits: PageLimits())
            try await hub.exchange(request) { try await self.receive($0) }
            guard answered == batch.number else {
                throw BenchmarkFailure("The hub did not take the batch.")
            }
        }

        private func receive(_ frame: Frame) throws {
            switch frame {
            case .page(let page): cursor = page.cursor
            case .outcomes(let outcomes):
                if outcomes.outcomes.allSatisfy({ $0.kind == .applied }) {
                    answered = outcomes.number
                }
            case .error(let error): throw error
            case .welcome, .alive, .end: break
            }
        }
    }
#endif
