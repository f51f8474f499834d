import MoorageCore

/// Changes that no request goes out for.
extension PushContext {
    /// Takes changes of the app's own columns, and those of models that are only fetched. If a group
    /// has one of the latter, its other changes are not sent either.
    ///
    /// - Returns: The changes that are sent, or ask for their row; and those among the latter that
    ///   are refused for their group.
    func sendable(
        _ changes: [PushedChange]
    ) -> (changes: [PushedChange], refused: Set<Int>) {
        var rest: [PushedChange] = []
        var broken: Set<Int> = []
        for change in changes {
            let model = schema.models[change.place.model]
            if change.changesOwnColumnsAlone(of: schema.table(at: change.place)) {
                applied(change)
            } else if model.settings.sending == .never, !change.isQuestion {
                undo(change, of: model)
                if let group = change.group { broken.insert(group) }
            } else {
                rest.append(change)
            }
        }
        var refused: Set<Int> = []
        for place in rest.indices {
            guard let group = rest[place].group, broken.contains(group) else { continue }
            refused.insert(rest[place].index)
            rest[place].content = .question
        }
        return (rest, refused)
    }

    /// Refuses a change, and gives the row back as it was. The next list brings what is new in it.
    private func undo(_ change: PushedChange, of model: RESTModel) {
        let table = schema.table(at: change.place)
        let name = RowName(table: table.name, key: change.key)
        refuse(change, .onlyFetched(table.name))
        switch change.content {
        case .insert: content.remove([name])
        case .question: break
        case .delete(let row): content.restore(name, row, parent: parent(row))
        case .update(_, let base, let mine):
            let own = table.ownColumns(of: [base, mine])
            let row = base.enumerated().map { own.contains($0) ? nil : $1 }
            content.restore(name, row, parent: parent(base))
        }
        func parent(_ row: RowValues) -> RowKey? {
            change.place.child.flatMap { model.children[$0].parent(of: row, in: model.table) }
        }
    }
}

extension PushedChange {
    fileprivate var isQuestion: Bool { if case .question = content { true } else { false } }

    /// Whether it is an update of nothing that the record knows.
    fileprivate func changesOwnColumnsAlone(of table: RESTTable) -> Bool {
        guard case .update(let edits, let base, let mine) = content else { return false }
        let own = table.ownColumns(of: [base, mine])
        return edits.allSatisfy { own.contains($0.column) }
    }
}

extension RESTTable {
    /// The columns that the record does not know, as far as rows show it. A record may leave out
    /// what is NULL.
    fileprivate func ownColumns(of rows: [RowValues]) -> Set<Int> {
        var own = Set(description.columns.indices)
        for values in rows {
            guard let columns = try? coder.columns(of: row(values)) else { return [] }
            for (column, value) in self.values(of: columns).enumerated() where value != nil {
                own.remove(column)
            }
        }
        return own
    }
}
