package import MoorageCore
package import MoorageWire

/// Reads rows for one user in one snapshot. It lives as long as the work that it is given to.
package struct RowReader {
    /// Related rows of one answer.
    package static let mostRelated = 10_000
    /// How far a list is counted.
    package static let mostCounted = 100_000
    /// Bytes of the rows of a page, and of all their related rows. A page has one row at least.
    package static let mostBytes = 8_000_000
    /// Bytes of a position, which programs send back in an address.
    package static let mostPositionBytes = 50_000
    /// How many levels related rows go deep.
    package static let mostLevels = 3

    package let schema: RowSchema
    let connection: any CentralConnection
    let settings: ScopeSettings
    /// The scopes that the user may see.
    let visible: Set<Scope>
    let detailsReader: SchemaDetailsReader

    /// What the owner wrote about the tables of the schema, by name. It asks the catalog of the
    /// database, so it is for documents and not for each request.
    package func details() -> [Identifier: TableDetails] {
        detailsReader.read(
            SchemaDescription(tables: schema.tables.map(\.description)), on: connection)
    }

    /// - Throws: ``RowProblem`` for what the table does not have.
    package func page(of list: RowList) throws -> RowPage {
        let table = list.table
        let order = try order(of: list)
        let name = name(of: list, order)
        let limit = max(1, list.limit)
        var query = query(of: table, order: order, limit: limit + 1)
        query.condition = try list.filter.map { try RowCondition($0, of: table) }
        query.after = try list.after.map {
            try RowPosition($0, of: name, count: order.count).values
        }
        let count =
            list.isCounted
            ? try refusing { try connection.count(table.attached, query, most: Self.mostCounted) }
            : nil
        var bytes = Self.mostBytes
        var (rows, isWhole) = try read(query, of: table, within: &bytes)
        if rows.count > limit {
            rows.removeLast(rows.count - limit)
            isWhole = false
        }
        var next: String?
        if !isWhole, let last = rows.last {
            next = RowPosition(values: order.map { last[$0.column] }).text(of: name)
        }
        if let next, next.utf8.count > Self.mostPositionBytes { throw RowProblem.longPosition }
        var content = rows.map { RowContent($0, of: table) }
        try add(list.related, to: &content, of: table)
        return RowPage(rows: content, next: next, count: count)
    }

    /// - Returns: `nil` where there is no such row for this user.
    package func row(
        _ key: RowKey, of table: RowTable, with related: [RelatedTree] = []
    ) throws -> RowContent? {
        guard let values = try rows([key], of: table).first else { return nil }
        var content = [RowContent(values, of: table)]
        try add(related, to: &content, of: table)
        return content[0]
    }

    /// The rows of these keys that the user may see, in any order.
    func rows(_ keys: [RowKey], of table: RowTable) throws -> [[Value]] {
        try connection.rows(table.attached, keys: keys, in: visible)
    }

    // MARK: Queries

    func query(of table: RowTable, order: [RowOrder], limit: Int) -> RowQuery {
        RowQuery(
            scopes: settings.rules[table.name] == nil ? nil : visible, order: order,
            columns: Array(table.description.columns.indices), limit: limit)
    }

    /// Reads piece by piece, so that large rows do not come all at once.
    ///
    /// - Parameter left: Bytes that the rows may have. It ends with the row that exceeds them.
    /// - Returns: The rows, and whether they are all that the query would read.
    private func read(
        _ query: RowQuery, of table: RowTable, within left: inout Int
    ) throws -> (rows: [[Value]], isWhole: Bool) {
        var rows: [[Value]] = []
        let isWhole = try refusing { try visit(query, of: table, within: &left) { rows += $0 } }
        return (rows, isWhole)
    }

    /// The same, for work that keeps no rows.
    ///
    /// - Returns: Whether it read all that the query would read.
    func visit(
        _ query: RowQuery, of table: RowTable, within left: inout Int,
        _ work: ([[Value]]) throws -> Void
    ) throws -> Bool {
        var piece = query
        var count = 0
        var size = 0
        while count < query.limit {
            let average = size / max(1, count)
            piece.limit = min(
                query.limit - count,
                count > 0 ? max(1, left / max(1, average)) : left > 0 ? table.firstPiece : 1)
            let read = try connection.rows(table.attached, piece)
            let bytes = read.reduce(0) { $0 + $1.byteCount }
            count += read.count
            size += bytes
            left -= bytes
            try work(read)
            guard read.count == piece.limit, let last = read.last else { return true }
            if left < 0 { return false }
            piece.after = query.order.map { last[$0.column] }
        }
        return true
    }

    /// A value that a connector does not compare is the program's fault.
    private func refusing<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as CentralError {
            guard case .refused(let refusal) = error.kind else { throw error }
            throw RowProblem.wrongFilter(refusal.message)
        }
    }

    private func order(of list: RowList) throws -> [RowOrder] {
        var order: [RowOrder] = []
        for (name, isDescending) in list.order {
            let column = try list.table.column(named: name)
            guard list.table.description.columns[column].type != .json else {
                throw RowProblem.notOrdered(name, of: list.table.name)
            }
            if order.contains(where: { $0.column == column }) { continue }
            order.append(RowOrder(column, isDescending: isDescending))
        }
        for column in list.table.description.primaryKey
        where !order.contains(where: { $0.column == column }) {
            order.append(RowOrder(column))
        }
        return order
    }

    /// What distinguishes a list from others whose positions mean something else.
    private func name(of list: RowList, _ order: [RowOrder]) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(list.table.description.signature.utf8)
        fingerprint.add((list.filter?.text ?? "").utf8)
        for part in order {
            fingerprint.add(UInt64(part.column))
            fingerprint.add(UInt8(part.isDescending ? 1 : 0))
        }
        return fingerprint.hex
    }

    // MARK: Related rows

    /// - Parameter bytes: Of the related rows at most.
    func add(
        _ related: [RelatedTree], to rows: inout [RowContent], of table: RowTable,
        bytes: Int = mostBytes
    ) throws {
        guard related.allSatisfy({ $0.depth <= Self.mostLevels }) else {
            throw RowProblem.tooDeep(most: Self.mostLevels)
        }
        let most = AnswerSize(rows: Self.mostRelated, bytes: bytes)
        var left = RelatedLimits(read: most, answered: most)
        try add(related, to: &rows, of: table, left: &left)
    }

    private func add(
        _ related: [RelatedTree], to rows: inout [RowContent], of table: RowTable,
        left: inout RelatedLimits
    ) throws {
        for tree in related {
            let relation = try table.relation(named: tree.name)
            let other = try schema.table(named: relation.table)
            var found = try self.rows(of: other, by: relation, to: rows, of: table, left: &left)
            try add(tree.children, to: &found, of: other, left: &left)
            let types = relation.own.map { table.description.columns[$0].type }
            let byValues = Dictionary(grouping: found) { row in
                zip(types, relation.other).map { $0.normalized(row.values[$1]) }
            }
            for place in rows.indices {
                let values = zip(types, relation.own).map {
                    $0.normalized(rows[place].values[$1])
                }
                let own = values.contains(where: \.isNull) ? [] : byValues[values] ?? []
                for row in own { left.answered.subtract(row.size) }
                guard !left.answered.isExceeded else { throw Self.tooManyRelated }
                rows[place].add(RelatedRows(table: other, rows: own), by: relation)
            }
        }
    }

    /// The rows of another table that belong to some of these rows, in key order.
    private func rows(
        of other: RowTable, by relation: RowRelation, to rows: [RowContent], of table: RowTable,
        left: inout RelatedLimits
    ) throws -> [RowContent] {
        let types = relation.other.map { other.description.columns[$0].type }
        let values = Set(
            rows.compactMap { row -> [Value]? in
                let values = zip(types, relation.own).map { $0.normalized(row.values[$1]) }
                return values.contains(where: \.isNull) ? nil : values
            })
        var found: [RowContent] = []
        for part in Array(values).chunks(of: Self.valuesAtOnce) {
            var query = query(
                of: other, order: other.description.primaryKey.map { RowOrder($0) },
                limit: left.read.rows + 1)
            query.condition = condition(relation.other, part)
            let (read, isWhole) = try read(query, of: other, within: &left.read.bytes)
            left.read.rows -= read.count
            guard !left.read.isExceeded, isWhole else { throw Self.tooManyRelated }
            found += read.map { RowContent($0, of: other) }
        }
        return found
    }

    private func condition(_ columns: [Int], _ values: ArraySlice<[Value]>) -> RowCondition {
        if columns.count == 1 { return .isOneOf(columns[0], values.map { $0[0] }) }
        return .anyOf(
            values.map { row in
                .allOf(zip(columns, row).map { .isOneOf($0, [$1]) })
            })
    }

    /// Values in one statement.
    private static let valuesAtOnce = 200

    private static var tooManyRelated: RowProblem {
        .tooManyRelated(most: mostRelated, bytes: mostBytes)
    }
}

/// What related rows may still be read, and how much of the answer they may be.
private struct RelatedLimits {
    var read: AnswerSize
    var answered: AnswerSize
}

extension RowTable {
    /// How many rows are read before their size is known.
    var firstPiece: Int {
        func has(_ types: ColumnType...) -> Bool {
            description.columns.contains { types.contains($0.type) }
        }
        // What a list without a limit reads is one piece.
        return has(.blob, .json) ? 16 : has(.text) ? 101 : 1_001
    }
}

extension [Value] {
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension Array {
    func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min(self.count, $0 + count)]
        }
    }
}
