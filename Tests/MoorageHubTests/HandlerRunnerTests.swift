import Foundation
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `A handler at the hub` {
    private static let question = MergeQuestion.any
    /// The most that a handler may have: no thread takes so long to start.
    private static let amply = Duration.seconds(60)

    @Test func `is asked on a thread of its own`() {
        let caller = pthread_self()
        let answer = HandlerRunner().ask(
            MergeHandler("here", timeLimit: Self.amply) { _ in
                pthread_equal(pthread_self(), caller) == 0 ? .mine : .theirs
            },
            Self.question)
        #expect(answer == .mine)
    }

    @Test func `that throws rejects the change, and tells no value`() {
        struct Secret: Error { let value = "4711" }
        let answer = HandlerRunner().ask(
            MergeHandler("bad", timeLimit: Self.amply) { _ in throw Secret() }, Self.question)
        guard case .reject(let reason) = answer else {
            Issue.record("not rejected")
            return
        }
        #expect(reason.contains("bad") && !reason.contains("4711"))
    }

    @Test func `that takes too long rejects the change, and is not asked until it came back`()
        async throws
    {
        let gate = DispatchSemaphore(value: 0)
        let slow = MergeHandler("slow", timeLimit: .milliseconds(20)) { _ in
            gate.wait()
            return .mine
        }
        let runner = HandlerRunner()
        for words in ["longer than", "has not come back"] {
            guard case .reject(let reason) = runner.ask(slow, Self.question) else {
                Issue.record("not rejected")
                return
            }
            #expect(reason.contains(words))
        }
        gate.signal()
        // It comes back on its own thread. A handler is known by its name.
        let again = MergeHandler("slow", timeLimit: Self.amply) { _ in .mine }
        try await eventually("it came back, and is asked again") {
            runner.ask(again, Self.question) == .mine
        }
    }
}

extension MergeQuestion {
    /// A question as the hub asks it.
    fileprivate static var any: MergeQuestion {
        let table = TableDescription(
            name: "t",
            columns: [
                ColumnDescription(name: "id", type: .integer),
                ColumnDescription(name: "a", type: .integer),
            ], primaryKey: [0])
        let asked = Locked<MergeQuestion?>(nil)
        let rule = MergeRule.handler(
            MergeHandler("ask") { question in
                asked.withLock { $0 = question }
                return .mine
            })
        _ = Merge(table: table, rules: TableRules(rule: rule)).merge(
            Change(
                table: "t", key: RowKey([.integer(1)]),
                operation: .update([ColumnEdit(column: 1, old: .integer(1), new: .integer(2))]),
                editedAt: 1),
            against: CentralRow(
                values: [.integer(1), .integer(3)], changedAt: 1, isTombstone: false),
            editedAt: 1)
        return asked.withLock { $0 }!
    }
}
