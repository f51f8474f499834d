import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// A replica of a real hub with a live stream, on a clock that only the test moves.
struct LiveNotes {
    let central: SQLiteDatabase
    let hub: Hub
    let way: Way
    let file: DatabaseQueue
    let clock = ManualClock()
    let log = LogLines()
    let replica: Replica

    init() async throws {
        central = try SQLiteDatabase()
        try central.execute("CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT)")
        hub = Hub(database: central)
        _ = try await hub.attach(tables: ["note"])
        way = Way(hub)
        file = try DatabaseQueue()
        var options = ReplicaOptions()
        options.pullInterval = .seconds(3_600)
        options.pushDelay = .milliseconds(200)
        options.logger = log.logger
        replica = try await Replica.clone(
            into: file, from: .direct(way), tables: ["note"], options: options, clock: clock)
        await replica.start()
        try await eventually("it is live") { isLive }
    }

    var isLive: Bool { replica.status.isLive }

    func commit(_ id: Int) async throws {
        try await file.write {
            try $0.execute(sql: "INSERT INTO note VALUES (?, 'n')", arguments: [id])
        }
    }

    /// The notes that have arrived here.
    func ids() async throws -> [Int] {
        try await file.read { try Int.fetchAll($0, sql: "SELECT id FROM note ORDER BY id") }
    }

    /// Waits until the replica knows of a commit, and moves the clock to its push.
    func advanceToPush() async throws {
        try await clock.sleeping(.milliseconds(1) ... .milliseconds(200))
        clock.advance(.milliseconds(200))
    }

    /// Waits a moment, in which a wrong implementation would push the last commit.
    func pause() async throws { try await Task.sleep(for: .milliseconds(30)) }

    func stop() async {
        await replica.stop()
        #expect(way.underWay == 0)
        #expect(hub.liveFigures.streams == 0)
        #expect(clock.sleeperCount == 0)
    }
}

extension LiveNotes {
    /// Counts the running exchanges, keeps the batches that were sent, and has faults.
    final class Way: HubConnection {
        enum Fault {
            case none
            /// Nothing more arrives over a live stream, and it does not end.
            case silent
            /// The next frame of a live stream is its end, once.
            case ends
        }

        private struct State {
            var sent: [Batch] = []
            var running = 0
            var begun = 0
            var fault = Fault.none
            var delayed = 0
        }

        private struct EndOfAnswer: Error {}

        private let hub: Hub
        private let state = Locked(State())

        init(_ hub: Hub) { self.hub = hub }

        var batches: [Batch] { state.withLock { $0.sent } }
        var exchanges: Int { state.withLock { $0.begun } }
        var underWay: Int { state.withLock { $0.running } }
        /// How many frames a silent way kept.
        var delayed: Int { state.withLock { $0.delayed } }

        func set(_ fault: Fault) { state.withLock { $0.fault = fault } }

        func exchange(
            _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            state.withLock { state in
                state.running += 1
                state.begun += 1
                if let batch = request.batch { state.sent.append(batch) }
            }
            defer { state.withLock { $0.running -= 1 } }
            let isOpen = Locked(false)
            do {
                try await hub.exchange(request) { frame in
                    if isOpen.withLock({ $0 }) { try await self.suffer(receive) }
                    if request.isLive, case .page(let page) = frame, page.isCaughtUp {
                        isOpen.withLock { $0 = true }
                    }
                    try await receive(frame)
                }
            } catch is EndOfAnswer {}
        }

        private func suffer(_ receive: @Sendable (Frame) async throws -> Void) async throws {
            let fault = state.withLock { state in
                defer { if case .ends = state.fault { state.fault = .none } }
                if case .silent = state.fault { state.delayed += 1 }
                return state.fault
            }
            switch fault {
            case .none: break
            case .silent: try await Task.sleep(for: .seconds(3_600))
            case .ends:
                try await receive(.end(End(hasMore: false)))
                throw EndOfAnswer()
            }
        }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }
        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }
}
