import GRDB
import MoorageCore

/// Checks foreign keys when a page has caught up. It checks the rows that were written or removed
/// since the last such page, by key. It reads whole tables after a first scan, after an incomplete
/// list, and for a reference to a unique key other than the primary key.
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
        let localKey: LocalKey
        let values: [Value]

        var dangling: DanglingRow {
            let child = reference.child
            return DanglingRow(
                table: child.name.text, key: child.key(localKey),
                columns: reference.columns.map { child.description.columns[$0].name },
                referencedTable: reference.parent.name.text)
        }
    }

    /// Lists the references to missing rows that nothing explains. The central database has them
    /// like that, and the page delivers the rows all the same.
    ///
    /// - Parameter everything: Whether to check every row. A first scan needs that, because it
    ///   records no single rows.
    /// - Returns: Whether the list is complete. If not, the next check reads everything.
    func check(everything: Bool) throws -> Bool {
        var explained: [Violation] = []
        var isWhole = true
        let list = DanglingRows(statements: statements)
        let before = try list.names()
        if !before.isEmpty {
            if !everything { try recordChange(before) }
            try list.removeAll()
        }
        let changed = try statements.filled(transaction.tables.synced) { $0.tracked.changedTable }
        let names = Set(changed.map(\.name))
        // The hub sends no rows of a table that is only sent, so the replica cannot judge its
        // references.
        for reference in references()
        where reference.child.description.direction.isReceived
            && (everything || names.contains(reference.child.name)
                || names.contains(reference.parent.name))
        {
            let violations = try violations(of: reference, everything: everything)
            isWhole = isWhole && violations.count < Self.listed
            for violation in violations {
                if try isExplained(violation) {
                    explained.append(violation)
                } else {
                    try list.add(violation.dangling)
                }
            }
        }
        for table in changed {
            try statements("DELETE FROM \(SQLText.name(table.tracked.changedTable))").run()
        }
        // Record each explained row again: the next check repeats it until the explanation is gone.
        for violation in explained {
            try LogReading(table: violation.reference.child, statements: statements)
                .recordChange(localKey: violation.localKey, isGone: false)
        }
        return isWhole
    }

    /// Records the rows that dangled before, so that they are checked again: an edit here may have
    /// fixed them.
    private func recordChange(_ names: [RowName]) throws {
        for name in names {
            guard let table = transaction.tables.table(named: name.table),
                let localKey = table.localKey(name.key)
            else { continue }
            try LogReading(table: table, statements: statements).recordChange(
                localKey: localKey, isGone: false, keepsFirst: true)
        }
    }

    /// The references that a revert broke, each with the reverted row and the row at its other end.
    ///
    /// The result lacks references to a unique key other than the primary key. The child's own
    /// refetch explains those.
    func broken(by reverted: Set<RowName>) throws -> [(reverted: RowName, other: RowName)] {
        try references().flatMap { reference in
            try violations(of: reference, everything: false).compactMap { violation in
                let child = RowName(
                    table: reference.child.name.text,
                    key: reference.child.key(violation.localKey))
                guard reference.referenced == reference.parent.description.primaryKey else {
                    return nil
                }
                let parent = reference.parent.rowName(
                    reference.parent.key(LocalKey(violation.values)))
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
            let changed = SQLText.name(child.tracked.changedTable)
            let isSame = zip(child.logKeyColumns, keys).map { "\($1) = t.\($0)" }
            queries.append(
                """
                \(select)\(changed) AS t CROSS JOIN \(target) ON \(isSame.joined(separator: " AND ")) \
                WHERE \(orphan)
                """)
            if let gone = try changedParents(reference, columns) {
                queries.append("\(select)\(target) WHERE \(gone) AND \(orphan)")
            }
        }
        return try queries.flatMap { query in
            let statement = try statements(query + " LIMIT \(Self.listed)")
            var result: [Violation] = []
            while try statement.step() {
                let values = (keys.count..<statement.columnCount).map { statement.column($0).value }
                result.append(
                    Violation(
                        reference: reference, localKey: LocalKey(statement, count: keys.count),
                        values: values))
            }
            return result
        }
    }

    /// The condition for children that may have lost their parent; `nil` when there are no such
    /// children.
    private func changedParents(_ reference: Reference, _ columns: [String]) throws -> String? {
        let parent = reference.parent
        let changed = SQLText.name(parent.tracked.changedTable)
        let isKey = reference.referenced == parent.description.primaryKey
        let some = "SELECT 1 FROM \(changed)\(isKey ? " WHERE gone" : "") LIMIT 1"
        guard try statements(some).exists([]) else { return nil }
        // The table of changed rows has only primary keys. For a reference to another unique key,
        // check all children.
        guard isKey else { return "1" }
        let keys = parent.logKeyColumns.joined(separator: ", ")
        let row = columns.joined(separator: ", ")
        return
            "\(columns.count == 1 ? row : "(\(row))") IN (SELECT \(keys) FROM \(changed) WHERE gone)"
    }

    /// Whether a pending change, or a deferred or withheld row, explains the missing parent.
    private func isExplained(_ violation: Violation) throws -> Bool {
        let reference = violation.reference
        let childLog = LogReading(table: reference.child, statements: statements)
        if try childLog.localChange(localKey: violation.localKey) != nil { return true }
        // The hub's version of the child may be deferred or withheld. The local row is older then.
        if try isSetAside(reference.child, violation.localKey) { return true }
        let parent = reference.parent
        guard reference.referenced == parent.description.primaryKey else {
            // The reference does not name the parent's primary key, so any local change of that
            // table may explain it.
            return try !LogReading(table: parent, statements: statements).isEmpty()
        }
        let parentKey = LocalKey(violation.values)
        let parentLog = LogReading(table: parent, statements: statements)
        if try parentLog.localChange(localKey: parentKey) != nil { return true }
        return try isSetAside(parent, parentKey)
    }

    private func isSetAside(_ table: SyncedTable, _ localKey: LocalKey) throws -> Bool {
        let name = table.rowName(table.key(localKey))
        return try DeferredRows(statements: statements).contains(name)
            || WithheldRows(statements: statements).contains(name)
    }
}
