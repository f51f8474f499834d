import Foundation

/// Numbered work on several threads. The results are the same on any number of threads.
enum Threads {
    /// Runs one piece of work on a thread of its own. On a thread that tasks share, it would block
    /// all of them, such as those of a server beside it.
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            _ = Worker { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    /// - Parameters:
    ///   - work: Called once for each number from 0 on.
    ///   - progress: Called with how many are done, from any thread.
    static func map<Result: Sendable>(
        _ count: Int, threads: Int, progress: @escaping @Sendable (Int) -> Void = { _ in },
        work: @escaping @Sendable (Int) -> Result
    ) -> [Result] {
        let results = Results<Result>(count: count)
        let workers = (0..<max(1, threads)).map { _ in
            Worker {
                while let index = results.next() { progress(results.put(work(index), at: index)) }
            }
        }
        for worker in workers { worker.join() }
        return results.all
    }
}

/// Results by index, whichever thread makes them.
///
/// `@unchecked`: all access is under the lock.
private final class Results<Result: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result?]
    private var given = 0
    private var done = 0

    init(count: Int) { results = Array(repeating: nil, count: count) }

    func next() -> Int? {
        lock.withLock {
            guard given < results.count else { return nil }
            given += 1
            return given - 1
        }
    }

    func put(_ result: Result, at index: Int) -> Int {
        lock.withLock {
            results[index] = result
            done += 1
            return done
        }
    }

    var all: [Result] { lock.withLock { results.compactMap { $0 } } }
}

/// A thread of its own that others can wait for.
private final class Worker: Sendable {
    private let end = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread { [end] in
            work()
            end.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    func join() { end.wait() }
}
