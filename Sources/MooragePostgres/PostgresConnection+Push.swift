import MoorageCore
import MoorageHub

/// Set-based writing: one statement for each table and kind, its rows as arrays.
extension PostgresConnection {
    func lockRows(_ table: AttachedTable, keys: [Key]) throws -> [Key: CentralRow] {
        let shape = try shape(of: table)
        var found: [Key: [Value]] = [:]
        let order = shape.keyColumns.map { "t.\(shape.column($0))" }.joined(separator: ", ")
        let parameters = try keyArrays(shape, keys)
        let rows = try link.query(
            """
            SELECT \(shape.readings("t")) FROM \(shape.name) t
            JOIN \(keySource(shape)) ON \(shape.match("t", "x"))
            ORDER BY \(order) FOR UPDATE OF t
            """, parameters)
        for index in 0..<rows.rowCount {
            let row = shape.row(rows, index)
            found[table.description.key(of: row)] = row
        }
        // After the lock: what the tracking table says of a row belongs to the row that is locked.
        var times: [Key: Int64] = [:]
        let names = shape.trackKeys.map { "y.\($0)" }.joined(separator: ", ")
        let tracked = try link.query(
            """
            SELECT \(shape.keyReadings("y")), max(y.changed_at) FROM \(shape.track) y
            JOIN \(keySource(shape)) ON \(shape.matchTrack("y", "x")) GROUP BY \(names)
            """, parameters)
        for index in 0..<tracked.rowCount {
            times[shape.key(tracked, index)] = tracked.integer(index, shape.keyColumns.count)
        }
        return Dictionary(
            keys.map { key in
                let values = found[key]
                let changedAt = times[key]
                return (
                    key,
                    CentralRow(
                        values: values, changedAt: changedAt,
                        isTombstone: values == nil && changedAt != nil)
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]] {
        let shape = try shape(of: table)
        var parameters = Parameters()
        for (index, column) in foreignKey.columns.enumerated() {
            try add(parents.map { $0[index] }, of: column, shape, to: &parameters)
        }
        let match = foreignKey.columns.enumerated().map { index, column in
            "t.\(shape.column(column)) = \(shape.writing("x.c\(index)", column))"
        }
        let result = try link.query(
            """
            SELECT \(shape.readings("t")) FROM \(shape.name) t
            JOIN \(source(shape, foreignKey.columns, keys: false)) ON \(match.joined(separator: " AND "))
            """, parameters)
        return (0..<result.rowCount).map { shape.row(result, $0) }
    }

    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        if rows.isEmpty { return }
        let shape = try shape(of: table)
        var parameters = Parameters()
        for (index, column) in columns.enumerated() {
            try add(rows.map { $0[index] }, of: column, shape, to: &parameters)
        }
        let names = columns.map(shape.column).joined(separator: ", ")
        let values = columns.enumerated().map { shape.writing("x.c\($0)", $1) }.joined(
            separator: ", ")
        let overriding =
            columns.contains(where: shape.isAlwaysIdentity) ? "OVERRIDING SYSTEM VALUE " : ""
        _ = try link.query(
            """
            INSERT INTO \(shape.name) (\(names)) \(overriding)
            SELECT \(values) FROM \(source(shape, columns, keys: false))
            """, parameters)
    }

    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws {
        if rows.isEmpty { return }
        let shape = try shape(of: table)
        var parameters = try keyArrays(shape, rows.map(\.key))
        for (index, column) in columns.enumerated() {
            try add(rows.map { $0.values[index] }, of: column, shape, to: &parameters)
        }
        let sets = columns.enumerated().map { index, column in
            "\(shape.column(column)) = \(shape.writing("x.c\(index)", column))"
        }
        _ = try link.query(
            """
            UPDATE \(shape.name) t SET \(sets.joined(separator: ", "))
            FROM \(source(shape, columns, keys: true)) WHERE \(shape.match("t", "x"))
            """, parameters)
    }

    func delete(_ table: AttachedTable, keys: [Key]) throws {
        if keys.isEmpty { return }
        let shape = try shape(of: table)
        _ = try link.query(
            "DELETE FROM \(shape.name) t USING \(keySource(shape)) WHERE \(shape.match("t", "x"))",
            try keyArrays(shape, keys))
    }

    func deferConstraints() throws { try link.simple("SET CONSTRAINTS ALL DEFERRED") }

    /// Every deferred constraint at once, whichever rows it is about.
    func checkConstraints(_ written: [WrittenRows]) throws {
        try link.simple("SET CONSTRAINTS ALL IMMEDIATE")
    }

    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        if times.isEmpty { return }
        let shape = try shape(of: table)
        var parameters = try keyArrays(shape, times.map(\.key))
        parameters.beginArray(.integers, count: times.count)
        for time in times { parameters.append(time.changedAt) }
        parameters.endArray()
        let keys = shape.trackKeys
        let arrays = shape.keyColumns.indices.map { "$\($0 + 1)" } + ["$\(keys.count + 1)"]
        _ = try link.query(
            """
            UPDATE \(shape.track) y SET changed_at = x.at
            FROM unnest(\(arrays.joined(separator: ", "))) AS x(\(keys.joined(separator: ", ")), at)
            WHERE \(shape.matchTrack("y", "x"))
            """, parameters)
    }

    // MARK: Arrays

    /// `unnest($1, $2) AS x(k0, k1)`, the keys of ``keyArrays(_:_:)``.
    func keySource(_ shape: TableShape) -> String { source(shape, [], keys: true) }

    private func source(_ shape: TableShape, _ columns: [Int], keys: Bool) -> String {
        let names = (keys ? shape.trackKeys : []) + columns.indices.map { "c\($0)" }
        let arrays = names.indices.map { "$\($0 + 1)" }
        return "unnest(\(arrays.joined(separator: ", "))) AS x(\(names.joined(separator: ", ")))"
    }

    func keyArrays(_ shape: TableShape, _ keys: [Key]) throws -> Parameters {
        var parameters = Parameters()
        for (index, column) in shape.keyColumns.enumerated() {
            try add(keys.map { $0.values[index] }, of: column, shape, to: &parameters)
        }
        return parameters
    }

    private func add(
        _ values: [Value], of column: Int, _ shape: TableShape, to parameters: inout Parameters
    ) throws {
        let kind = shape.arrayKind(column)
        parameters.beginArray(kind, count: values.count)
        for value in values {
            switch (kind, value) {
            case (_, .null): parameters.appendNull()
            case (.integers, .integer(let number)): parameters.append(number)
            case (.reals, .real(let number)): parameters.append(number)
            case (.reals, .integer(let number)): parameters.append(Double(number))
            case (.blobs, .blob(let bytes)): parameters.append(bytes)
            case (.texts, .text(let text)):
                parameters.append(try text.checkedForNUL(name(shape, column)))
            case (.texts, .integer(let number)): parameters.append(String(number))
            case (.texts, .real(let number)): parameters.append(number.description)
            case (.texts, .blob(let bytes)) where bytes.count == 16 && isUUID(shape, column):
                parameters.append(UUIDText.text(bytes))
            default:
                let message = "\(name(shape, column)) cannot take \(value.kindName)."
                throw CentralError(.refused(Refusal(code: .type, message: message)), message)
            }
        }
        parameters.endArray()
    }

    private func isUUID(_ shape: TableShape, _ column: Int) -> Bool {
        shape.table.description.columns[column].type == .uuid
    }

    private func name(_ shape: TableShape, _ column: Int) -> String {
        "\(shape.table.name).\(shape.table.description.columns[column].name)"
    }
}
