import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageSupport
import MoorageWire

/// A device that carries out a recorded sync with the app's own driver: the same file, clock and random
/// numbers, and a hub that answers from the record.
///
/// `@unchecked`: one sync is one chain of events, each waited for.
final class SyncTwin: HubConnection, ReplicaClock, @unchecked Sendable {
    /// Where the driver did something else than the simulated sync.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    /// The record ends here: what the device would do next was not simulated.
    private struct RecordEnded: Error {}

    private let record: SyncRecord
    private let machine = SimulatedMachine()
    private let queue: DatabaseQueue
    private var next = 0
    private var after: [String: String]?

    init(_ record: SyncRecord) throws {
        self.record = record
        queue = try machine.open()
        try record.file.backup(to: queue)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA schema_version = \(record.cookie)")
        }
        machine.now = record.now
        machine.random = record.random
    }

    /// - Throws: ``Difference``.
    func run() async throws {
        var failure: (any Error)?
        do {
            let random = ReplicaRandom { [machine] in machine.random.next() }
            try await record.replica.sync(
                on: queue, with: self, record.options, clock: self, random: random)
        } catch let difference as Difference {
            throw difference
        } catch {
            // The simulated sync failed in the same way, or the file will tell.
            failure = error
        }
        let ending = failure.map { "; it failed with \($0)" } ?? ""
        guard next == record.events.count else {
            throw Difference(description: "it ended before \(record.events[next].event)\(ending)")
        }
        let after = if let after { after } else { try await contents() }
        for (table, rows) in record.after where after[table] != rows {
            throw Difference(
                description: """
                    \(table) holds
                    \(after[table] ?? "nothing")
                    in place of
                    \(rows)\(ending)
                    """)
        }
        guard after.count == record.after.count else {
            throw Difference(description: "it has other tables: \(after.keys.sorted())\(ending)")
        }
    }

    private func contents() async throws -> [String: String] {
        try await queue.writeWithoutTransaction { try $0.contents() }
    }

    // MARK: The clock

    func now() -> Date { machine.deviceTime.date }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    // MARK: The hub

    /// What happens next, at its time.
    private func event() throws -> SyncRecord.Event {
        guard next < record.events.count else { throw RecordEnded() }
        machine.now = record.events[next].now
        next += 1
        return record.events[next - 1].event
    }

    func schema() async throws -> SchemaAnswer {
        let event = try event()
        guard case .schema(let answer) = event else {
            throw Difference(description: "it asks for the schema in place of \(event)")
        }
        return answer
    }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        let event = try event()
        guard case .compared(let recorded, let answer) = event,
            recorded.encoded() == request.encoded()
        else {
            throw Difference(description: "it compares \(request) in place of \(event)")
        }
        return try answer.get()
    }

    func exchange(
        _ request: consuming ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let bytes = request.encoded()
        let event = try event()
        guard case .asked(let recorded) = event, recorded.encoded() == bytes else {
            let sent = String(decoding: bytes, as: UTF8.self)
            throw Difference(description: "it sends \(sent) in place of \(event)")
        }
        while true {
            switch try self.event() {
            case .frame(let frame): try await receive(frame)
            case .edited(let sql):
                _ = try await queue.writeWithoutTransaction { try $0.commit(sql) }
            case .answered: return try await endIfOver()
            case .broke(let error):
                try await endIfOver()
                throw error
            case let event:
                throw Difference(description: "an answer is not over at \(event)")
            }
        }
    }

    /// What the driver does from here on was not simulated.
    private func endIfOver() async throws {
        if next == record.events.count { after = try await contents() }
    }
}
