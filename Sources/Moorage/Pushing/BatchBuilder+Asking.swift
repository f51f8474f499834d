import MoorageCore
import MoorageWire

/// Why a change is not in the next batch. It reads what a batch is made of, and changes nothing.
extension BatchBuilder {
    /// The reason that the row's table, its group or another row gives; `nil` without one.
    func reason(_ table: Int, _ localKey: LocalKey) throws -> PendingReason? {
        let start = LogGroups.Member(table: table, localKey: localKey)
        let group = try group(table, localKey)
        if let change = try localChange(table, group),
            case .change(.delete(let before), _) = try made(table, group, change),
            let children = try blockingChildren(table, before)
        {
            return .needsRow(table: children.text, key: nil, code: suspensionCode(of: children))
        }
        let search = try searchBlocked(start)
        guard let row = search.found, let obstacle = try obstacle(row) else {
            return try tooLargeGroup(of: start, among: search.seen)
        }
        if row != start {
            let synced = tables[row.table]
            return .needsRow(
                table: synced.name.text, key: synced.key(row.localKey), code: code(of: obstacle))
        }
        switch obstacle {
        case .unsendable(let refusal): return .unsendable(refusal.code)
        case .parent(let name, let localKey):
            let parent = suspended.first { $0.table.name == name }
            return .needsRow(
                table: name.text, key: parent?.table.key(localKey), code: code(of: obstacle))
        case .group:
            guard let name = try suspendedTable(ofGroupOf: row) else { return nil }
            return .groupNeedsTable(name.text, code: suspensionCode(of: name))
        }
    }

    /// A group that the row is part of or needs, and that no batch can take.
    private func tooLargeGroup(
        of row: LogGroups.Member, among needed: Set<LogGroups.Member>
    ) throws -> PendingReason? {
        guard let groups else { return nil }
        func number(_ row: LogGroups.Member) -> Int? { groups.number(row.table, row.localKey) }
        if let own = number(row), let refusal = try refusal(ofGroup: own) {
            return .unsendable(refusal.code)
        }
        for other in Set(needed.compactMap(number)).sorted() where other != number(row) {
            guard let refusal = try refusal(ofGroup: other),
                let member = groups.members[other].first(where: needed.contains)
            else { continue }
            let synced = tables[member.table]
            return .needsRow(
                table: synced.name.text, key: synced.key(member.localKey),
                code: refusal.code.rawValue)
        }
        return nil
    }

    private func code(of obstacle: Obstacle) -> String {
        switch obstacle {
        case .group: Refusal.Code.group.rawValue
        case .unsendable(let refusal): refusal.code.rawValue
        case .parent(let name, _): suspensionCode(of: name)
        }
    }

    private func suspensionCode(of name: Identifier) -> String {
        let record = transaction.tables.records.first { $0.name == name }
        return (record?.suspension ?? record?.hubSuspension)?.code ?? ""
    }

    /// The suspended table that has rows of a row's group.
    private func suspendedTable(ofGroupOf row: LogGroups.Member) throws -> Identifier? {
        guard let groups, let number = groups.number(row.table, row.localKey) else { return nil }
        var wanted: Set<Int64> = []
        for member in groups.members[number] {
            let entries = try reading(member.table).entries(localKey: member.localKey)
            wanted.formUnion(entries.compactMap(\.group))
        }
        return try suspendedNames.first { try !loggedGroups(of: $0).isDisjoint(with: wanted) }
    }
}
