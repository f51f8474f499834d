import MoorageCore

/// Changes that no request goes out for.
extension PushContext {
    /// Takes changes of the app's own columns, and those of models that are only fetched. If a group
    /// has one of the latter, its other changes are not sent either.
    ///
    /// While a row had such a change, a page may have brought another state of it, which the replica
    /// left out. So the row has to come again, unless the change began with what came last.
    ///
    /// - Returns: The changes that are sent, or ask for their row; and those among the latter that
    ///   are refused for their group.
    func sendable(
        _ changes: [PushedChange]
    ) async throws -> (changes: [PushedChange], refused: Set<Int>) {
        var rest: [PushedChange] = []
        var broken: Set<Int> = []
        for change in changes {
            let model = schema.models[change.place.model]
            if change.changesOwnColumnsAlone(of: schema.table(at: change.place)) {
                let isLast = try await beganWithLast(change, of: model)
                if !isLast, !model.children.isEmpty, model.settings.sending == .changes {
                    rest.append(change.asQuestion)
                    continue
                }
                if !isLast { try await forgetRow(of: change, in: model) }
                applied(change)
            } else if model.settings.sending == .never, !change.isQuestion {
                undo(change, of: model)
                if try await !beganWithLast(change, of: model) {
                    try await forgetRow(of: change, in: model)
                }
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

    /// Whether a row was as the server told it last before it was changed, or is new.
    private func beganWithLast(
        _ change: PushedChange, of model: RESTModel
    ) async throws -> Bool {
        guard !change.isInsert, model.settings.fetching.isReceived else { return true }
        // The digest of a row covers its elements, which nobody reads here.
        guard change.place.child == nil, model.children.isEmpty,
            let values = change.valuesBefore,
            let columns = try? model.table.coder.columns(of: model.table.row(values))
        else { return false }
        let row = ServerRow(
            key: change.key, json: .null, values: model.table.values(of: columns), children: [],
            etag: nil)
        let name = RowName(table: model.table.name, key: change.key)
        return try await store.write { try $0.row(name)?.digest == model.digest(of: row) }
    }

    /// Lets the next list bring or remove the row of a change, or the one that an element is part
    /// of. The server may have deleted it while the replica could not remove it.
    private func forgetRow(of change: PushedChange, in model: RESTModel) async throws {
        var names: [RowName] = []
        var key: RowKey? = change.key
        if let child = change.place.child {
            let group = model.children[child]
            let name = RowName(table: group.table.name, key: change.key)
            key = change.valuesBefore.flatMap { group.parent(of: $0, in: model.table) }
            names.append(name)
        }
        guard let key else { return }
        let root = RowName(table: model.table.name, key: key)
        let elements = names
        try await store.write { records in
            for name in elements where try records.row(name) == nil {
                try records.expect(name, parent: key)
            }
            if try records.row(root) == nil { try records.expect(root, parent: nil) }
        }
        content.forget(root)
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

    /// A question about the same row, which is part of no group.
    fileprivate var asQuestion: PushedChange {
        var change = self
        change.content = .question
        change.group = nil
        return change
    }

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
