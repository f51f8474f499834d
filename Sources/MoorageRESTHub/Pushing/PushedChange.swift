import Moorage
import MoorageCore

/// A change of a batch, by the columns that its table has now.
struct PushedChange: Sendable {
    enum Content: Sendable {
        case insert(RowValues)
        /// - Parameters:
        ///   - edits: Those that change something.
        ///   - base: The row before the first edit.
        ///   - mine: The row now.
        case update(edits: [ColumnEdit], base: RowValues, mine: RowValues)
        case delete(RowValues)
        /// It asks for the row.
        case question
    }

    /// Its position in the batch.
    let index: Int
    let place: RESTSchema.Place
    let key: RowKey
    var content: Content
    /// For each column of the table its position in the batch.
    let positions: [Int?]
    let editedAt: DeviceTime
    let isAgain: Bool
    /// Changes with one number go together.
    var group: Int?

    /// The row that it names, or had.
    var values: RowValues? {
        switch content {
        case .insert(let row), .delete(let row): row
        case .update(_, _, let mine): mine
        case .question: nil
        }
    }

    /// The row as the server may have it.
    var valuesBefore: RowValues? {
        if case .update(_, let base, _) = content { base } else { values }
    }

    var isInsert: Bool { if case .insert = content { true } else { false } }
    var isDelete: Bool { if case .delete = content { true } else { false } }

    /// What the device pushed for a column; `nil` where it pushed nothing.
    func pushed(_ column: Int) -> Value? {
        switch content {
        case .insert(let row): row[column]
        case .update(let edits, _, _): edits.first { $0.column == column }?.new
        case .delete, .question: nil
        }
    }

    /// The columns that the server has with another value than the pushed one.
    ///
    /// - Parameter isTold: Whether the server made the difference, for all it is known.
    func stored(
        _ now: RowValues, in table: TableDescription, where isTold: (Int) -> Bool
    ) -> [StoredValue] {
        table.columns.indices.filter(isTold).compactMap { column in
            guard let position = positions[column], let pushed = pushed(column),
                let now = now[column], !table.columns[column].type.equal(pushed, now)
            else { return nil }
            return StoredValue(column: position, value: now)
        }
    }

    func add(to fingerprint: inout Fingerprint) {
        func add(_ row: RowValues) {
            for value in row {
                fingerprint.add(UInt8(value == nil ? 0 : 1))
                fingerprint.add(value ?? .null)
            }
        }
        fingerprint.add(UInt64(place.child.map { $0 + 1 } ?? 0))
        fingerprint.add(key.values.jsonText().utf8)
        switch content {
        case .insert(let row):
            fingerprint.add(UInt8(0))
            add(row)
        case .update(let edits, let base, let mine):
            fingerprint.add(UInt8(1))
            for edit in edits { fingerprint.add(UInt64(edit.column)) }
            add(base)
            add(mine)
        case .delete(let row):
            fingerprint.add(UInt8(2))
            add(row)
        case .question: fingerprint.add(UInt8(3))
        }
    }
}

extension Batch {
    /// The changes by the present columns; `nil` if the batch names a table or a column that is not
    /// there any more.
    func pushed(in schema: RESTSchema) -> [PushedChange]? {
        var result: [PushedChange] = []
        for (index, change) in changes.enumerated() {
            guard let columns = columns(of: change), let place = schema.place(of: change.table)
            else { return nil }
            let table = schema.table(at: place).description
            let named = columns.columns.map { table.column(named: $0) }
            guard !named.contains(nil), let read = change.content(named.compactMap { $0 }, table)
            else { return nil }
            result.append(
                PushedChange(
                    index: index, place: place, key: table.key(change.key.values), content: read,
                    positions: table.columns.indices.map { column in
                        named.firstIndex { $0 == column }
                    },
                    editedAt: change.editedAt, isAgain: change.isAgain,
                    group: change.group))
        }
        return result
    }
}

extension Change {
    /// - Parameter columns: For each column of the batch its position in the table.
    fileprivate func content(_ columns: [Int], _ table: TableDescription) -> PushedChange.Content? {
        var row = RowValues(repeating: nil, count: table.columns.count)
        switch operation {
        case .refetch: return .question
        case .insert(let values), .delete(let values):
            guard values.count == columns.count else { return nil }
            for (column, value) in zip(columns, values) { row[column] = value }
            if case .insert = operation { return .insert(row) }
            return .delete(row)
        case .update(let all):
            for (column, value) in zip(table.primaryKey, key.values) { row[column] = value }
            var (base, mine) = (row, row)
            var edits: [ColumnEdit] = []
            for edit in all {
                guard columns.indices.contains(edit.column) else { return nil }
                let column = columns[edit.column]
                base[column] = edit.old
                mine[column] = edit.new
                if edit.isChange {
                    edits.append(
                        ColumnEdit(
                            column: column, old: edit.old, new: edit.new, isFill: edit.isFill))
                }
            }
            return edits.isEmpty ? .question : .update(edits: edits, base: base, mine: mine)
        }
    }
}
