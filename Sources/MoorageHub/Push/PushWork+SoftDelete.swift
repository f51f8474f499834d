import MoorageCore

/// Rows that are deleted by a mark.
extension PushWork {
    func softDelete(_ table: AttachedTable) -> SoftDelete? {
        SoftDelete(configuration.rules(for: table.name), in: table.description)
    }

    /// Whether the change meets a row that counts as deleted, and says nothing of the mark itself.
    func isMarkedDeleted(_ row: CentralRow, _ change: ResolvedChange) -> Bool {
        guard let mark = softDelete(change.table.attached), let values = row.values,
            mark.isMarked(values)
        else { return false }
        switch change.change.operation {
        case .insert, .touch: return false
        case .delete: return true
        case .update(let edits):
            let isMarkEdited = edits.contains {
                $0.isChange && change.table.columns[$0.column] == mark.column
            }
            if isMarkEdited { return false }
            return configuration.rules(for: change.table.attached.name).updateOfDeleted == .refuse
        }
    }

    /// The column of the mark that a write takes away beside what it sets; `nil` when it takes none away.
    func clearedMark(
        by write: Settlement.Write, _ row: CentralRow, _ change: ResolvedChange
    ) -> String? {
        guard case .update(let updates) = write, let mark = softDelete(change.table.attached),
            let values = row.values, mark.isMarked(values),
            !updates.contains(where: { change.table.columns[$0.column] == mark.column })
        else { return nil }
        return change.table.attached.description.columns[mark.column].name
    }

    /// An update of a marked row that is to come back takes the mark away.
    func unmarking(
        _ write: WriteOperation, _ row: CentralRow, _ change: ResolvedChange
    ) -> WriteOperation {
        guard write.kind == .update, let mark = softDelete(write.table), let values = row.values,
            mark.isMarked(values), !write.columns.contains(mark.column)
        else { return write }
        return write.setting(mark.clear)
    }

    func operation(_ stored: StoredValue, _ change: ResolvedChange) -> WriteOperation {
        WriteOperation(
            change: change.index, table: change.table.attached, kind: .update, key: change.key,
            columns: [stored.column], values: [stored.value])
    }
}
