import GRDBSQLite
import MoorageCore
import MoorageHub

/// What programs read that are no replicas. Without scopes a statement names the owner's table
/// alone.
extension SQLiteConnection {
    func rows(_ table: AttachedTable, _ query: RowQuery) throws -> [[Value]] {
        guard query.scopes?.isEmpty != true else { return [] }
        let shape = try shape(of: table)
        var sql = RowQuerySQL(SQLiteQuery(shape))
        try addFunctions(for: sql.dialect.comparedTypes)
        let condition = try sql.conditions(of: query)
        var arguments = sql.dialect.arguments
        let conditions = [condition, inScopes(query.scopes, shape, &arguments)]
        arguments.append(.integer(Int64(max(0, query.limit))))
        let outputs = query.columns.map { "l.\(shape.column($0))" }.joined(separator: ", ")
        let text = """
            SELECT \(outputs) FROM \(shape.name) AS l\(Self.whereClause(conditions))
            ORDER BY \(sql.order(of: query)) LIMIT ?\(arguments.count)
            """
        var rows: [[Value]] = []
        try passingStatement(text).run(arguments) { row in
            rows.append(
                query.columns.enumerated().map { place, column in
                    shape.portable(row.value(at: Int32(place)), in: column)
                })
        }
        return rows
    }

    func count(_ table: AttachedTable, _ query: RowQuery, most: Int) throws -> Int {
        guard query.scopes?.isEmpty != true else { return 0 }
        let shape = try shape(of: table)
        var sql = RowQuerySQL(SQLiteQuery(shape))
        try addFunctions(for: sql.dialect.comparedTypes)
        let condition = try sql.conditions(of: query, isCount: true)
        var arguments = sql.dialect.arguments
        let conditions = [condition, inScopes(query.scopes, shape, &arguments)]
        arguments.append(.integer(Int64(max(0, most))))
        let text = """
            SELECT count(*) FROM (
              SELECT 1 FROM \(shape.name) AS l\(Self.whereClause(conditions))
              LIMIT ?\(arguments.count))
            """
        var count: Int64 = 0
        try passingStatement(text).run(arguments) { count = $0.value(at: 0).number }
        return Int(clamping: count)
    }

    private static func whereClause(_ conditions: [String?]) -> String {
        let conditions = conditions.compactMap { $0 }
        return conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: " AND ")
    }

    /// Whether a row is in one of the scopes, of which there is at least one; `nil` where nobody
    /// asks.
    private func inScopes(
        _ scopes: Set<Scope>?, _ shape: TableShape, _ arguments: inout [Value]
    ) -> String? {
        guard let scopes else { return nil }
        // The tracking table's columns compare bytes. A plain column would bring its affinity, and
        // no index would be used.
        let matches = zip(shape.trackKeys, shape.keyColumns).map { "x.\($0) = +l.\($1)" }
        let names = scopes.sorted().map { scope in
            arguments.append(.text(scope.name))
            return "?\(arguments.count)"
        }
        return """
            EXISTS (
              SELECT 1 FROM \(shape.track) AS x WHERE \(matches.joined(separator: " AND "))
                AND x.scope IN (\(names.joined(separator: ", "))) AND x.live)
            """
    }

    /// Makes the functions known that compare values of these types. The connection keeps them.
    private func addFunctions(for types: Set<ColumnType>) throws {
        for type in types.subtracting(cache.comparedTypes) {
            guard ComparedValue.addFunction(for: type, to: handle) == SQLITE_OK else {
                throw CentralError(sqlite: handle)
            }
            cache.comparedTypes.insert(type)
        }
    }
}
