import MoorageCore
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

/// The database fails with errors that no connector knows. The change at fault is refused, the rest goes on.
@Suite(.ownThreads) struct `Errors that the hub does not know` {
    /// Where the connection fails when it meets a row or a key with the word `poison`.
    enum Place: String, CaseIterable, Sendable {
        case insert, lock, setTimes, commit, log, refusedLock
    }

    private final class PoisonedConnection: ForwardingConnection {
        let place: Place?
        private var isPoisoned = false

        init(_ base: any CentralConnection, at place: Place?) {
            self.place = place
            super.init(base)
        }

        private func meet(_ values: [Value], at place: Place) throws {
            guard self.place == place, values.contains(where: \.isPoison) else { return }
            if place == .refusedLock {
                let refusal = Refusal(code: .type, message: "The key is of no type.")
                throw CentralError(.refused(refusal), refusal.message)
            }
            throw CentralError(.failed, "The database made up an error (XYZ00).")
        }

        override func begin(_ kind: TransactionKind) throws {
            isPoisoned = false
            try super.begin(kind)
        }

        override func commit() throws {
            if isPoisoned { try meet([.text("poison")], at: .commit) }
            try super.commit()
        }

        override func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
            for row in rows {
                try meet(row, at: .insert)
                if row.contains(where: \.isPoison) { isPoisoned = true }
            }
            try super.insert(table, columns: columns, rows: rows)
        }

        override func lockRows(
            _ table: AttachedTable, keys: [RowKey]
        ) throws -> [RowKey: CentralRow] {
            for key in keys {
                try meet(key.values, at: .lock)
                try meet(key.values, at: .refusedLock)
            }
            return try super.lockRows(table, keys: keys)
        }

        override func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
            for time in times { try meet(time.key.values, at: .setTimes) }
            try super.setChangedAt(table, times: times)
        }

        override func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
            if sql.contains("INTO moorage_conflict") { try meet(arguments, at: .log) }
            return try super.run(sql, arguments)
        }
    }

    private static func bench(_ place: Place?) throws -> HubBench {
        try HubBench(lending: { PoisonedConnection($0, at: place) })
    }

    @Test(arguments: Place.allCases) func `cost one change, and the device goes on`(
        place: Place
    ) throws {
        let bench = try Self.bench(place)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        var changes = (1...7).map { replica.insert("purchase", [.integer($0), .text("c"), .null]) }
        changes.insert(replica.insert("customer", row("c")), at: 0)
        changes.insert(replica.insert("customer", row("poison")), at: 4)
        if place == .log {
            // Refused by a check, and the line of the log cannot be written.
            changes[4] = replica.insert(
                "customer", [.text("poison"), .text("n"), .null, .text("-1"), .null])
        }
        let frames = try replica.exchange(replica.batch(changes))
        let kinds = replica.outcomes(frames).map(\.kind)
        try #require(kinds.count == changes.count)
        guard case .refused(let refusal) = kinds[4] else {
            Issue.record("the culprit was not refused: \(kinds[4])")
            return
        }
        #expect(place == .refusedLock ? refusal.code == .type : refusal.code == .failed)
        if place == .commit {
            // No change fails before the end: none can be told from the others.
            #expect(kinds.allSatisfy { if case .refused = $0 { true } else { false } })
        } else {
            #expect(kinds.enumerated().allSatisfy { $0 == 4 || $1 == .applied })
        }
        #expect(try replica.push(replica.insert("customer", row("next"))) == [.applied])
        #expect(try arrived(bench) == (place == .commit ? 1 : 9))
    }

    @Test func `of the database itself refuse no change`() throws {
        let bench = try HubBench(lending: { BrokenLog($0) })
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let batch = replica.batch([replica.insert("customer", row("c"))])
        #expect(throws: HubError.self) { try replica.exchange(batch) }
        #expect(throws: HubError.self) { try replica.exchange(batch) }
        #expect(try bench.conflicts().isEmpty)
        let healthy = try HubBench()
        let other = try ScriptedReplica(healthy, 1)
        #expect(try other.push(other.insert("customer", row("c"))) == [.applied])
    }

    @Test func `keep what the connector advises`() {
        let refusal = Refusal(code: .permission, message: "The role lacks a right.")
        let error = CentralError(.refused(refusal), "The role lacks a right. Ask the doctor.")
        #expect(HubError(error).message == error.message)
    }

    /// The hub's own tables take nothing.
    private final class BrokenLog: ForwardingConnection {
        override func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
            if sql.contains("UPDATE moorage_replica") {
                throw CentralError(.failed, "The central database takes no writes now (25006).")
            }
            return try super.run(sql, arguments)
        }
    }

    @Test func `in the rows of an answer withhold those rows`() throws {
        let bench = try HubBench(lending: { UnreadableRows($0) })
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let batch = replica.batch(
            ["a", "b", "poison", "d"].map { replica.insert("customer", row($0)) })
        let frames = try replica.exchange(batch)
        #expect(replica.outcomes(frames).map(\.kind) == Array(repeating: .applied, count: 4))
        #expect(replica.withheld.map(\.row.key.values) == [[.text("poison")]])
        #expect(replica.withheld.allSatisfy { $0.reason.contains("XYZ00") })
        // The same batch again, as if the answer was lost.
        #expect(replica.answer(try replica.exchange(batch))?.status == .alreadyApplied)
        #expect(try replica.push(replica.insert("customer", row("e"))) == [.applied])
    }

    /// Rows of keys are not read where one of them is `poison`.
    private final class UnreadableRows: ForwardingConnection {
        override func rows(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws
            -> [[Value]]
        {
            if keys.contains(where: { $0.values.contains(where: \.isPoison) }) {
                throw CentralError(.failed, "The database made up an error (XYZ00).")
            }
            return try super.rows(table, keys: keys, in: scopes)
        }

        // So that the rows of a push are not read before its answer.
        override func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? {
            Set(table.description.columns.indices)
        }
    }

    @Test func `take a group along`() throws {
        let bench = try Self.bench(.insert)
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let names = ["a", "b", "poison", "d"]
        let changes = names.enumerated().map { index, name in
            Change(
                table: "customer", key: replica.table("customer").key([.text(name)]),
                operation: .insert(row(name)), editedAt: replica.now,
                group: (1...2).contains(index) ? 1 : nil)
        }
        let kinds = replica.outcomes(try replica.exchange(replica.batch(changes))).map(\.kind)
        let codes = kinds.map { kind -> Refusal.Code? in
            if case .refused(let refusal) = kind { refusal.code } else { nil }
        }
        #expect(codes == [nil, .group, .failed, nil])
        #expect(try arrived(bench) == 2)
    }

    // MARK: The search

    @Test func `are found by halves, also where two changes fail together alone`() throws {
        var search = CulpritSearch { included in
            if included.contains(5) || included.isSuperset(of: [2, 11]) {
                throw CentralError(.failed, "no")
            }
        }
        try search.search(16)
        #expect(search.culprits.keys.sorted() == [5, 11])
    }

    @Test func `cost the hub a limited time`() throws {
        var tries = 0
        var search = CulpritSearch(maximumWork: 100) { included in
            tries += 1
            if included.contains(where: { $0 % 2 == 1 }) { throw CentralError(.failed, "no") }
        }
        try search.search(1_000)
        #expect(search.culprits.count == 1_000)
        #expect(tries == 2)
    }

    private func arrived(_ bench: HubBench) throws -> Int64 {
        let rows = try bench.rows(
            "SELECT (SELECT count(*) FROM customer) + (SELECT count(*) FROM purchase)")
        guard case .integer(let count)? = rows.first?.first else { return -1 }
        return count
    }

    private func row(_ id: String) -> [Value] {
        [.text(id), .text("n"), .null, .null, .null]
    }
}

extension Value {
    fileprivate var isPoison: Bool {
        if case .text(let text) = self { text.contains("poison") } else { false }
    }
}
