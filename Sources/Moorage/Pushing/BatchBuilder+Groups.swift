import MoorageCore
import MoorageWire

/// Groups of changes: a batch takes a whole group, or leaves it whole.
extension BatchBuilder {
    private struct Part {
        let table: Int
        let name: RowName
        let group: Group
        let localChange: LocalChange
        let made: Made
    }

    /// Groups with rows of suspended tables, here or at the hub.
    func groupsElsewhere() throws -> Set<Int64> {
        try suspendedNames.reduce(into: []) { $0.formUnion(try loggedGroups(of: $1)) }
    }

    var suspendedNames: [Identifier] {
        transaction.tables.records.filter { $0.suspension != nil || $0.hubSuspension != nil }
            .map(\.name)
    }

    /// The groups in the log of a suspended table.
    func loggedGroups(of name: Identifier) throws -> Set<Int64> {
        guard try SuspendedTableLog.hasLog(name, transaction.db) else { return [] }
        let log = TrackedTable.logTable(of: name)
        let statement = try transaction.statements.own(
            "SELECT DISTINCT grp FROM \(SQLText.name(log)) WHERE grp IS NOT NULL")
        var found: Set<Int64> = []
        while try statement.step() {
            if case .value(.integer(let group)) = statement.column(0) { found.insert(group) }
        }
        return found
    }

    /// Takes a whole group, or leaves it whole.
    ///
    /// - Parameter isNeeded: Whether a row of the batch needs one of the group. Then only the hub's
    ///   limits bound the batch.
    func selectGroup(_ number: Int, isNeeded: Bool = false) throws {
        guard visitedGroups.insert(number).inserted else { return }
        let (parts, empty) = try parts(ofGroup: number)
        for part in empty { selectedEntries[part.table] += part.entries }
        let size = size(of: parts)
        if let refusal = reasonToBlock(parts, size) { return try block(parts, refusal) }
        for part in parts {
            guard case .change(let operation, _) = part.made else { continue }
            if try dependsOnBlocked(part.table, part.group.localKey, operation) { return }
        }
        let most =
            isNeeded
            ? (rows: hubLimits.maximumBatchRows, bytes: hubLimits.maximumBatchBytes)
            : (rows: maximumRows, bytes: maximumBytes)
        if rows > 0, rows + size.rows > most.rows || bytes + size.bytes > most.bytes {
            isClosed = true
            return
        }
        for part in parts {
            switch part.made {
            case .nothing, .blocked: selectedEntries[part.table] += part.group.entries
            case .change(let operation, let stored):
                finish(
                    part.table, part.name, part.group, part.localChange, operation,
                    number: number + 1)
                try listUnsent(part.table, part.name, part.localChange, stored)
                try seek(part.table, operation, stored)
            }
        }
    }

    /// The changes of a group, and the entries of its rows that have none.
    private func parts(
        ofGroup number: Int
    ) throws -> (parts: [Part], empty: [(table: Int, entries: [Int64])]) {
        var parts: [Part] = []
        var empty: [(table: Int, entries: [Int64])] = []
        for member in groups?.members[number] ?? [] {
            let group = try group(member.table, member.localKey)
            guard let localChange = try localChange(member.table, group) else {
                empty.append((member.table, group.entries))
                continue
            }
            let table = tables[member.table]
            parts.append(
                Part(
                    table: member.table,
                    name: table.rowName(table.key(member.localKey)),
                    group: group, localChange: localChange,
                    made: try made(member.table, group, localChange)))
        }
        return (parts, empty)
    }

    /// Why a group is not sent as it is; `nil` if it is sent.
    func refusal(ofGroup number: Int) throws -> Refusal? {
        let parts = try parts(ofGroup: number).parts
        return reasonToBlock(parts, size(of: parts))
    }

    private func size(of parts: [Part]) -> (rows: Int, bytes: Int) {
        var bytes = 0
        for part in parts {
            guard case .change(let operation, _) = part.made else { continue }
            bytes +=
                Change(
                    table: part.name.table, key: part.name.key, operation: operation, editedAt: 0
                ).byteCount
        }
        return (parts.count, bytes)
    }

    /// Why a group cannot be sent as it is; `nil` when it can.
    private func reasonToBlock(_ parts: [Part], _ size: (rows: Int, bytes: Int)) -> Refusal? {
        for part in parts {
            guard case .blocked = part.made else { continue }
            return .groupBlocked(by: part.name.table)
        }
        guard size.rows > hubLimits.maximumBatchRows || size.bytes > hubLimits.maximumBatchBytes,
            parts.count > 1
        else { return nil }
        return .groupTooLarge(
            size, most: (hubLimits.maximumBatchRows, hubLimits.maximumBatchBytes))
    }

    private func block(_ parts: [Part], _ refusal: Refusal) throws {
        for part in parts {
            var reason = refusal
            if case .blocked(let own) = part.made { reason = own }
            try block(tables[part.table], part.name, part.localChange, reason)
        }
    }
}
