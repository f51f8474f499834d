import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `The life cycle of an app` {
    private typealias Order = LifeCycleMachine.Order

    private func orders(_ events: LifeCycleMachine.Event...) -> [Order] {
        var machine = LifeCycleMachine()
        return events.reduce([]) { _, event in machine.proceed(event) }
    }

    @Test func `in front, the loop runs`() {
        #expect(orders(.enteredForeground) == [.run])
        // A loop that has ended by itself starts again. Starting one that runs does nothing.
        #expect(orders(.enteredForeground, .enteredForeground) == [.run])
    }

    @Test func `in the background, it sends, closes the file, and lets the system go on`() {
        var machine = LifeCycleMachine()
        _ = machine.proceed(.enteredForeground)
        #expect(machine.proceed(.enteredBackground(task: 1)) == [.exchange(1, .push), .pause])
        #expect(machine.proceed(.paused) == [])
        #expect(machine.proceed(.finished(1, .newData)) == [.close, .end(1, .newData)])
        #expect(machine.proceed(.begin(2, .pull)) == [.open, .exchange(2, .pull)])
        #expect(machine.proceed(.finished(2, .noData)) == [.close, .end(2, .noData)])
        #expect(machine.proceed(.enteredForeground) == [.open, .run])
    }

    @Test func `the end of its time ends the work, and then does not wait for it`() {
        var machine = LifeCycleMachine()
        _ = machine.proceed(.enteredForeground)
        _ = machine.proceed(.enteredBackground(task: 1))
        #expect(machine.proceed(.deadline(1)) == [.cancel(1)])
        #expect(machine.proceed(.limit(1)) == [.close, .end(1, .failed)])
        #expect(machine.proceed(.paused) == [])
        #expect(machine.proceed(.finished(1, .failed)) == [])
        #expect(machine.taskCount == 0)
    }

    @Test func `without time, it closes the file at once`() {
        #expect(orders(.enteredForeground, .enteredBackground(task: nil)) == [.pause, .close])
    }

    @Test func `an app that comes back at once can write at once`() {
        var machine = LifeCycleMachine()
        _ = machine.proceed(.enteredForeground)
        #expect(machine.proceed(.enteredBackground(task: nil)) == [.pause, .close])
        #expect(machine.proceed(.enteredForeground) == [.open])
        #expect(machine.proceed(.paused) == [.run])
    }

    @Test func `an app that comes back goes on`() {
        var machine = LifeCycleMachine()
        _ = machine.proceed(.enteredForeground)
        _ = machine.proceed(.enteredBackground(task: 1))
        #expect(machine.proceed(.enteredForeground) == [])
        #expect(machine.proceed(.paused) == [.run])
        #expect(machine.proceed(.finished(1, .newData)) == [.end(1, .newData)])
    }

    @Test func `without a network, no time is spent on sending`() {
        #expect(
            orders(.enteredForeground, .network(.none), .enteredBackground(task: 1)) == [.pause])
        #expect(orders(.network(.none), .enteredBackground(task: 1)) == [.close, .end(1, .failed)])
        // A push notification has come over some network.
        #expect(orders(.network(.none), .begin(1, .pull)) == [.exchange(1, .pull)])
        #expect(orders(.enteredForeground, .network(.none)) == [])
        #expect(orders(.enteredForeground, .network(.none), .network(.constrained)) == [.wake])
    }

    @Test func `data is saved in the background alone`() {
        #expect(orders(.network(.constrained), .begin(1, .pull)) == [.exchange(1, .push)])
        #expect(
            orders(.network(.constrained), .enteredForeground, .begin(1, .pull))
                == [.exchange(1, .pull)])
    }

    @Test func `a file that cannot be read is left alone`() {
        var machine = LifeCycleMachine()
        _ = machine.proceed(.enteredForeground)
        _ = machine.proceed(.begin(1, .pull))
        #expect(machine.proceed(.protectedData(isAvailable: false)) == [.cancel(1), .pause])
        #expect(machine.proceed(.finished(1, .failed)) == [])
        #expect(machine.proceed(.paused) == [.close, .end(1, .failed)])
        #expect(machine.proceed(.begin(2, .pull)) == [.end(2, .failed)])
        #expect(machine.proceed(.memoryIsLow) == [])
        #expect(machine.proceed(.protectedData(isAvailable: true)) == [.open, .run])
    }

    @Test func `an app that was launched in the background keeps its file`() {
        #expect(orders(.network(.constrained), .memoryIsLow) == [.releaseMemory])
    }

    @Test(arguments: 0..<100)
    func `no history breaks a rule`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var history = LifeCycleHistory(seed: seed)
            history.run(steps: 60)
            if !history.violations.isEmpty {
                Issue.record("seed \(seed): \(history.violations.joined(separator: "; "))")
                return
            }
        }
    }

    @Test func `the histories meet what they are about`() {
        var met: Set<String> = []
        for seed in 0..<300 as Range<UInt64> {
            var history = LifeCycleHistory(seed: seed)
            history.run(steps: 60)
            met.formUnion(history.met)
        }
        #expect(
            met == [
                "open", "close", "run", "pause", "wake", "exchange push", "exchange pull", "cancel",
                "end newData", "end noData", "end failed", "releaseMemory", "limit in background",
                "close while pausing",
            ])
    }
}
