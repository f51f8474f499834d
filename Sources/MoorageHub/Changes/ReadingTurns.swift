import MoorageSupport

/// Lets so many tasks read at once, and the others in the order in which they came. After a commit
/// all streams of changes want to read, and exchanges of devices must not wait for all of them.
final class ReadingTurns: Sendable {
    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var free: Int
        var line: [Waiting] = []
        var numbers = 0
    }

    private let state: Locked<State>

    init(atOnce count: Int) { state = Locked(State(free: count)) }

    /// How many wait for their turn.
    var waiting: Int { state.withLock { $0.line.count } }

    /// - Throws: What the work throws; `CancellationError` if the task is cancelled while it waits.
    func take<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await work()
    }

    private func enter() async throws {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Swift.Result<Void, any Error>? in
                    // If the task is cancelled after this, the handler below finds it waiting.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.free == 0 else {
                        state.free -= 1
                        return .success(())
                    }
                    state.line.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> Waiting? in
                guard let place = state.line.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.line.remove(at: place)
            }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state -> Waiting? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.free += 1
            return nil
        }
        next?.continuation.resume()
    }
}
