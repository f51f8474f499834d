import MoorageCore
import MoorageHub

/// What programs read that are no replicas. Without scopes a statement names the owner's table
/// alone.
extension PostgresConnection {
    func rows(_ table: AttachedTable, _ query: RowQuery) throws -> [[Value]] {
        let shape = try shape(of: table)
        if isOfTextKeys(query, shape) { return try rowsInKeyOrder(shape, query) }
        var sql = RowQuerySQL(PostgresQuery(shape))
        let condition = try sql.conditions(of: query)
        var parameters = sql.dialect.parameters
        let conditions = [condition, inScopes(query.scopes, shape, &parameters)].compactMap { $0 }
        parameters.add(String(max(0, query.limit)), type: 20)
        return try rows(
            query, shape,
            """
            FROM \(shape.name) AS l\(Self.whereClause(conditions))
            ORDER BY \(sql.order(of: query)) LIMIT $\(parameters.count)
            """, parameters)
    }

    /// - Parameter source: What follows the columns of a row `l`.
    private func rows(
        _ query: RowQuery, _ shape: TableShape, _ source: String, _ parameters: Parameters
    ) throws -> [[Value]] {
        let columns = query.columns.map { shape.columns[$0] }
        let outputs = columns.map { $0.output("l.\($0.quoted)") }.joined(separator: ", ")
        let answer = try link.query("SELECT \(outputs) \(source)", parameters)
        return (0..<answer.rowCount).map { row in
            columns.enumerated().map { answer.value(row, $0, $1.resultKind) }
        }
    }

    /// Whether a query reads a whole table in the order of a key that has a text. The index of such
    /// a key is in the order of the column's collation, and so the server would sort the table for
    /// each page.
    private func isOfTextKeys(_ query: RowQuery, _ shape: TableShape) -> Bool {
        // No trigger tracks the rows of a partition that was attached with them.
        query.scopes == nil && query.condition == nil && !shape.isPartitioned
            && query.order == shape.table.description.primaryKey.map { RowOrder($0) }
            && shape.keys.contains(where: \.isOrderedByBytes)
            && query.after.map { shape.canBe(RowKey($0), isOwn: true) } ?? true
    }

    /// The tracking table has the keys in the order of their bytes.
    private func rowsInKeyOrder(_ shape: TableShape, _ query: RowQuery) throws -> [[Value]] {
        var parameters = Parameters()
        parameters.add(Scope.everything.name, type: 25)
        var conditions = ["r.scope = $1", "r.live"]
        let keys = shape.keyNames("r")
        if let after = query.after {
            shape.add(position: RowKey(after), to: &parameters)
            conditions.append("(\(keys)) > (\(shape.position(from: 2)))")
        }
        parameters.add(String(max(0, query.limit)), type: 20)
        return try rows(
            query, shape,
            """
            FROM \(shape.track) AS r JOIN LATERAL (
              SELECT * FROM \(shape.name) AS t WHERE \(shape.match("t", "r")) LIMIT 1) AS l ON true
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(keys)
            LIMIT $\(parameters.count)
            """, parameters)
    }

    func count(_ table: AttachedTable, _ query: RowQuery, most: Int) throws -> Int {
        let shape = try shape(of: table)
        var sql = RowQuerySQL(PostgresQuery(shape))
        let condition = try sql.conditions(of: query, isCount: true)
        var parameters = sql.dialect.parameters
        let conditions = [condition, inScopes(query.scopes, shape, &parameters)].compactMap { $0 }
        parameters.add(String(max(0, most)), type: 20)
        let answer = try link.query(
            """
            SELECT count(*) FROM (
              SELECT FROM \(shape.name) AS l\(Self.whereClause(conditions)) LIMIT $\(parameters.count)
            ) AS part
            """, parameters)
        return Int(clamping: answer.integer(0, 0) ?? 0)
    }

    private static func whereClause(_ conditions: [String]) -> String {
        conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: " AND ")
    }

    /// Whether a row is in one of the scopes; `nil` where nobody asks.
    private func inScopes(
        _ scopes: Set<Scope>?, _ shape: TableShape, _ parameters: inout Parameters
    ) -> String? {
        guard let scopes else { return nil }
        parameters.add(texts: scopes.sorted().map(\.name))
        // The planner can begin with the few rows of a scope, or with the order of the query. An
        // index of each table serves the other way, and for texts the two have their collations.
        let matches = shape.keys.enumerated().map { place, key in
            let match = key.match("l", "r.k\(place)", from: .compared)
            return key.column.family == .text
                ? "\(match) AND r.k\(place) = \(key.tracked("l"))" : match
        }
        return """
            EXISTS (
              SELECT FROM \(shape.track) AS r
              WHERE \(matches.joined(separator: " AND "))
                AND r.scope = ANY ($\(parameters.count)) AND r.live)
            """
    }
}
