import MoorageCore
import MoorageSupport
import MoorageWire

/// One exchange while it lasts. Its figures are in the journal, under the journal's one lock: an
/// exchange that has nothing to do must not pay for a lock of its own.
struct ExchangeMeasure: Sendable {
    let id: Int
    let journal: ExchangeJournal
    /// `nil` where no bytes travel.
    let bytes: ByteCount?

    func applied(_ result: ApplyResult) {
        journal.count(id) { figures in
            figures.pages += 1
            figures.rowsReceived += result.rowsWritten
            figures.rowsRemoved += result.rowsRemoved
        }
    }

    /// A page of the hub was compared.
    func compared() { journal.count(id) { $0.pages += 1 } }

    /// - Parameter error: Why it failed; `nil` if it went well.
    func end(at now: DeviceTime, because error: (any Error)? = nil) {
        journal.end(id, at: now, because: error)
    }

    /// What an exchange has done so far.
    struct Figures {
        let id: Int
        let kind: ExchangeRecord.Kind
        let changes: Int
        let startedAt: DeviceTime
        let bytes: ByteCount?
        /// What had travelled before: a live stream goes on with the bytes of the exchange that
        /// opened it.
        let before: ByteCount.Sums
        var pages = 0
        var rowsReceived = 0
        var rowsRemoved = 0

        func record(
            at now: DeviceTime, code: String? = nil, isUnderWay: Bool = false
        ) -> ExchangeRecord {
            let sums = bytes?.sums
            return ExchangeRecord(
                kind: kind, startedAt: startedAt.date, count: 1,
                durationMilliseconds: max(0, now.milliseconds(since: startedAt)),
                bytesSent: sums.map { $0.sent - before.sent },
                bytesReceived: sums.map { $0.received - before.received }, changesSent: changes,
                rowsReceived: rowsReceived, rowsRemoved: rowsRemoved, pages: pages, code: code,
                isUnderWay: isUnderWay)
        }
    }
}
