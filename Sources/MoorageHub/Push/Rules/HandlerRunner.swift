import Dispatch
import Foundation
import MoorageCore
import MoorageSupport

/// Runs the owner's handlers, each call on a thread of its own and for a limited time.
///
/// Nobody can end a thread from outside. An overdue call goes on, and its handler is not asked
/// again until it has returned. So a handler that never returns costs one thread for each push that
/// was waiting for it at the time.
final class HandlerRunner: Sendable {
    /// How many calls of a handler are overdue.
    private let overdue = Locked<[MergeHandler: Int]>([:])

    func ask(_ handler: MergeHandler, _ question: MergeQuestion) -> MergeAnswer {
        if overdue.withLock({ $0[handler] != nil }) {
            return MergeAnswer.handlerStillRunning(handler.name)
        }
        let call = Call()
        Thread.detachNewThread { [overdue] in
            let answer: MergeAnswer
            do {
                answer = try handler.decide(question)
            } catch {
                // The error may contain values; it is for the handler's own log.
                answer = MergeAnswer.handlerFailed(handler.name, with: error)
            }
            guard call.finish(answer) else { return }
            overdue.withLock { calls in
                calls[handler, default: 1] -= 1
                if calls[handler] == 0 { calls[handler] = nil }
            }
        }
        if let answer = call.wait(for: handler.timeLimit) { return answer }
        return overdue.withLock { calls in
            // It may have returned in this very moment.
            if let answer = call.abandon() { return answer }
            calls[handler, default: 0] += 1
            return MergeAnswer.tookTooLong(handler.name, limit: handler.timeLimit)
        }
    }
}

/// One call of a handler.
private final class Call: Sendable {
    private struct State {
        var answer: MergeAnswer?
        var isAbandoned = false
    }

    private let state = Locked(State())
    private let isDone = DispatchSemaphore(value: 0)

    /// - Returns: Whether nobody waits for the answer any more.
    func finish(_ answer: MergeAnswer) -> Bool {
        defer { isDone.signal() }
        return state.withLock { state in
            state.answer = answer
            return state.isAbandoned
        }
    }

    func wait(for limit: Duration) -> MergeAnswer? {
        let parts = limit.components
        let nanoseconds =
            min(parts.seconds, 3600) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        _ = isDone.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
        return state.withLock { $0.answer }
    }

    /// - Returns: The answer, if it came after all. Otherwise nobody waits from here on.
    func abandon() -> MergeAnswer? {
        state.withLock { state in
            state.isAbandoned = state.answer == nil
            return state.answer
        }
    }
}
