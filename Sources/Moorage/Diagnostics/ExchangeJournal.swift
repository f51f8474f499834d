import Logging
import MoorageCore
import MoorageSupport
import MoorageWire

/// The last exchanges of a process, in memory, and the log of them.
///
/// The file gets them with the next page that is applied (decision 0118). So an exchange costs no
/// transaction of its own, and a process that is killed loses the last few.
final class ExchangeJournal: Sendable {
    /// How many exchanges are kept, here and in the file.
    static let capacity = 50

    /// How long records of exchanges that moved nothing may wait for the file, in milliseconds.
    fileprivate static let patience: Int64 = 60_000

    fileprivate struct State {
        var records: [ExchangeRecord] = []
        var running: [ExchangeMeasure.Figures] = []
        var nextID = 0
        /// How many records there were in all, and how many of these the file has.
        var count = 0
        var savedCount = 0
        /// How many of them were taken for the file: these stay as they are.
        var takenCount = 0
        /// Whether this process saved any.
        var hasSaved = false
        /// Whether a record that the file lacks says more than that nothing changed.
        var hasNews = false
        var savedCode: String?

        var unsaved: ArraySlice<ExchangeRecord> { records.suffix(count - savedCount) }
    }

    private let logger: Logger
    private let state = Locked(State())

    init(_ logger: Logger) { self.logger = logger }

    // MARK: Exchanges

    /// - Parameter bytes: Counts what travels; `nil` if no bytes travel.
    func begin(
        _ kind: ExchangeRecord.Kind, changes: Int = 0, at now: DeviceTime,
        counting bytes: ByteCount? = nil
    ) -> ExchangeMeasure {
        let id = state.withLock { state in
            state.nextID += 1
            state.running.append(
                ExchangeMeasure.Figures(
                    id: state.nextID, kind: kind, changes: changes, startedAt: now, bytes: bytes,
                    before: bytes?.sums ?? ByteCount.Sums()))
            return state.nextID
        }
        return ExchangeMeasure(id: id, journal: self, bytes: bytes)
    }

    func count(_ id: Int, _ change: (inout ExchangeMeasure.Figures) -> Void) {
        state.withLock { state in
            guard let place = state.running.firstIndex(where: { $0.id == id }) else { return }
            change(&state.running[place])
        }
    }

    func end(_ id: Int, at now: DeviceTime, because error: (any Error)?) {
        let code = error.map(Self.code)
        let record = state.withLock { state -> ExchangeRecord? in
            guard let place = state.running.firstIndex(where: { $0.id == id }) else { return nil }
            let record = state.running.remove(at: place).record(at: now, code: code)
            state.add(record)
            return record
        }
        if let record { log(record) }
    }

    private static func code(_ error: any Error) -> String {
        switch SyncDriver.readable(error) {
        case let error as ReplicaError: error.code.rawValue
        case is CancellationError: ExchangeRecord.cancelled
        default: "unknown"
        }
    }

    /// What the file lacks, and what is under way.
    func records(at now: DeviceTime) -> (onlyHere: [ExchangeRecord], savedCount: Int) {
        state.withLock { state in
            let running = state.running.map { $0.record(at: now, isUnderWay: true) }
            return (state.unsaved + running, state.savedCount)
        }
    }

    /// How many records the file has got.
    var savedCount: Int { state.withLock { $0.savedCount } }

    /// The file is another user's now, or empty. What is under way began before that, and gets no
    /// record.
    func forget() {
        state.withLock { state in
            state.records = []
            state.running = []
            state.savedCount = state.count
            state.hasNews = false
        }
    }

    // MARK: The file

    /// Records for the file.
    struct Unsaved {
        let records: [ExchangeRecord]
        fileprivate let count: Int
    }

    /// What a transaction that is written anyway has to save; `nil` if it may wait.
    func due(at now: DeviceTime) -> Unsaved? {
        state.withLock { state in
            state.hasNews || state.isLate(at: now) ? state.take() : nil
        }
    }

    /// What is worth a transaction of its own: the first of a process, and another failure than
    /// before.
    var overdue: Unsaved? {
        state.withLock { state in
            let isNews = !state.hasSaved || state.records.last?.code != state.savedCode
            return isNews ? state.take() : nil
        }
    }

    /// Everything that the file lacks.
    var unsaved: Unsaved? { state.withLock { $0.take() } }

    /// The transaction is committed.
    func saved(_ unsaved: Unsaved) {
        state.withLock { state in
            state.savedCount = max(state.savedCount, unsaved.count)
            state.hasSaved = true
            state.savedCode = unsaved.records.last?.code
            state.hasNews = state.unsaved.contains(where: \.isNews)
        }
    }

    // MARK: The log

    private func log(_ record: ExchangeRecord) {
        if record.kind == .compare {
            // One of perhaps thousands of pages. If the sync ends with its error, that is logged.
            logger.debug("page compared", metadata: record.metadata)
        } else if record.hasFailed {
            logger.warning("exchange failed", metadata: record.metadata)
        } else {
            logger.info("exchange", metadata: record.metadata)
        }
    }

    /// A sync ended with an error that is not of an exchange, such as that of a full disk.
    func failed(_ error: any Error) {
        let code = Self.code(error)
        if code == ExchangeRecord.cancelled { return }
        logger.warning("sync failed", metadata: ["code": "\(code)"])
    }
}

extension ExchangeJournal.State {
    fileprivate mutating func add(_ record: ExchangeRecord) {
        if count > max(savedCount, takenCount), let joined = records.last?.joined(with: record) {
            records[records.count - 1] = joined
        } else {
            if records.count == ExchangeJournal.capacity { records.removeFirst() }
            records.append(record)
            count += 1
            savedCount = max(savedCount, count - ExchangeJournal.capacity)
        }
        hasNews = hasNews || record.isNews
    }

    fileprivate func isLate(at now: DeviceTime) -> Bool {
        guard let oldest = unsaved.first else { return false }
        // After a clock was set back, nobody knows how long it has been.
        return !(0..<ExchangeJournal.patience).contains(now.milliseconds(since: oldest.start))
    }

    fileprivate mutating func take() -> ExchangeJournal.Unsaved? {
        if unsaved.isEmpty { return nil }
        takenCount = count
        return ExchangeJournal.Unsaved(records: Array(unsaved), count: count)
    }
}

extension ExchangeRecord {
    fileprivate var isNews: Bool { movedData || code != nil }

    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "kind": "\(kind.rawValue)", "milliseconds": "\(durationMilliseconds)",
            "changes": "\(changesSent)", "rows": "\(rowsReceived)", "removed": "\(rowsRemoved)",
            "pages": "\(pages)", "outcome": "\(code ?? "ok")",
        ]
        if let bytesSent { metadata["sent"] = "\(bytesSent)" }
        if let bytesReceived { metadata["received"] = "\(bytesReceived)" }
        return metadata
    }
}
