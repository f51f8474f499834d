import Foundation
import Moorage
import MoorageAsyncHTTP
import MoorageCore
import MoorageSupport
import MoorageWire

#if Server
    /// A device that only listens: a live stream, and another one where it ended, over a
    /// connection of its own.
    actor FollowingStream {
        private let hub: HTTPHubConnection
        private let schema: SchemaAnswer
        private let ledger: CommitLedger
        private let replica = UUID().uuidString.lowercased()
        private var cursor = SyncCursor.start
        /// Whether each commit's row has come, by its number.
        private var seen: [Bool] = []
        private(set) var isOpen = false
        /// Answers that ended, in order or not.
        private(set) var endings = 0
        private(set) var failures: [String: Int] = [:]
        private(set) var repeated = 0

        init(_ url: URL, _ schema: SchemaAnswer, _ ledger: CommitLedger) {
            hub = HTTPHubConnection(
                url: url, secret: ServerProcess.secret, transport: AsyncHTTPTransport())
            self.schema = schema
            self.ledger = ledger
        }

        func follow() async {
            while !Task.isCancelled {
                let request = ExchangeRequest(
                    replica: replica, hub: schema.hub,
                    sentAt: DeviceTime(.now), tables: [Item.table],
                    cursor: cursor, schemaVersion: schema.schema.version, batch: nil,
                    limits: PageLimits())
                do {
                    try await hub.exchange(request.live) { try await self.receive($0) }
                    if !Task.isCancelled { endings += 1 }
                } catch {
                    if Task.isCancelled { return }
                    let code = (error as? HubError)?.code.rawValue ?? "\(type(of: error))"
                    failures[code, default: 0] += 1
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }

        func missing(of commits: Int) -> Int {
            commits - seen.prefix(commits).count(where: { $0 })
        }

        private func receive(_ frame: Frame) throws {
            switch frame {
            case .page(let page):
                cursor = page.cursor
                if page.isCaughtUp { isOpen = true }
                let numbers = NumberedItem.numbers(in: page)
                let new = numbers.filter { record($0) }
                repeated += numbers.count - new.count
                ledger.arrived(new)
            case .error(let error): throw error
            case .welcome, .outcomes, .alive, .end: break
            }
        }

        /// - Returns: Whether it came for the first time.
        private func record(_ number: Int) -> Bool {
            while seen.count <= number { seen.append(false) }
            defer { seen[number] = true }
            return !seen[number]
        }
    }
#endif
