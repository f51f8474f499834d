import MoorageCore
import SQLiteSupport

/// Keys that no hub can have: text that is not UTF-8, or bytes in a column of text. The log finds
/// their rows like others, so that they are listed, and can be changed or reverted.
extension LogReading {
    /// Runs a statement with a key as its first parameters.
    ///
    /// A value in bytes is text that is not UTF-8 (``StoredValueForm/value``), or it is bytes. The
    /// statement runs once with each.
    ///
    /// - Parameter isFound: Whether the first run found the row. Then there is no second run.
    func run<Result>(
        _ statement: RawStatement, localKey: LocalKey, _ body: (RawStatement) throws -> Result,
        isFound: (Result) -> Bool
    ) throws -> Result {
        try statement.bind(localKey.values)
        let first = try body(statement)
        guard let odd = oddText(localKey), !isFound(first) else { return first }
        for (index, form) in odd.enumerated() { try statement.bind(form, at: index + 1) }
        return try body(statement)
    }

    /// The key with its bytes as text; `nil` if no value of it can be text.
    private func oddText(_ localKey: LocalKey) -> [StoredValueForm]? {
        var isOdd = false
        let forms = zip(table.description.primaryKey, localKey.values).map { column, value in
            guard case .blob(let bytes) = value, table.form(column).column.affinity == .text else {
                return StoredValueForm.value(value)
            }
            isOdd = true
            return .invalidText(bytes)
        }
        return isOdd ? forms : nil
    }

    /// Deletes the row itself.
    func deleteRow(localKey: LocalKey) throws {
        let statement = try statements("DELETE FROM \(target) WHERE \(isRow)")
        try run(statement, localKey: localKey, { while try $0.step() {} }, isFound: { false })
    }
}

extension SyncedTable {
    /// Whether the hub cannot have the row of a key: no key of a hub is stored in that form.
    func cannotName(localKey: LocalKey) -> Bool {
        self.localKey(key(localKey)) != localKey
            || zip(description.primaryKey, localKey.values).contains { column, value in
                guard case .blob = form(column).portable(value) else { return false }
                return description.columns[column].type != .blob
            }
    }
}
