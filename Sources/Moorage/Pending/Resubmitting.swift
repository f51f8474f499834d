import GRDB
import MoorageCore
import MoorageWire

/// Writes refused or overruled values again, like the app itself would. The triggers record them as
/// a new change, whose before-image is the row as it is now.
struct Resubmitting {
    let transaction: StoreTransaction

    /// What is asked for.
    struct Wish {
        let table: String
        let key: RowKey
        let isDelete: Bool
        /// The columns that were asked for.
        let values: [String: Value]
        /// The rest of the row, in case the row is gone; `nil` when nobody knows it.
        let whole: [String: Value]?
    }

    func write(_ wish: Wish) throws {
        guard let table = transaction.tables.table(named: wish.table),
            let localKey = table.localKey(table.description.key(wish.key.values))
        else {
            throw ReplicaError.cannotResubmit(wish.table, ChangeReason.tableSuspended)
        }
        let reading = LogReading(table: table, statements: transaction.statements)
        do {
            if wish.isDelete {
                try run("DELETE FROM \(reading.target) WHERE \(reading.isRow)", localKey.values)
            } else if try reading.exists(localKey: localKey) {
                try update(wish, table, reading, localKey)
            } else {
                try insert(wish, table, reading, localKey)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            if let refused = ReplicaError(localWrite: error) { throw refused }
            // The message names the constraint, never a value.
            throw ReplicaError.cannotResubmit(
                wish.table, error.message ?? ChangeReason.localConstraint)
        }
        try transaction.notify(table.tracked.local.name)
        try transaction.notify(table.tracked.logTable)
    }

    private func update(
        _ wish: Wish, _ table: SyncedTable, _ reading: LogReading, _ localKey: LocalKey
    ) throws {
        let values = local(wish.values, table)
        if values.isEmpty { return }
        let assignments = values.enumerated().map {
            "\(SQLText.name($1.name)) = ?\(localKey.values.count + 1 + $0)"
        }
        try run(
            """
            UPDATE \(reading.target) SET \(assignments.joined(separator: ", ")) \
            WHERE \(reading.isRow)
            """, localKey.values + values.map(\.value))
    }

    private func insert(
        _ wish: Wish, _ table: SyncedTable, _ reading: LogReading, _ localKey: LocalKey
    ) throws {
        guard let whole = wish.whole else {
            throw ReplicaError.cannotResubmit(wish.table, ChangeReason.onlyEditsKnown)
        }
        let values = local(whole.merging(wish.values) { $1 }, table)
        let names = table.keyLocalNames + values.map(\.name)
        try run(
            """
            INSERT INTO \(reading.target)(\(SQLText.names(names))) \
            VALUES(\(SQLText.parameters(names.count)))
            """, localKey.values + values.map(\.value))
    }

    /// The columns that can be written and are no part of the key.
    private func local(
        _ values: [String: Value], _ table: SyncedTable
    ) -> [(name: String, value: Value)] {
        table.description.columns.indices.compactMap { column in
            let description = table.description.columns[column]
            guard !description.isGenerated, !table.description.isKey(column),
                let value = values.first(where: { table.column(onceNamed: $0.key) == column })?
                    .value
            else { return nil }
            return (table.localName(column), table.form(column).local(value) ?? value)
        }
    }

    private func run(_ sql: String, _ values: [Value]) throws {
        try transaction.statements.passing(sql).run(values)
    }
}
