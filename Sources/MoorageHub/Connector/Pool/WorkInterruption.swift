import Foundation
import MoorageSupport

/// A connection whose running statement another thread can end. With it a ``ConnectionPool``
/// interrupts the work of tasks that are cancelled.
public protocol InterruptibleConnection: PooledConnection {
    /// That of the work that has the connection. Once it has begun, statements throw
    /// `CancellationError`, and not what the server says.
    var interruption: WorkInterruption? { get set }

    /// Makes what ends the statement that runs at the server. It is called on another thread, may
    /// wait for the network, and may come too late for the statement.
    ///
    /// - Returns: `nil` for a connection that is closed.
    func makeInterrupter() -> (@Sendable () -> Void)?
}

/// Ends the statements of work whose task was cancelled. The pool makes one for each work.
///
/// A server ignores an interruption between two statements. So this one interrupts again until the
/// work is over.
public final class WorkInterruption: Sendable {
    private struct State {
        var interrupt: (@Sendable () -> Void)?
        var isBegun = false
        var isOver = false
    }

    private static let pauses: (first: TimeInterval, longest: TimeInterval) = (0.05, 1)
    private static let stackSize = 512 * 1024

    private let state = Locked(State())

    /// One that has not begun.
    package init() {}

    /// Whether the work's task was cancelled.
    public var isBegun: Bool { state.withLock { $0.isBegun } }

    /// Whether the work is over. What runs on its connection now is not to be interrupted.
    public var isOver: Bool { state.withLock { $0.isOver } }

    /// - Throws: `CancellationError` once the interruption has begun.
    public func check() throws {
        if isBegun { throw CancellationError() }
    }

    /// Does work whose statements ``begin()`` ends. It interrupts nothing after that.
    func covering<Result>(
        _ connection: any InterruptibleConnection, _ work: () throws -> Result
    ) throws -> Result {
        connection.interruption = self
        use(connection.makeInterrupter())
        defer {
            state.withLock {
                $0.interrupt = nil
                $0.isOver = true
            }
            connection.interruption = nil
        }
        // Before this moment, nothing was there to interrupt.
        try check()
        return try work()
    }

    /// Interrupts in this way from now on: the connection was opened again.
    public func use(_ interrupt: (@Sendable () -> Void)?) {
        state.withLock { $0.interrupt = interrupt }
    }

    /// Interrupts what runs, now and again, until the work is over. Returns at once.
    func begin() {
        let isFirst = state.withLock { state in
            defer { if !state.isOver { state.isBegun = true } }
            return !state.isOver && !state.isBegun && state.interrupt != nil
        }
        guard isFirst else { return }
        let thread = Thread { [self] in
            var pause = Self.pauses.first
            while let interrupt = state.withLock({ $0.interrupt }) {
                interrupt()
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
        thread.stackSize = Self.stackSize
        thread.name = "moorage-interrupt"
        thread.start()
    }
}
