import Foundation
import Moorage
import MoorageCore
import MoorageWire

#if Server
    /// Live streams, each over a connection of its own.
    final class OpenStreams: Sendable {
        private let pages = PageCount()
        private let tasks: [Task<Void, any Error>]
        let count: Int

        /// - Parameter openings: What each asks, and how it comes.
        init(_ openings: [(request: ExchangeRequest, hub: HTTPHubConnection)]) {
            count = openings.count
            tasks = openings.map { [pages] opening in
                Task {
                    try await opening.hub.exchange(opening.request) { frame in
                        switch frame {
                        case .page: await pages.add()
                        case .error(let error): throw error
                        case .welcome, .outcomes, .alive, .end: break
                        }
                    }
                }
            }
        }

        /// Until so many pages more than those of the last time have come.
        func waitForPages(_ count: Int) async throws {
            for _ in 0..<6_000 {
                if await pages.consume(count) { return }
                try await Task.sleep(for: .milliseconds(5))
            }
            throw BenchmarkFailure("Only \(await pages.count) of \(count) pages came.")
        }

        func close() async {
            for task in tasks { task.cancel() }
            // Each ends with the cancelling; what else there was showed in missing pages.
            for task in tasks { _ = await task.result }
        }
    }

    private actor PageCount {
        private(set) var count = 0

        func add() { count += 1 }

        func consume(_ expected: Int) -> Bool {
            guard count >= expected else { return false }
            count -= expected
            return true
        }
    }
#endif
