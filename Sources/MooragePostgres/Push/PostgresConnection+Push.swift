import MoorageCore
import MoorageHub

/// A push in sets: one statement for each table and kind, whatever the number of rows.
extension PostgresConnection {
    func lockRows(_ table: AttachedTable, keys: [RowKey]) throws -> [RowKey: CentralRow] {
        let shape = try shape(of: table)
        var result: [RowKey: CentralRow] = [:]
        for key in keys { result[key] = .absent }
        let possible = result.keys.filter { shape.canBe($0, isOwn: false) }
        guard !possible.isEmpty else { return result }
        var parameters = Parameters()
        try shape.add(keys: possible, to: &parameters)

        // In key order, so that two pushes never wait for each other. The lock sees the row as it
        // is then, not as the statement's snapshot shows it.
        let rows = try link.query(
            """
            SELECT x.i, \(shape.outputs("l"))
            FROM \(shape.keyRows()) JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
            ORDER BY \(shape.keyNames("x")) FOR UPDATE OF l
            """, parameters)
        // This is a separate statement, so that it sees everything that was written before the row
        // was locked.
        let facts = try link.query(
            """
            SELECT x.i, max(r.changed_at)
            FROM \(shape.keyRows()) JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
            GROUP BY x.i
            """, parameters)

        var values: [Int: [Value]] = [:]
        for row in 0..<rows.rowCount {
            values[Int(rows.integer(row, 0) ?? 0)] = shape.row(rows, row, from: 1)
        }
        var changedAt: [Int: HubTime] = [:]
        for row in 0..<facts.rowCount {
            changedAt[Int(facts.integer(row, 0) ?? 0)] = facts.integer(row, 1).map(
                HubTime.init(milliseconds:))
        }
        for (index, key) in possible.enumerated() {
            let (row, time) = (values[index + 1], changedAt[index + 1])
            result[key] = CentralRow(
                values: row, changedAt: time, isTombstone: row == nil && time != nil)
        }
        return result
    }

    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]] {
        let shape = try shape(of: table)
        guard !parents.isEmpty else { return [] }
        var parameters = Parameters()
        var arrays: [String] = []
        var names: [String] = []
        var matches: [String] = []
        for (position, column) in foreignKey.columns.enumerated() {
            let native = shape.columns[column]
            try shape.add(column: native, count: parents.count, to: &parameters) {
                parents[$0][position]
            }
            arrays.append("$\(position + 1)")
            names.append("c\(position)")
            let collation = native.collation.map { " COLLATE \($0)" } ?? ""
            let cast = native.family == .text ? "::\(native.typeName)" : ""
            matches.append(
                "l.\(native.quoted) \(native.equals) (\(native.input("x.c\(position)"))\(cast)\(collation))"
            )
        }
        let rows = try link.query(
            """
            SELECT \(shape.outputs("l"))
            FROM (SELECT DISTINCT * FROM unnest(\(arrays.joined(separator: ", "))) AS
                  p(\(names.joined(separator: ", ")))) AS x
            JOIN \(shape.name) AS l ON \(matches.joined(separator: " AND "))
            """, parameters)
        return (0..<rows.rowCount).map { shape.row(rows, $0, from: 0) }
    }

    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let shape = try shape(of: table)
        let natives = columns.map { shape.columns[$0] }
        var parameters = Parameters()
        for (position, column) in natives.enumerated() {
            try shape.add(column: column, count: rows.count, to: &parameters) {
                rows[$0][position]
            }
        }
        let names = natives.indices.map { "c\($0)" }.joined(separator: ", ")
        let arrays = natives.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let identity = natives.contains(where: \.isAlwaysIdentity)
        let sql = """
            INSERT INTO \(shape.name) (\(natives.map(\.quoted).joined(separator: ", ")))
            \(identity ? "OVERRIDING SYSTEM VALUE " : "")SELECT \
            \(natives.enumerated().map { $1.input("x.c\($0)") }.joined(separator: ", "))
            FROM unnest(\(arrays)) AS x(\(names))\(order(of: natives, shape))
            """
        let written = try naming(natives, rows) { try link.query(sql, parameters).writtenCount }
        guard written < rows.count else { return }
        let places = table.description.primaryKey.compactMap { columns.firstIndex(of: $0) }
        guard places.count == table.description.primaryKey.count else { return }
        let keys = rows.map { row in table.description.key(places.map { row[$0] }) }
        try checkArrival(of: keys, in: table) { $0 == keys.count }
    }

    /// In key order the server writes the key's index from one end to the other. Where a trigger or
    /// a default might count rows, they keep the order in which they were created.
    private func order(of columns: [NativeColumn], _ shape: TableShape) -> String {
        let isWhole = shape.isWhole && columns.count == shape.columns.count
        guard isWhole, !shape.mayChangeRows else { return "" }
        let keys = shape.keys.compactMap { key in
            columns.firstIndex(of: key.column).map { position in
                let collation = key.column.arrayKind == .texts ? " COLLATE \"C\"" : ""
                return "x.c\(position)\(collation)"
            }
        }
        return "\nORDER BY \(keys.joined(separator: ", "))"
    }

    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws {
        let shape = try shape(of: table)
        let rows = rows.filter { shape.canBe($0.key, isOwn: true) }
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let natives = columns.map { shape.columns[$0] }
        var parameters = Parameters()
        try shape.add(keys: rows.map(\.key), to: &parameters)
        for (position, column) in natives.enumerated() {
            try shape.add(column: column, count: rows.count, to: &parameters) {
                rows[$0].values[position]
            }
        }
        let sets = natives.enumerated().map { "\($1.quoted) = \($1.input("x.c\($0)"))" }
        let sql = """
            UPDATE \(shape.name) AS l SET \(sets.joined(separator: ", "))
            FROM \(shape.keyRows(extra: natives.count)) WHERE \(shape.match("l", "x"))
            """
        let written = try naming(natives, rows.map(\.values)) {
            try link.query(sql, parameters).writtenCount
        }
        // Rows that were deleted meanwhile are not written either.
        guard written < rows.count else { return }
        try checkArrival(of: rows.map(\.key), in: table) { $0 <= written }
    }

    func delete(_ table: AttachedTable, keys: [RowKey]) throws {
        let shape = try shape(of: table)
        let keys = keys.filter { shape.canBe($0, isOwn: true) }
        guard !keys.isEmpty else { return }
        var parameters = Parameters()
        try shape.add(keys: keys, to: &parameters)
        let written = try link.query(
            """
            DELETE FROM \(shape.name) AS l USING \(shape.keyRows()) WHERE \(shape.match("l", "x"))
            """, parameters
        ).writtenCount
        guard written < keys.count else { return }
        try checkArrival(of: keys, in: table) { $0 == 0 }
    }

    /// A trigger or rule of the owner's may leave a row out of a statement that succeeds.
    ///
    /// - Parameter isRight: Whether it is right that this many of the rows exist.
    private func checkArrival(
        of keys: [RowKey], in table: AttachedTable, _ isRight: (Int) -> Bool
    ) throws {
        guard table.description.direction.isReceived else { return }
        let there = try lockRows(table, keys: keys).values.count { $0.values != nil }
        guard isRight(there) else { throw CentralError.leftOut(of: table.name) }
    }

    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value {
        let native = try shape(of: table).columns[column]
        var parameters = Parameters()
        for word in RuleExpression.Word.allCases {
            // An array of one element, so that the value is sent like all others.
            parameters.beginArray(native.arrayKind, count: 1)
            try native.append(values[word], to: &parameters)
            parameters.endArray()
        }
        var sql = ""
        for piece in expression.pieces {
            switch piece {
            case .sql(let text): sql += text
            case .word(let word): sql += "rule.\(word.rawValue)"
            }
        }
        let arguments = RuleExpression.Word.allCases.enumerated().map {
            "(\(native.input("($\($0 + 1))[1]")))::\(native.typeName) AS \($1.rawValue)"
        }
        let result = try link.query(
            """
            SELECT \(native.output("((\(sql))::\(native.typeName))"))
            FROM (SELECT \(arguments.joined(separator: ", "))) AS rule
            """, parameters)
        return result.value(0, 0, native.resultKind)
    }

    func highestKey(of table: AttachedTable) throws -> Int64? {
        let shape = try shape(of: table)
        let column = shape.keys[0].column.quoted
        return try link.query("SELECT max(\(column))::bigint FROM \(shape.name)", Parameters())
            .integer(0, 0)
    }

    /// Takes the numbers one by one, because the sequence gives each number to one session only.
    /// Returns the longest run without a gap. Nothing sets the sequence, because that would race
    /// with other sessions.
    func reserveKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
    {
        let shape = try shape(of: table)
        var names = Parameters()
        names.add(shape.name)
        names.add(shape.keys[0].column.name)
        // With a cache a session gives out lower numbers than others did before.
        let sequences = try link.query(
            """
            SELECT s.seqrelid::bigint, s.seqmax,
              coalesce(pg_catalog.pg_sequence_last_value(s.seqrelid), s.seqstart - 1)
            FROM pg_catalog.pg_sequence AS s
            WHERE s.seqrelid = pg_catalog.pg_get_serial_sequence($1, $2)::regclass
              AND s.seqincrement = 1 AND s.seqcache = 1 AND NOT s.seqcycle
            """, names)
        guard sequences.rowCount == 1, let sequence = sequences.integer(0, 0),
            let most = sequences.integer(0, 1), let last = sequences.integer(0, 2)
        else {
            try shape.keys[0].column.checkRoom(for: count, above: floor, in: table.name)
            return nil
        }
        // Rows may have been inserted with keys of their own, ahead of the sequence.
        let behind = max(0, floor - last)
        guard behind <= Self.mostNumbersPassed else { return nil }
        // The owner's own inserts need the sequence, too.
        guard most - max(last, floor) - Int64(count) > most / 10 else {
            throw CentralError.sequenceUsedUp(of: table.name)
        }
        let numbers = try link.query(
            """
            SELECT nextval(\(sequence)::regclass) FROM generate_series(1, \(behind + Int64(count)))
            ORDER BY 1
            """, Parameters())
        var best: ClosedRange<Int64>?
        var run: ClosedRange<Int64>?
        for row in 0..<numbers.rowCount {
            guard let number = numbers.integer(row, 0), number > floor else { continue }
            let isNext = run.map { $0.upperBound + 1 == number } ?? false
            let now = (isNext ? run?.lowerBound ?? number : number)...number
            run = now
            if now.count > best?.count ?? 0 { best = now }
        }
        guard let best else { throw CentralError.keysTaken(of: table.name) }
        return best
    }

    /// The hub does not use a sequence that is further behind.
    private static let mostNumbersPassed: Int64 = 1_000_000

    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? {
        let shape = try shape(of: table)
        guard !shape.mayChangeRows else { return nil }
        return Set(shape.columns.indices.filter { shape.columns[$0].isStoredAsWritten })
    }

    func keeping(
        _ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void
    ) throws {
        let shape = try shape(of: table)
        let announced = AnnouncedTimes(shape)
        if announced.areSupported, times.count >= AnnouncedTimes.fewestRows,
            times.allSatisfy({ shape.canBe($0.key, isOwn: false) })
        {
            _ = try link.query(announced.announcement, parameters(times, shape))
        } else {
            unannounced.insert(table.number)
        }
        try write()
    }

    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        let shape = try shape(of: table)
        let times = times.filter { shape.canBe($0.key, isOwn: true) }
        guard try !times.isEmpty && !wereApplied(shape, times.count) else { return }
        _ = try link.query(
            """
            UPDATE \(shape.track) AS r SET changed_at = x.c0
            FROM \(shape.keyRows(extra: 1))
            WHERE \(shape.sameKeys("r", "x")) AND r.changed_at <> x.c0
            """, parameters(times, shape))
    }

    /// Whether the trigger functions have written all times that this transaction announced for a
    /// table.
    private func wereApplied(_ shape: TableShape, _ count: Int) throws -> Bool {
        let announced = AnnouncedTimes(shape)
        guard announced.areSupported, count >= AnnouncedTimes.fewestRows,
            !unannounced.contains(shape.table.number)
        else { return false }
        return try link.query(announced.wereApplied, Parameters(), asText: true).text(0, 0) == "t"
    }

    private func parameters(_ times: [KeyedTime], _ shape: TableShape) throws -> Parameters {
        var parameters = Parameters()
        try shape.add(keys: times.map(\.key), to: &parameters)
        parameters.beginArray(.integers, count: times.count)
        for time in times { parameters.append(time.changedAt.milliseconds) }
        parameters.endArray()
        return parameters
    }

    /// Finds and names the column that a value did not fit, because the server does not.
    private func naming<Result>(
        _ columns: [NativeColumn], _ rows: [[Value]], _ work: () throws -> Result
    ) throws -> Result {
        do {
            return try work()
        } catch let error as CentralError {
            let judged = columns.enumerated().filter { position, column in
                column.isJudgedByServer && rows.contains { $0[position] != .null }
            }.map(\.element)
            if let last = link.lastError, link.isOpen, !judged.isEmpty {
                let isName = last.isUnknownObject && judged.contains(where: \.isObjectName)
                // `hstore` and similar types report this as an internal error.
                let isForeign =
                    last.isInternal && judged.contains { $0.operatorSchema != nil }
                if last.isMistakeInText || isName || isForeign {
                    throw CentralError.misfit(in: judged, last.state)
                }
            }
            guard case .refused(let refusal) = error.kind, refusal.code == .type else {
                throw error
            }
            for (position, column) in columns.enumerated() {
                if let row = rows.first(where: { !column.fits($0[position]) }) {
                    throw column.misfit(row[position])
                }
            }
            if let last = link.lastError, last.isValueUnnamed, !judged.isEmpty {
                throw CentralError.misfit(in: judged, last.state)
            }
            throw error
        }
    }
}
