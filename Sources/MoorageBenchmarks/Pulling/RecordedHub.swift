import MoorageCore
import MoorageHub
import MoorageWire
import Synchronization

/// Asks a hub for all that a replica misses before it is measured, and hands it on from memory then: what
/// is left is the replica's own work.
final class RecordedHub: HubConnection {
    private let hub: Hub
    private let isRecording = Mutex(false)
    private let answers = Mutex<[[Frame]]>([])

    init(_ hub: Hub) { self.hub = hub }

    private struct Recorded: Error {}

    /// Lets a replica ask, and answers it with a failure: the next sync is answered from memory.
    func record(_ sync: () async throws -> Void) async throws {
        isRecording.withLock { $0 = true }
        defer { isRecording.withLock { $0 = false } }
        do {
            try await sync()
        } catch {
            guard answers.withLock({ !$0.isEmpty }) else { throw error }
        }
    }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        if isRecording.withLock({ $0 }) {
            let recorded = try Self.everything(request, hub)
            answers.withLock { $0 = recorded.reversed() }
            throw Recorded()
        }
        guard let frames = answers.withLock({ $0.popLast() }) else {
            return try await hub.exchange(request, receive: receive)
        }
        for frame in frames { try await receive(frame) }
    }

    /// The answers of one exchange after the other, until the replica is caught up.
    private static func everything(_ first: ExchangeRequest, _ hub: Hub) throws -> [[Frame]] {
        var request = first
        var answers: [[Frame]] = []
        while true {
            var frames: [Frame] = []
            var isCaughtUp = false
            let current = request
            try hub.exchange(current) { frame in
                frames.append(frame)
                guard case .page(let page) = frame else { return }
                isCaughtUp = page.isCaughtUp
                request = ExchangeRequest(
                    replica: first.replica, hub: first.hub, sentAt: first.sentAt,
                    tables: first.tables, cursor: page.cursor, schemaVersion: first.schemaVersion,
                    batch: nil, limits: first.limits)
            }
            answers.append(frames)
            if isCaughtUp { return answers }
        }
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}
