import Foundation
public import Testing

/// Threads for tests that wait in synchronous code: for a database, a child process, a socket.
///
/// Swift runs all tasks of a process on as many threads as there are processors, two in CI. A test
/// that waits there without suspending takes one thread away from every other test. The timers and
/// requests of those tests then wait. Here each job gets a thread that is free, or a new one.
///
/// `@unchecked Sendable`: the state is used only inside the condition's lock.
final class TestThreads: TaskExecutor, @unchecked Sendable {
    static let shared = TestThreads()

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var idle = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        defer { condition.unlock() }
        jobs.append(job)
        // Each job that still waits needs an idle thread of its own.
        if idle < jobs.count {
            let thread = Thread { self.run() }
            thread.name = "test"
            // As large as the main thread's: tests recurse deeper than the pool's 512 kB allow.
            thread.stackSize = 8 << 20
            thread.start()
        } else {
            condition.signal()
        }
    }

    private func run() {
        condition.lock()
        while true {
            while jobs.isEmpty {
                idle += 1
                condition.wait()
                idle -= 1
            }
            let job = jobs.removeFirst()
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
            condition.lock()
        }
    }
}

/// Runs each test of a suite, and the tasks below it, on threads that may wait.
///
/// A test that does not end fails as one that hangs, and ends the process.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// When a test counts as one that hangs; `nil` in the night, whose parts have limits of their
    /// own.
    private let limit: Duration?

    /// - Parameter limit: Another limit than the usual one.
    public init(limit: Duration? = nil) {
        let isNight = ProcessInfo.processInfo.environment["MOORAGE_MINUTES"] != nil
        self.limit = limit ?? (isNight ? nil : Hang.testLimit)
    }

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return try await function()
        }
        let watch = limit.map { limit in
            Task {
                try await Task.sleep(for: limit)
                Issue.record(Hang(what: "the end of \(test.name)", after: limit))
                // The report is written. Then the process ends, because nobody can end a thread
                // that waits.
                try await Task.sleep(for: .seconds(1))
                exit(70)
            }
        }
        defer { watch?.cancel() }
        try await withTaskExecutorPreference(TestThreads.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// The tests run on threads of their own, never on Swift's: every suite has it.
    public static var ownThreads: Self { OwnThreads() }
}
