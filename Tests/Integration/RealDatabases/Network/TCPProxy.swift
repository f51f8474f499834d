import Foundation

/// A TCP proxy on the loopback that loses, pauses and delays what goes through it.
///
/// It buffers no more than one piece for each direction of each connection, so a paused sender
/// blocks.
final class TCPProxy: @unchecked Sendable {
    // `@unchecked`: the gate's lock guards what can change.
    enum Direction: String, CaseIterable, Sendable {
        /// From the client to the server.
        case up
        case down
    }

    enum Fault: Sendable {
        /// Resets every connection.
        case cut
        /// Resets every connection after so many more bytes went one way in all.
        case cutAfter(bytes: Int, Direction)
        /// Passes nothing on one way until ``heal()``.
        case pause(Direction)
        /// Loses the bytes of one way. ``heal()`` resets the connections that lost some.
        case drop(Direction)
        /// Delays each piece.
        case delay(milliseconds: Int)
        /// Ends the stream of one way. The other way goes on.
        case halfClose(Direction)
    }

    static let maximumConnections = 200

    private let listener: Socket
    private let gate = NSCondition()
    private var targets: [Int] = []
    private var turn = 0
    private var connections: [ObjectIdentifier: ProxyConnection] = [:]
    private var isClosed = false
    private var paused: Set<Direction> = []
    private var dropped: Set<Direction> = []
    private var delay = 0
    private var budget: [Direction: Int] = [:]
    private var breaks = 0

    init() throws {
        listener = try Socket.listening()
        Self.inThread { [weak self, listener] in
            while self?.isOpen == true {
                if let client = listener.accepted() { self?.accept(client) }
            }
        }
    }

    /// How often a fault met a connection.
    var broken: Int { gate.withLock { breaks } }
    /// Whether a connection that still exists has lost bytes.
    var hasLost: Bool { gate.withLock { connections.values.contains { $0.hasLost } } }
    var url: String { "http://127.0.0.1:\(listener.port)" }
    private var isOpen: Bool { gate.withLock { !isClosed } }

    /// Sends new connections to these ports in turn, and skips ports where nobody listens.
    func lead(to ports: [Int]) { gate.withLock { targets = ports } }

    static func inThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 256 << 10
        thread.start()
    }

    private func accept(_ client: Socket) {
        let ports = gate.withLock {
            turn += 1
            return targets.indices.map { targets[($0 + turn) % targets.count] }
        }
        for port in ports {
            guard let server = try? Socket.connected(to: port) else { continue }
            let connection = ProxyConnection(proxy: self, client: client, server: server)
            let isAccepted = gate.withLock {
                guard !isClosed, connections.count < Self.maximumConnections else { return false }
                connections[ObjectIdentifier(connection)] = connection
                return true
            }
            if isAccepted { connection.start() }
            return
        }
        // Nobody listens, so the client's connection is reset at once.
        client.breakOff()
    }

    // MARK: Faults

    func inject(_ fault: Fault) {
        gate.withLock {
            switch fault {
            case .cut: breakAll()
            case .cutAfter(let bytes, let direction): budget[direction] = bytes
            case .pause(let direction): paused.insert(direction)
            case .drop(let direction): dropped.insert(direction)
            case .delay(let milliseconds): delay = milliseconds
            case .halfClose(let direction):
                for connection in connections.values { connection.halfClose(direction) }
                breaks += connections.count
            }
        }
    }

    /// Ends every fault.
    func heal() {
        gate.withLock {
            paused = []
            dropped = []
            delay = 0
            budget = [:]
            for connection in connections.values where connection.hasLost {
                connection.breakOff()
                breaks += 1
            }
            gate.broadcast()
        }
    }

    func close() {
        gate.withLock {
            isClosed = true
            breakAll()
            gate.broadcast()
        }
    }

    private func breakAll() {
        breaks += connections.count
        for connection in connections.values { connection.breakOff() }
    }

    // MARK: For the connections

    enum Verdict {
        case pass(delay: Int)
        case swallow
        /// Sends so many bytes of the piece, and then resets every connection.
        case breakAfter(Int)
    }

    /// Keeps a piece as long as its way is paused.
    func verdict(_ bytes: Int, _ direction: Direction) -> Verdict {
        gate.withLock {
            while paused.contains(direction), !isClosed { gate.wait() }
            if dropped.contains(direction) { return .swallow }
            if let rest = budget[direction] {
                guard bytes < rest else {
                    budget[direction] = nil
                    return .breakAfter(rest)
                }
                budget[direction] = rest - bytes
            }
            return .pass(delay: delay)
        }
    }

    func breakNow() { gate.withLock { breakAll() } }

    func ended(_ connection: ProxyConnection) {
        gate.withLock { connections[ObjectIdentifier(connection)] = nil }
    }
}

/// One connection through the proxy, with a thread for each way.
final class ProxyConnection: @unchecked Sendable {
    // `@unchecked`: the lock guards what can change.
    private static let bufferBytes = 16 << 10
    private let proxy: TCPProxy
    private let client: Socket
    private let server: Socket
    private let lock = NSLock()
    private var running = 2
    private var lost = false
    private var isBroken = false

    init(proxy: TCPProxy, client: Socket, server: Socket) {
        self.proxy = proxy
        self.client = client
        self.server = server
    }

    var hasLost: Bool { lock.withLock { lost } }

    func start() {
        for direction in TCPProxy.Direction.allCases {
            TCPProxy.inThread { [self] in
                pump(direction)
                let isLast = lock.withLock {
                    running -= 1
                    return running == 0
                }
                if isLast { proxy.ended(self) }
            }
        }
    }

    func breakOff() {
        lock.withLock { isBroken = true }
        client.breakOff()
        server.breakOff()
    }

    func halfClose(_ direction: TCPProxy.Direction) {
        (direction == .up ? server : client).finishSending()
    }

    private func pump(_ direction: TCPProxy.Direction) {
        let (source, sink) = direction == .up ? (client, server) : (server, client)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bufferBytes, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = source.receive(buffer)
            guard count > 0 else {
                // The proxy passes on the end of a stream. After a break, the reset alone reports
                // it.
                if !lock.withLock({ isBroken }) { sink.finishSending() }
                return
            }
            switch proxy.verdict(count, direction) {
            case .pass(let delay):
                if delay > 0 { Thread.sleep(forTimeInterval: Double(delay) / 1_000) }
                let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                guard sink.sendAll(piece) else { return breakOff() }
            case .swallow: lock.withLock { lost = true }
            case .breakAfter(let rest):
                _ = sink.sendAll(UnsafeRawBufferPointer(rebasing: buffer[..<min(rest, count)]))
                return proxy.breakNow()
            }
        }
    }
}
