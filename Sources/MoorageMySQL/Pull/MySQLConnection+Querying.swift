import MoorageCore
import MoorageHub

/// What programs read that are no replicas. Without scopes a statement names the owner's table
/// alone.
extension MySQLConnection {
    func rows(_ table: AttachedTable, _ query: RowQuery) throws -> [[Value]] {
        guard query.scopes?.isEmpty != true else { return [] }
        let shape = try shape(of: table)
        var sql = RowQuerySQL(MySQLQuery(shape))
        let condition = try sql.conditions(of: query)
        var parameters = try parameters(of: sql.dialect)
        let conditions = [condition, try inScopes(query.scopes, shape, &parameters)]
        parameters.add(Int64(max(0, query.limit)))
        let columns = query.columns.map { shape.columns[$0] }
        let outputs = columns.map { $0.output("l.\($0.quoted)") }.joined(separator: ", ")
        let answer = try link.query(
            """
            SELECT \(outputs) FROM \(shape.name) AS l\(Self.whereClause(conditions))
            ORDER BY \(sql.order(of: query)) LIMIT ?
            """, parameters, columns.map(\.resultKind))
        return (0..<answer.rowCount).map { row in columns.indices.map { answer.value(row, $0) } }
    }

    func count(_ table: AttachedTable, _ query: RowQuery, most: Int) throws -> Int {
        guard query.scopes?.isEmpty != true else { return 0 }
        let shape = try shape(of: table)
        var sql = RowQuerySQL(MySQLQuery(shape))
        let condition = try sql.conditions(of: query, isCount: true)
        var parameters = try parameters(of: sql.dialect)
        let conditions = [condition, try inScopes(query.scopes, shape, &parameters)]
        parameters.add(Int64(max(0, most)))
        let answer = try link.query(
            """
            SELECT count(*) FROM (
              SELECT 1 FROM \(shape.name) AS l\(Self.whereClause(conditions)) LIMIT ?) AS part
            """, parameters, [.integer])
        return Int(clamping: answer.integer(0, 0) ?? 0)
    }

    private static func whereClause(_ conditions: [String?]) -> String {
        let conditions = conditions.compactMap { $0 }
        return conditions.isEmpty ? "" : "\nWHERE " + conditions.joined(separator: " AND ")
    }

    /// - Throws: `refused` for more than a packet has room for. The server would close the
    ///   connection.
    private func parameters(of query: MySQLQuery) throws -> Parameters {
        guard query.byteCount + query.parameters.count * 12 <= link.maximumPacket - Self.packetHead
        else { throw CentralError.argumentsTooLarge(limit: link.maximumPacket) }
        return query.parameters
    }

    /// Whether a row is in one of the scopes, of which there is at least one; `nil` where nobody
    /// asks.
    ///
    /// Of a row without a number the tracking table says what was. Its scopes follow from the row
    /// as it is, as in ``rows(_:keys:in:)``.
    private func inScopes(
        _ scopes: Set<Scope>?, _ shape: TableShape, _ parameters: inout Parameters
    ) throws -> String? {
        guard let scopes else { return nil }
        let unnumberedRows = try unnumberedRows(of: shape)
        guard !unnumberedRows.isTruncated else {
            throw CentralError.tooManyUnnumbered(of: shape.table.name)
        }
        for scope in scopes.sorted() { parameters.add(Value.blob(Array(scope.name.utf8))) }
        let names = scopes.map { _ in "?" }.joined(separator: ", ")
        var conditions = [shape.match("l", "r"), "r.scope IN (\(names))", "r.live"]
        if let exclusion = exclusion(unnumberedRows, shape, &parameters) {
            conditions.append(exclusion)
        }
        let isTracked = """
            EXISTS (
              SELECT 1 FROM \(shape.track) AS r WHERE \(conditions.joined(separator: " AND ")))
            """
        let live = unnumberedRows.entries.filter { $0.isLive && scopes.contains(Scope($0.scope)) }
        guard !live.isEmpty else { return isTracked }
        parameters.add(shape.list(Array(Set(live.map(\.key)))))
        return """
            (\(isTracked)
             OR EXISTS (SELECT 1 FROM \(shape.keyRows()) WHERE \(shape.match("l", "x"))))
            """
    }
}
