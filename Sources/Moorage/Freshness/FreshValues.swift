import GRDB
import MoorageSupport

/// Values of a query, each with its freshness: see ``Replica/values(_:within:)``.
public struct FreshValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Fresh<Value>

    private let replica: Replica
    private let limit: Duration
    private let regions: @Sendable () -> [any DatabaseRegionConvertible]
    private let fetch: @Sendable (Database) throws -> Value

    init(
        _ replica: Replica, within limit: Duration,
        regions: @escaping @Sendable () -> [any DatabaseRegionConvertible],
        fetch: @escaping @Sendable (Database) throws -> Value
    ) {
        self.replica = replica
        self.limit = limit
        self.regions = regions
        self.fetch = fetch
    }

    /// Reads, and asks the hub. Each iterator asks once.
    public func makeAsyncIterator() -> AsyncThrowingStream<Fresh<Value>, any Error>.Iterator {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    try await follow { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
        .makeAsyncIterator()
    }

    private func follow(_ yield: @escaping @Sendable (Fresh<Value>) -> Void) async throws {
        let news = News()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await followRows(news) } catch { news.fail(error) }
            }
            group.addTask { await followStatus(news) }
            group.addTask { await ask(news) }
            defer { group.cancelAll() }
            var last: Freshness?
            var first: FileAge?
            for try await _ in news.stream {
                let hasNewRows = news.takeRows()
                let asked = news.asked
                // Read before the file, so that the rows are never older than it says.
                let status = replica.status
                let (age, element) = try await read { [last, first] age in
                    let freshness = Freshness(
                        status, age, asked: asked,
                        isAnswered: first.map { $0.caughtUp != age.caughtUp } ?? false)
                    return hasNewRows || freshness != last ? freshness : nil
                }
                if first == nil { first = age }
                guard let element else { continue }
                last = element.freshness
                yield(element)
            }
        }
    }

    /// Reads the rows together with what the file says of their age.
    ///
    /// - Parameter freshness: Decides how fresh they are; `nil` where nobody needs them.
    private func read(
        _ freshness: @escaping @Sendable (FileAge) -> Freshness?
    ) async throws -> (FileAge, Fresh<Value>?) {
        let suspended = replica.status.suspendedTables.map(\.name)
        return try await Self.retryingBusy { [replica, regions, fetch] in
            try await replica.store.readingPlainly(replica.database) { db, store in
                var age = FileAge()
                age.caughtUp = try store.caughtUp(db)?.hub
                age.hasUnanswered = try store.hasUnanswered(db)
                age.isSuspended =
                    try !suspended.isEmpty
                    && regions().contains { region in
                        let region = try region.databaseRegion(db)
                        return suspended.contains {
                            region.isModified(byEventsOfKind: .insert(tableName: $0))
                        }
                    }
                guard let freshness = freshness(age) else { return (age, nil) }
                return (age, Fresh(try fetch(db), freshness))
            }
        }
    }

    /// Tells of each commit that changes what is read, also of those that pages bring.
    private func followRows(_ news: News) async throws {
        try await Self.retryingBusy { [regions] in
            let observation = ValueObservation.tracking(regions: regions()) { _ in () }
            for try await _ in observation.values(
                in: replica.database, bufferingPolicy: .bufferingNewest(1))
            {
                news.tellRows()
            }
        }
    }

    private func followStatus(_ news: News) async {
        for await _ in replica.statuses() { news.tell() }
    }

    private func ask(_ news: News) async {
        do {
            try await replica.catchUp(within: limit)
            news.tell(.answered)
        } catch {
            news.tell(.failed(with: error))
        }
    }

    /// Failures that pass by themselves: another process has locked the file for a moment, or the
    /// app's database is suspended in the background.
    private static var passing: [ResultCode] {
        [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT, .SQLITE_ABORT]
    }

    /// An observation that ended for such a failure would leave a screen without rows.
    private static func retryingBusy<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        while true {
            do {
                return try await body()
            } catch let error as DatabaseError
                where Self.passing.contains(error.resultCode)
            {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}

/// What a sequence has to look at again.
private final class News: Sendable {
    private struct State {
        var hasRows = true
        var asked = AskedHub.waiting
    }
    private let state = Locked(State())
    private let continuation: AsyncThrowingStream<Void, any Error>.Continuation
    let stream: AsyncThrowingStream<Void, any Error>

    init() {
        (stream, continuation) = AsyncThrowingStream.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
    }

    var asked: AskedHub { state.withLock { $0.asked } }

    /// Whether rows may have changed since the last call.
    func takeRows() -> Bool {
        state.withLock { state in
            defer { state.hasRows = false }
            return state.hasRows
        }
    }

    /// What followed the rows has ended with an error.
    func fail(_ error: any Error) { continuation.finish(throwing: error) }

    func tell() { continuation.yield() }

    func tell(_ asked: AskedHub) {
        state.withLock { if $0.asked == .waiting { $0.asked = asked } }
        continuation.yield()
    }

    func tellRows() {
        state.withLock { $0.hasRows = true }
        continuation.yield()
    }
}
