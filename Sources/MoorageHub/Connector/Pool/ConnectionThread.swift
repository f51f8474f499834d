import Foundation

/// One OS thread with its one connection. It waits for the database's client library, so that no
/// thread that Swift's tasks share has to.
///
/// The thread starts with its first job and ends with ``stop()``.
final class ConnectionThread<Connection: PooledConnection>: @unchecked Sendable {
    // `jobs`, `isStarted` and `isStopped` are used only while `condition` is locked. Only the
    // thread itself uses `connection`.
    private let condition = NSCondition()
    private var jobs: [@Sendable (inout Connection?) -> Void] = []
    private var isStarted = false
    private var isStopped = false
    private var connection: Connection?

    static var stackSize: Int { 512 * 1024 }

    /// Runs the job after those before it; the job owns the connection's place and may open or
    /// close it.
    ///
    /// - Returns: Whether it will run: not after ``stop()``.
    func enqueue(_ job: @escaping @Sendable (inout Connection?) -> Void) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        guard !isStopped else { return false }
        jobs.append(job)
        if isStarted {
            condition.signal()
        } else {
            isStarted = true
            let thread = Thread { [self] in work() }
            thread.stackSize = Self.stackSize
            thread.name = "moorage-database"
            thread.start()
        }
        return true
    }

    /// Ends the thread and its connection when the jobs so far are done.
    func stop() {
        condition.lock()
        isStopped = true
        condition.signal()
        condition.unlock()
    }

    private func work() {
        while let job = next() { job(&connection) }
        connection?.close()
        connection = nil
    }

    private func next() -> (@Sendable (inout Connection?) -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            if isStopped { return nil }
            condition.wait()
        }
        return jobs.removeFirst()
    }
}
