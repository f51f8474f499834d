import MoorageCore

/// Columns of a table by which statements search for rows.
public struct IndexNeed: Hashable, Sendable {
    /// The code of the finding if no index serves the search.
    public let code: Finding.Code
    /// The severity of that finding: a note where only the owner's own queries need the index.
    public let severity: Finding.Severity
    /// The name of the table that is searched.
    public let table: String
    /// Names of the columns that a search compares together.
    public let columns: [String]
    /// What has to read the whole table without an index, as a full sentence.
    public let reason: String
}

/// An index as the database has it.
public struct IndexFact: Hashable, Sendable {
    /// The index's name; empty for a key that the database finds without an index.
    public let name: String
    /// The name of the table that it belongs to.
    public let table: String
    /// The columns in the order of the index, up to its first expression.
    public let columns: [String]
    /// Whether it has an entry for every row, and is complete.
    public let isUsable: Bool

    /// - Parameter isUsable: `false` for an index of some rows only, or one that is not complete.
    public init(name: String, table: String, columns: [String], isUsable: Bool = true) {
        self.name = name
        self.table = table
        self.columns = columns
        self.isUsable = isUsable
    }

    /// Whether rows with these values are adjacent in it: its first columns are these, in any
    /// order.
    func covers(_ need: IndexNeed) -> Bool {
        guard isUsable, table.hasSameBytes(as: need.table), columns.count >= need.columns.count
        else { return false }
        let first = columns.prefix(need.columns.count)
        return need.columns.allSatisfy { name in first.contains { $0.hasSameBytes(as: name) } }
    }
}

extension Examination {
    /// Every search for rows whose cost should not depend on a table's size, each once.
    public var indexNeeds: [IndexNeed] {
        var needs: [IndexNeed] = []
        func add(_ need: IndexNeed) {
            let isSame = { (other: IndexNeed) in
                other.table.hasSameBytes(as: need.table)
                    && Set(other.columns) == Set(need.columns)
            }
            guard let place = needs.firstIndex(where: isSame) else { return needs.append(need) }
            if need.severity < needs[place].severity { needs[place] = need }
        }
        for table in synced { Self.scopeNeeds(table).forEach(add) }
        for table in synced {
            for foreign in table.description.foreignKeys {
                let columns = foreign.columns.map { table.description.columns[$0].name }
                add(
                    IndexNeed(
                        code: .foreignKeyWithoutIndex, severity: .warning, table: table.name,
                        columns: columns,
                        reason: """
                            \(Self.list(columns, of: table.name)) refers to \(foreign.referencedTable) and has no \
                            index: each row that is deleted there costs a look at all of \(table.name).
                            """))
            }
        }
        return needs
    }

    private static func scopeNeeds(_ table: AttachedTable) -> [IndexNeed] {
        table.scopes.flatMap { path -> [IndexNeed] in
            var needs: [IndexNeed] = []
            for (place, level) in path.levels.enumerated() {
                guard let link = level.link else { continue }
                let above = path.levels[place + 1].table
                needs.append(
                    IndexNeed(
                        code: .scopeWithoutIndex, severity: .warning, table: level.table,
                        columns: link.columns,
                        reason: """
                            The scopes of \(table.name) lead over \(list(link.columns, of: level.table)), which has \
                            no index: each row of \(above) that comes into another scope costs a look at \
                            all of \(level.table).
                            """))
            }
            guard let last = path.levels.last else { return needs }
            switch path.source {
            case .everyone: break
            case .members(let members):
                needs.append(
                    IndexNeed(
                        code: .scopeWithoutIndex, severity: .warning, table: members.table,
                        columns: members.link.columns,
                        reason: """
                            The members of \(last.table) are found by \
                            \(list(members.link.columns, of: members.table)), which has no index: each changed row \
                            of \(last.table) costs a look at all of \(members.table).
                            """))
                needs.append(owned(members.table, members.column))
            case .column(_, let column, _): needs.append(owned(last.table, column))
            }
            return needs
        }
    }

    /// Moorage finds the rows of a scope by their tracking rows, but the owner's queries do not.
    private static func owned(_ table: String, _ column: String) -> IndexNeed {
        IndexNeed(
            code: .scopeWithoutIndex, severity: .note, table: table, columns: [column],
            reason: """
                \(table).\(column) names scopes and has no index. Moorage does not look for rows by it; queries \
                that say who holds which scope, and your own, may.
                """)
    }

    private static func list(_ columns: [String], of table: String) -> String {
        columns.count == 1
            ? "\(table).\(columns[0])" : "\(table) (\(columns.joined(separator: ", ")))"
    }

    /// - Parameters:
    ///   - indexes: The indexes of every table in ``indexNeeds``.
    ///   - taken: Other names that a new index cannot have.
    ///   - create: The statements that make an index of this name.
    public func indexFindings(
        _ indexes: [IndexFact], taken: Set<String> = [],
        create: (_ name: String, _ need: IndexNeed) -> [String]
    ) -> [Finding] {
        var names = taken.union(indexes.map(\.name))
        return indexNeeds.filter { need in !indexes.contains { $0.covers(need) } }.map { need in
            let base = String(
                decoding: "\(need.table)_\(need.columns.joined(separator: "_"))".utf8.prefix(50)
                    .map { $0 < 0x80 && $0 > 0x20 ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
            var name = base + "_idx"
            var number = 1
            while names.contains(name) {
                number += 1
                name = "\(base)_idx\(number)"
            }
            names.insert(name)
            return Finding(
                need.code, need.severity, table: need.table, need.reason,
                repair: .sql(create(name, need)))
        }
    }
}
