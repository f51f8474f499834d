import MoorageCore

/// Decides what becomes of a unit, from the row that the server has.
struct UnitMerge {
    let model: RESTModel
    let unit: PushUnit
    /// Elements that the device has heard of, where the last request may have made new ones.
    var known: Set<RowName>?

    enum Write {
        case none
        case post(JSON)
        /// - Parameters:
        ///   - row: The whole row.
        ///   - body: What of it goes out.
        case put(_ row: JSON, body: JSON)
        case delete
    }

    struct Plan {
        var write: Write
        /// By the changes' positions in the batch.
        var outcomes: [Int: Outcome]
    }

    /// - Throws: ``RowFault`` if the row and its JSON do not fit.
    func plan(_ theirs: ServerRow?) throws(RowFault) -> Plan {
        var plan = Plan(write: .none, outcomes: [:])
        var row = theirs?.values
        var isWritten = false
        if let root = unit.root {
            let result = ChangeMerge(table: model.table).merge(root, with: theirs?.values)
            plan.outcomes[root.index] = result.outcome
            row = result.row
            isWritten = result.isWritten
            if root.isDelete, row == nil, let theirs, try keepsElements(theirs, &plan) {
                plan.outcomes[root.index] = kept(root, theirs.values)
                row = theirs.values
                isWritten = false
            }
        }
        guard let row else {
            // The row is not there, or goes. Its elements go with it.
            for change in unit.children where plan.outcomes[change.index] == nil {
                plan.outcomes[change.index] =
                    change.isInsert || change.isUpdate
                    ? Outcome(kind: .refused(.parentMissing)) : Outcome(kind: .applied)
            }
            if isWritten { plan.write = .delete }
            return plan
        }
        var arrays: [(name: String, value: JSON)] = []
        for (number, group) in model.children.enumerated() {
            let merged = try merge(group, number, theirs, &plan)
            // A new row has all its arrays.
            if merged.isWritten || theirs == nil { arrays.append((group.member, merged.array)) }
            isWritten = isWritten || merged.isWritten
        }
        guard isWritten else { return plan }
        let mine = try model.table.json(of: row)
        guard let theirs else {
            plan.write = .post(mine.overlaid(by: .object(arrays)))
            return plan
        }
        let before = try model.table.json(of: theirs.values)
        let whole = joined(theirs.json, before, mine).overlaid(by: .object(arrays))
        let changes = whole.changes(since: theirs.json)
        // The record may write two values in one way.
        if changes.members?.isEmpty == true { return plan }
        switch model.settings.updates {
        case .patch, .mergePatch: plan.write = .put(whole, body: changes)
        case .put where model.settings.body == .known:
            plan.write = .put(whole, body: try known(of: whole, memberNames(before, mine)))
        case .put: plan.write = .put(whole, body: whole)
        }
        return plan
    }

    /// What the record, and those of its elements, know of a row.
    private func known(of whole: JSON, _ names: Set<String>) throws(RowFault) -> JSON {
        var result = whole.only(names.union(model.children.map(\.member)))
        for group in model.children {
            guard let elements = whole[group.member]?.elements else { continue }
            var bodies: [JSON] = []
            for element in elements {
                let named = element.setting(
                    group.parentID, element[group.parentID] ?? whole[model.table.id] ?? .null)
                let known = try group.table.json(of: group.table.values(of: named))
                bodies.append(element.only(memberNames(known, known)))
            }
            result = result.setting(group.member, .array(bodies))
        }
        return result
    }

    private func memberNames(_ one: JSON, _ other: JSON) -> Set<String> {
        Set(((one.members ?? []) + (other.members ?? [])).map(\.name))
    }

    /// The server's object with the members that the device changed. One that the record leaves out
    /// now is `null`. All others stay as the server wrote them: a record may know less of a value,
    /// such as the microseconds of a time.
    ///
    /// - Parameter before: The server's row as the record writes it.
    private func joined(_ theirs: JSON, _ before: JSON, _ now: JSON) -> JSON {
        var result = theirs
        for member in now.members ?? [] where before[member.name]?.bytes != member.value.bytes {
            result = result.setting(member.name, member.value)
        }
        for member in before.members ?? [] where now[member.name] == nil {
            result = result.setting(member.name, .null)
        }
        return result
    }

    // MARK: Children

    private func merge(
        _ group: BoundChildren, _ number: Int, _ theirs: ServerRow?, _ plan: inout Plan
    ) throws(RowFault) -> (array: JSON, isWritten: Bool) {
        var elements = theirs?.children[number] ?? []
        let merge = ChangeMerge(table: group.table)
        var isWritten = false
        var taken: Set<RowKey> = []
        for change in unit.children where change.place.child == number {
            if let refusal = refusal(of: change, group) {
                plan.outcomes[change.index] = Outcome(kind: .refused(refusal))
                continue
            }
            let place = elements.firstIndex { $0.key == change.key }
            if place == nil, let key = arrived(change, elements, group, besides: taken) {
                // It is as it was sent, but for its id.
                taken.insert(key)
                plan.outcomes[change.index] = Outcome(kind: .applied)
                continue
            }
            if unit.root?.isDelete == true {
                // The server's row stays, and so do its elements.
                let values = place.map { elements[$0].values }
                plan.outcomes[change.index] =
                    values.map { kept(change, $0) } ?? Outcome(kind: .applied)
                continue
            }
            let result = merge.merge(change, with: place.map { elements[$0].values })
            plan.outcomes[change.index] = result.outcome
            guard result.isWritten else { continue }
            isWritten = true
            guard let row = result.row else {
                if let place { elements.remove(at: place) }
                continue
            }
            let mine = try group.table.json(of: row)
            if let place {
                let before = try group.table.json(of: elements[place].values)
                let json = joined(elements[place].json, before, mine)
                elements[place] = ServerRow.Child(
                    key: elements[place].key, json: json, values: row)
            } else {
                // The parent's id is where the element is.
                elements.append(
                    ServerRow.Child(
                        key: change.key, json: mine.removing(group.parentID), values: row))
            }
        }
        return (.array(elements.map(\.json)), isWritten)
    }

    /// Whether a row cannot be deleted for one of its elements: the device has not seen it, or its
    /// deletion lost.
    private func keepsElements(
        _ theirs: ServerRow, _ plan: inout Plan
    ) throws(RowFault) -> Bool {
        var isKept = false
        for (number, group) in model.children.enumerated() {
            for element in theirs.children[number] ?? [] {
                let change = unit.children.first {
                    $0.place.child == number && $0.key == element.key
                }
                guard let change else {
                    isKept = true
                    continue
                }
                let result = ChangeMerge(table: group.table).merge(change, with: element.values)
                plan.outcomes[change.index] = result.outcome
                isKept = isKept || result.row != nil
            }
        }
        return isKept
    }

    /// The outcome of a deletion that lost for something else than its own row.
    private func kept(_ change: PushedChange, _ theirs: RowValues) -> Outcome {
        let values = theirs.enumerated().compactMap { column, value in
            change.positions[column].flatMap { position in
                value.map { StoredValue(column: position, value: $0) }
            }
        }
        return Outcome(
            kind: .overruled,
            overruling: Overruling(
                rule: model.table.conflicts.rules.rule.name, theirs: values, result: values))
    }

    /// The element that the last request made of an insert, where the server gave it an id.
    private func arrived(
        _ change: PushedChange, _ elements: [ServerRow.Child], _ group: BoundChildren,
        besides taken: Set<RowKey>
    ) -> RowKey? {
        guard let known, group.table.ids == .server, case .insert(let row) = change.content else {
            return nil
        }
        return elements.first {
            !taken.contains($0.key)
                && !known.contains(RowName(table: group.table.name, key: $0.key))
                && group.table.isSame(row, as: $0.values, besides: group.parentColumns)
        }?.key
    }

    /// An element stays with its parent.
    private func refusal(of change: PushedChange, _ group: BoundChildren) -> Refusal? {
        guard case .update(let edits, _, _) = change.content,
            edits.contains(where: { group.parentColumns.contains($0.column) })
        else { return nil }
        return .parentChanged
    }
}

extension PushedChange {
    var isUpdate: Bool { if case .update = content { true } else { false } }
}

extension RESTTable {
    /// Whether a row that the server has is one that was sent: with all values that were sent, but
    /// for its key.
    func isSame(_ sent: RowValues, as row: RowValues, besides columns: [Int] = []) -> Bool {
        description.columns.indices.allSatisfy { column in
            guard !description.isKey(column), !columns.contains(column),
                let value = sent[column], !value.isNull, let now = row[column]
            else { return true }
            return description.columns[column].type.equal(value, now)
        }
    }
}
