import MoorageCore
import MoorageWire

/// Changes that cannot be sent: they stay in the log, and are listed.
extension BatchBuilder {
    func refusal(_ table: SyncedTable, _ row: [StoredValueForm]) -> Refusal? {
        for (column, form) in row.enumerated() {
            let description = table.description.columns[column]
            // It is not sent.
            if description.isGenerated { continue }
            let name = "\(table.name).\(description.name)"
            if case .invalidText = form { return .invalidText(name) }
            if form.value.byteCount > hubLimits.maximumValueBytes {
                return .valueTooLarge(name, most: hubLimits.maximumValueBytes)
            }
            guard table.description.isKey(column) else { continue }
            let columnForm = table.form(column)
            let canonical = description.type.normalized(columnForm.portable(form.value))
            if form.value.isNull { return .keyIsNull(name) }
            if case .blob = canonical, description.type != .blob {
                return .keyInBytes(name, type: description.type.name)
            }
            if columnForm.local(canonical) != form.value,
                !takesNextForm(canonical, form.value, columnForm)
            {
                return .keyInOtherForm(
                    name, type: description.type.name, uuids: columnForm.uuidForm.words)
            }
        }
        return nil
    }

    /// Whether a key that is stored like this has its column's form once the file's form is decided.
    private func takesNextForm(_ canonical: Value, _ stored: Value, _ form: ColumnForm) -> Bool {
        guard let nextUUIDForm else { return false }
        var next = form
        next.uuidForm = nextUUIDForm
        guard next.usesUUIDForm else { return false }
        return next.local(canonical) == nextUUIDForm.stored(stored)
    }

    /// Leaves the change in the log and lists it as refused. Each batch tries it again.
    func block(
        _ table: SyncedTable, _ name: RowName, _ localChange: LocalChange, _ refusal: Refusal
    ) throws {
        let known = "SELECT 1 FROM _moorage_refused WHERE blocked AND tbl = ?1 AND key = ?2"
        let key = name.key.values.jsonText()
        guard try !transaction.statements(known).exists([.text(name.table), .text(key)]) else {
            return
        }
        hasBlocked = true
        foundBlocked = true
        let kind: ChangeKind =
            switch localChange.kind {
            case .insert: .insert
            case .update, .refetch: .update
            case .delete: .delete
            }
        // The value stays in the row: the list would only double what is too large.
        try refused.add(
            RefusedList.Entry(
                name: name, kind: kind,
                columns: table.columns.columns, before: nil, after: nil, refusal: refusal,
                at: now, isBlocked: true))
    }
}
