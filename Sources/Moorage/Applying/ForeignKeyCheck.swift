import GRDB
import MoorageCore

/// Checks, when a page caught up, the foreign keys of the rows written or removed since the last
/// one that did: by key, never the whole file.
struct ForeignKeyCheck {
    private let transaction: StoreTransaction
    private static let listed = 1000

    init(_ transaction: StoreTransaction) { self.transaction = transaction }

    private var statements: RawStatements { transaction.statements }

    private struct Reference {
        let child: SyncedTable
        let columns: [Int]
        let parent: SyncedTable
        let referenced: [Int]
    }

    /// A child whose parent is missing.
    private struct Violation {
        let reference: Reference
        let rawKey: [Value]
        let values: [Value]
    }

    /// - Parameter everything: After a first walk, which recorded no single rows.
    func check(everything: Bool) throws {
        var explained: [Violation] = []
        // Of a table that is only sent, nobody hears here what became of its rows.
        for reference in references() where reference.child.description.direction.isReceived {
            for violation in try violations(of: reference, everything: everything) {
                guard try isExplained(violation) else { throw Self.error(violation) }
                explained.append(violation)
            }
        }
        for table in transaction.tables.synced {
            try statements("DELETE FROM \(SQLText.name(table.tracked.touchedTable))").run()
        }
        // What a local change explains stands until that change is answered.
        for violation in explained {
            try LogReading(table: violation.reference.child, statements: statements)
                .touch(rawKey: violation.rawKey, isGone: false)
        }
    }

    /// The references that taking rows back broke: a row that was, and the other end.
    ///
    /// A parent that is named by another unique key than its primary one is not found: the child's
    /// own question to the hub explains it.
    func broken(by reverted: Set<RowName>) throws -> [(reverted: RowName, other: RowName)] {
        try references().flatMap { reference in
            try violations(of: reference, everything: false).compactMap { violation in
                let child = RowName(
                    table: reference.child.name,
                    key: reference.child.key(raw: violation.rawKey))
                guard reference.referenced == reference.parent.description.primaryKey else {
                    return nil
                }
                let parent = RowName(
                    table: reference.parent.name, key: reference.parent.key(raw: violation.values))
                if reverted.contains(child) { return (child, parent) }
                return reverted.contains(parent) ? (parent, child) : nil
            }
        }
    }

    private func references() -> [Reference] {
        transaction.tables.synced.flatMap { child in
            child.description.foreignKeys.compactMap { foreign in
                guard let parent = transaction.tables.table(named: foreign.referencedTable),
                    let referenced = foreign.positions(in: parent.description)
                else { return nil }
                return Reference(
                    child: child, columns: foreign.columns, parent: parent, referenced: referenced)
            }
        }
    }

    private func violations(of reference: Reference, everything: Bool) throws -> [Violation] {
        let child = reference.child
        let parent = reference.parent
        let columns = reference.columns.map { "c.\(SQLText.name(child.localName($0)))" }
        let keys = child.keyLocalNames.map { "c.\(SQLText.name($0))" }
        let orphan =
            columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            + " AND NOT EXISTS (SELECT 1 FROM \(SQLText.name(parent.tracked.local.name)) AS p WHERE "
            + zip(reference.referenced, columns).map {
                "p.\(SQLText.name(parent.localName($0))) = \($1)"
            }.joined(separator: " AND ") + ")"
        let select = "SELECT \((keys + columns).joined(separator: ", ")) FROM "
        let target = "\(SQLText.name(child.tracked.local.name)) AS c"
        var queries: [String] = []
        if everything {
            queries.append("\(select)\(target) WHERE \(orphan)")
        } else {
            let touched = SQLText.name(child.tracked.touchedTable)
            let isSame = zip(child.logKeyColumns, keys).map { "\($1) = t.\($0)" }
            queries.append(
                """
                \(select)\(touched) AS t CROSS JOIN \(target) ON \(isSame.joined(separator: " AND ")) \
                WHERE \(orphan)
                """)
            if let gone = try parentsThatMoved(reference, columns) {
                queries.append("\(select)\(target) WHERE \(gone) AND \(orphan)")
            }
        }
        return try queries.flatMap { query in
            let statement = try statements(query + " LIMIT \(Self.listed)")
            var result: [Violation] = []
            while try statement.step() {
                let row = (0..<statement.columnCount).map { statement.column($0).value }
                result.append(
                    Violation(
                        reference: reference, rawKey: Array(row.prefix(keys.count)),
                        values: Array(row.dropFirst(keys.count))))
            }
            return result
        }
    }

    /// Which children may have lost their parent; `nil` when none.
    private func parentsThatMoved(_ reference: Reference, _ columns: [String]) throws -> String? {
        let parent = reference.parent
        let touched = SQLText.name(parent.tracked.touchedTable)
        let isKey = reference.referenced == parent.description.primaryKey
        let some = "SELECT 1 FROM \(touched)\(isKey ? " WHERE gone" : "") LIMIT 1"
        guard try statements(some).exists([]) else { return nil }
        // A reference to another unique key leaves no trace of its old value: all are looked at.
        guard isKey else { return "1" }
        let keys = parent.logKeyColumns.joined(separator: ", ")
        let row = columns.joined(separator: ", ")
        return
            "\(columns.count == 1 ? row : "(\(row))") IN (SELECT \(keys) FROM \(touched) WHERE gone)"
    }

    /// Whether a pending change, or a row that has not found its place, explains the missing parent.
    private func isExplained(_ violation: Violation) throws -> Bool {
        let reference = violation.reference
        let childLog = LogReading(table: reference.child, statements: statements)
        if try childLog.note(rawKey: violation.rawKey) != nil { return true }
        // The child as the hub has it may not have found its place yet: what is here is older.
        if try isSetAside(reference.child, violation.rawKey) { return true }
        let parent = reference.parent
        guard reference.referenced == parent.description.primaryKey else {
            // The parent cannot be named by its key: any note of its table may explain it.
            return try !LogReading(table: parent, statements: statements).isEmpty()
        }
        if try LogReading(table: parent, statements: statements).note(rawKey: violation.values)
            != nil
        {
            return true
        }
        return try isSetAside(parent, violation.values)
    }

    private func isSetAside(_ table: SyncedTable, _ rawKey: [Value]) throws -> Bool {
        let name = RowName(table: table.name, key: table.key(raw: rawKey))
        return try WaitingRows(statements: statements).contains(name)
            || WithheldRows(statements: statements).contains(name)
    }

    private static func error(_ violation: Violation) -> ReplicaError {
        let reference = violation.reference
        let columns = reference.columns.map { reference.child.description.columns[$0].name }
        return ReplicaError(
            .foreignKeyViolation,
            """
            A row of \(reference.child.name) came whose \(columns.joined(separator: ", ")) names no \
            row of \(reference.parent.name), and no local change explains it. The page was not \
            taken; `moorage verify` compares the replica with the hub.
            """, recovery: .askOperator)
    }
}
