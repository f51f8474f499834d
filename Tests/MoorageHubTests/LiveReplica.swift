import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// The way to a hub, with faults of the way; and how many exchanges are under way on it.
final class LiveWay: HubConnection {
    enum Fault: Sendable {
        case none
        /// Nothing comes any more over a live stream, and it does not end.
        case silent
        /// An answer that is to stay open cannot be had.
        case noLive
        /// The other side does not know such requests.
        case unknown
    }

    let hub: Hub
    let fault = Box(Fault.none)
    let underWay = Box(0)
    let live = Box(0)
    let plain = Box(0)

    init(_ hub: Hub) { self.hub = hub }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        underWay.change { $0 += 1 }
        defer { underWay.change { $0 -= 1 } }
        (request.isLive ? live : plain).change { $0 += 1 }
        if request.isLive {
            switch fault.value {
            case .noLive: throw HubError(.unreachable, "The way is broken.")
            case .unknown: throw HubError(.malformed, "A member that is not known.")
            case .none, .silent: break
            }
        }
        let isOpen = Box(false)
        try await hub.exchange(request) { [fault] frame in
            if isOpen.value, fault.value == .silent {
                try await Task.sleep(for: .seconds(3_600))
            }
            if request.isLive, case .page(let page) = frame, page.isCaughtUp {
                isOpen.value = true
            }
            try await receive(frame)
        }
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }
    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}

/// A replica in memory whose loop does nothing by interval.
struct LiveReplica: Sendable {
    let replica: Replica
    let file: DatabaseQueue
    let way: LiveWay

    init(_ hub: Hub, _ change: (inout ReplicaOptions) -> Void = { _ in }) async throws {
        way = LiveWay(hub)
        file = try DatabaseQueue()
        var options = ReplicaOptions()
        // Far away, so that nothing comes by interval, unless a test says otherwise.
        options.pullInterval = .seconds(3_600)
        options.pushDelay = .milliseconds(1)
        options.firstRetryDelay = .milliseconds(5)
        options.maximumRetryDelay = .milliseconds(20)
        change(&options)
        replica = try await Replica.clone(
            into: file, from: .direct(way), tables: ["note"], options: options)
    }

    func notes() async throws -> [Int64: String] {
        try await file.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT id, text FROM note")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        }
    }

    func write(_ sql: String) async throws {
        try await file.write { try $0.execute(sql: sql) }
    }

    var isLive: Bool { replica.status.isLive }
}
