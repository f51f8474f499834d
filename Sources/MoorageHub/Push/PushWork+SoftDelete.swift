import MoorageCore

/// Rows that are deleted by a deletion marker.
extension PushWork {
    func softDelete(_ table: AttachedTable) -> SoftDelete? {
        SoftDelete(configuration.rules(for: table.name), in: table.description)
    }

    /// Whether the change meets a soft-deleted row, and does not set the deletion marker itself.
    func isSoftDeleted(_ row: CentralRow, _ change: ResolvedChange) -> Bool {
        guard let marker = softDelete(change.table.attached), let values = row.values,
            marker.isSoftDeleted(values)
        else { return false }
        switch change.change.operation {
        case .insert, .refetch: return false
        case .delete: return true
        case .update:
            if says(change, of: marker) { return false }
            return configuration.rules(for: change.table.attached.name).updateOfDeleted == .refuse
        }
    }

    /// Whether the change itself sets the deletion marker. The rules then decide about the marker,
    /// as about any other column.
    private func says(_ change: ResolvedChange, of marker: SoftDelete) -> Bool {
        let table = change.table
        switch change.change.operation {
        case .insert:
            return table.columns.indices.contains {
                table.columns[$0] == marker.column && !table.restricted.columns[$0].isGenerated
            }
        case .update(let edits):
            return edits.contains { $0.isChange && table.columns[$0.column] == marker.column }
        case .delete, .refetch: return false
        }
    }

    /// Whether a write to a row clears its deletion marker: the row is marked, and the change does
    /// not say what the marker is to be.
    ///
    /// - Parameter value: What the write sets the marker to; `nil` if it leaves it as it is.
    private func clears(
        _ marker: SoftDelete, of row: CentralRow, _ change: ResolvedChange, setting value: Value?
    ) -> Bool {
        guard let values = row.values, marker.isSoftDeleted(values), !says(change, of: marker)
        else { return false }
        guard let value else { return true }
        // Merged by row, an update repeats the marker as the device had it.
        guard case .update(let edits) = change.change.operation else { return false }
        return edits.contains {
            !$0.isChange && change.table.columns[$0.column] == marker.column && $0.new == value
        }
    }

    /// The column of the deletion marker that a write clears beside what it sets; `nil` when it
    /// clears none.
    func clearedMarker(
        by write: MergeResult.Write, _ row: CentralRow, _ change: ResolvedChange
    ) -> String? {
        guard case .update(let updates) = write, let marker = softDelete(change.table.attached),
            clears(
                marker, of: row, change,
                setting: updates.first {
                    change.table.columns[$0.column] == marker.column
                }?.value)
        else { return nil }
        return change.table.attached.description.columns[marker.column].name
    }

    /// A write to a soft-deleted row clears the deletion marker, unless the change itself sets it.
    func clearingMarker(
        _ write: WriteOperation, _ row: CentralRow, _ change: ResolvedChange
    ) -> WriteOperation {
        guard write.kind == .update, let marker = softDelete(write.table),
            clears(
                marker, of: row, change,
                setting: write.columns.firstIndex(of: marker.column).map { write.values[$0] })
        else { return write }
        return write.setting(marker.clear)
    }

    func operation(_ stored: StoredValue, _ change: ResolvedChange) -> WriteOperation {
        WriteOperation(
            change: change.index, table: change.table.attached, kind: .update, key: change.key,
            columns: [stored.column], values: [stored.value])
    }
}
