import GRDB
import MoorageCore
import MoorageHub
import MoorageWire

extension SimulatedCentre {
    /// The columns that devices may know of.
    func visibleColumns(of table: String) -> [SimulatedColumn] {
        let attached = attachedColumns[table] ?? []
        return (columns[table] ?? []).filter {
            attached.contains($0.name) && !isHidden($0.name, of: table)
        }
    }

    func isHidden(_ column: String, of table: String) -> Bool {
        columnSettings[table]?.hidden.contains(column) ?? false
    }
}

extension Page {
    /// A page says nothing of a column that is left out.
    ///
    /// - Returns: How many rows it has of tables with such columns.
    func checkColumns(_ centre: SimulatedCentre) throws -> Int {
        var rows = 0
        for part in tables {
            guard let hidden = centre.columnSettings[part.table]?.hidden, !hidden.isEmpty else {
                continue
            }
            rows += part.rows.count
            if let column = part.columns.first(where: hidden.contains) {
                throw Violation(.columns, "a page has \(part.table).\(column), which is left out")
            }
            let secrets = try centre.texts(of: part.table, in: hidden)
            for case .text(let text) in part.rows.joined() where secrets.contains(text) {
                throw Violation(
                    .columns, "a page tells \(text) of a column of \(part.table) that is left out")
            }
        }
        return rows
    }
}

extension SimulatedCentre {
    /// The texts that tell themselves, and that stood in these columns of a table and in no other column.
    fileprivate func texts(of table: String, in columns: Set<String>) throws -> Set<String> {
        let list = columns.sorted().map { Value.text($0).literal }.joined(separator: ", ")
        let rows = try write {
            try $0.rawRows(
                """
                SELECT val FROM sim_audit WHERE val IS NOT NULL GROUP BY val \
                HAVING min(tbl = \(Value.text(table).literal) AND col IN (\(list))) = 1
                """)
        }
        return Set(rows.compactMap { CentralAudit.text($0[0]) }.filter(Ledger.isToken))
    }
}

extension JudgedPush {
    func isDownOnly(_ column: String, of table: String) -> Bool {
        centre.columnSettings[table]?.downOnly.contains(column) ?? false
    }

    /// What each of the user's roles allows; `nil` for a table that is everyone's.
    func ownRights(_ table: String) -> [TableRights]? {
        rights[table].map { rights in
            [RightSettings.everyone, user ?? ""].compactMap { rights[$0] }
        }
    }

    /// Whether an insert sets a column; others are the database's. A key is always set.
    func mayInsert(_ column: String, into table: String) -> Bool {
        if centre.columns[table]?.keys.contains(where: { $0.name == column }) == true {
            return true
        }
        return ownRights(table)?.contains { $0.insert && $0.names(column) } ?? true
    }

    func mayUpdate(_ column: String, of table: String) -> Bool {
        ownRights(table)?.contains { $0.update && $0.names(column) } ?? true
    }

    /// Whether a whole row that wins writes a column: what its user left as it was only where it may.
    func isWritten(
        _ edit: ColumnEdit, _ column: String, _ change: Change, _ row: [String: Value]
    ) -> Bool {
        if isDownOnly(column, of: change.table) { return false }
        // The deletion marker of a row that comes back is judged apart.
        let isAway = isDeletionMarker(column, change) && isSoftDeleted(row, in: change.table)
        return edit.isChange || mayUpdate(column, of: change.table) && !isAway
    }

    /// No device writes a column that is left out, or that only comes down.
    func checkColumns(_ simulation: Simulation) throws {
        try checkSentColumns()
        for (change, outcome) in pairs where refusesColumn(change, outcome) {
            simulation.reach(.refusedColumn)
        }
        let settings = centre.columnSettings
        for (change, outcome) in pairs where !isRefused(outcome) {
            guard case .insert(let values) = change.operation, before.rows[change.rowName] == nil
            else { continue }
            let isLeftOut = zip(columns(change), values).contains {
                !$1.isNull && !mayInsert($0, into: change.table)
            }
            if isLeftOut { simulation.reach(.columnLeftOut) }
        }
        if settings.isEmpty || keepsBoth { return }
        for (name, row) in before.rows {
            guard let own = settings[name.table], let now = after.rows[name] else { continue }
            for column in own.hidden.union(own.downOnly).sorted()
            where row[column] != now[column] && rules[name.table]?.softDelete != column {
                throw violation(name, column, "was written by a device")
            }
        }
    }

    /// Whether a change was refused for a column that its user may not set.
    private func refusesColumn(_ change: Change, _ outcome: Outcome) -> Bool {
        guard case .refused(let refusal) = outcome.kind, refusal.code == .permission,
            case .update(let edits) = change.operation,
            ownRights(change.table)?.contains(where: \.update) == true
        else { return false }
        return edits.contains {
            $0.isChange && !mayUpdate(columns(change)[$0.column], of: change.table)
        }
    }

    private func checkSentColumns() throws {
        for change in batch.changes {
            let names = columns(change)
            if let column = names.first(where: { centre.isHidden($0, of: change.table) }) {
                throw violation(change.rowName, column, "is left out, and was sent")
            }
            let sent: [(String, Value)] =
                switch change.operation {
                case .insert(let values): Array(zip(names, values))
                case .update(let edits):
                    edits.filter(\.isChange).map { (names[$0.column], $0.new) }
                case .delete, .refetch: []
                }
            for (column, value) in sent where !value.isNull && isDownOnly(column, of: change.table)
            {
                throw violation(change.rowName, column, "only comes down, and was sent")
            }
        }
    }

    private func violation(_ name: RowName, _ column: String, _ what: String) -> Violation {
        Violation(
            .columns,
            "batch \(batch.number): \(name.table).\(column) of \(name.key.values.jsonText()) \(what)"
        )
    }
}

extension TableRights {
    /// Whether a column is among those that the role may set.
    func names(_ column: String) -> Bool { columns?.contains(column) ?? true }
}
