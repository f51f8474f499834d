import MoorageCore
import MoorageHub

/// A push in sets: one statement for each table and kind, as far as one packet has room for it.
extension MySQLConnection {
    func lockRows(_ table: AttachedTable, keys: [RowKey]) throws -> [RowKey: CentralRow] {
        let shape = try shape(of: table)
        var result: [RowKey: CentralRow] = [:]
        for key in keys { result[key] = .absent }
        // In one order, so that two pushes never wait for each other.
        let possible = result.keys.filter { shape.canBe($0) }
            .map { (key: $0, order: shape.elements(of: $0).compactMap(\.text)) }
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.key)
        for part in chunks(possible, { shape.elements(of: $0) }) {
            var list = Parameters()
            list.add(shape.list(part))
            let rows = try link.query(
                """
                SELECT x.i, \(shape.outputs("l"))
                FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
                FOR UPDATE
                """, list, [.integer] + shape.columnKinds, decides: true)
            // These are separate statements, so that they see everything that was written before
            // the row was locked.
            let tracked = try link.query(
                """
                SELECT x.i, max(r.changed_at)
                FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
                GROUP BY x.i
                """, list, [.integer, .integer], decides: true)
            let queued = try link.query(
                """
                SELECT x.i, q.changed_at
                FROM \(shape.queue) AS q STRAIGHT_JOIN \(shape.keyRows()) ON \(shape.sameKeys("q", "x"))
                ORDER BY q.id
                """, list, [.integer, .integer], decides: true)
            var values: [Int: [Value]] = [:]
            for row in 0..<rows.rowCount {
                values[Int(rows.integer(row, 0) ?? 0)] = shape.row(rows, row, from: 1)
            }
            var changedAt: [Int: HubTime] = [:]
            for answer in [tracked, queued] {
                for row in 0..<answer.rowCount {
                    changedAt[Int(answer.integer(row, 0) ?? 0)] = answer.integer(row, 1).map(
                        HubTime.init(milliseconds:))
                }
            }
            for (index, key) in part.enumerated() {
                let (row, time) = (values[index + 1], changedAt[index + 1])
                result[key] = CentralRow(
                    values: row, changedAt: time, isTombstone: row == nil && time != nil)
            }
        }
        return result
    }

    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]] {
        let shape = try shape(of: table)
        let natives = foreignKey.columns.map { shape.columns[$0] }
        let lists = try parents.map { parent in
            try zip(natives, parent).enumerated().map { ("c\($0)", try $1.0.text($1.1)) }
        }
        var found: [[Value]] = []
        for part in chunks(lists, { $0 }) {
            var list = Parameters()
            list.add(RowList.text(part))
            let columns = natives.indices.map {
                "c\($0) LONGTEXT CHARACTER SET utf8mb4 PATH '$.c\($0)'"
            }
            let matches = natives.enumerated().map { place, native in
                let value =
                    native.isText
                    ? native.native("x.c\(place)") : native.input(text: "x.c\(place)")
                return "l.\(native.quoted) = \(value)"
            }
            let rows = try link.query(
                """
                SELECT \(shape.outputs("l"))
                FROM (SELECT DISTINCT j.* FROM JSON_TABLE(?, '$[*]' COLUMNS (
                        \(columns.joined(separator: ", ")))) AS j) AS x
                STRAIGHT_JOIN \(shape.name) AS l ON \(matches.joined(separator: " AND "))
                """, list, shape.columnKinds)
            found += (0..<rows.rowCount).map { shape.row(rows, $0, from: 0) }
        }
        return found
    }

    // MARK: Writing

    /// Runs a write of the owner's rows.
    ///
    /// - Parameter isLate: Whether the server's checks of foreign keys may have to wait.
    private func writing(
        _ natives: [NativeColumn], of table: AttachedTable, _ rows: [[Value]], isLate: Bool,
        _ write: () throws -> Void
    ) throws {
        link.journal?.hasWritten = true
        try namingCharacterSet(natives, of: table, rows) { try checkingLater(isLate, write) }
    }

    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let shape = try shape(of: table)
        let natives = columns.map { shape.columns[$0] }
        for row in rows { try checkSize(of: row, natives, in: table) }
        let names = natives.map(\.quoted).joined(separator: ", ")
        let placeholders = "(\(natives.map { _ in "?" }.joined(separator: ", ")))"
        try writing(natives, of: table, rows, isLate: shape.facts.isInCycle) {
            if link.kind.bindsArrays, options.bindsArrays {
                for part in try chunks(rows, natives, most: 10_000) {
                    try link.bulk(
                        "INSERT INTO \(shape.name) (\(names)) VALUES \(placeholders)", part)
                }
            } else {
                for part in try chunks(rows, natives, most: min(1000, 60_000 / natives.count)) {
                    let count = part[0].count
                    let all = Array(repeating: placeholders, count: count).joined(separator: ", ")
                    try link.query(
                        "INSERT INTO \(shape.name) (\(names)) VALUES \(all)",
                        Parameters(rowsOf: part), isKept: count == 1000)
                }
            }
        }
    }

    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws {
        let shape = try shape(of: table)
        let rows = rows.filter { shape.canBe($0.key) }
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let natives = columns.map { shape.columns[$0] }
        var lists: [[(name: String, text: String?)]] = []
        var large: [KeyedValues] = []
        for row in rows {
            try checkSize(of: row.values, natives, in: table)
            let list =
                try shape.elements(of: row.key)
                + zip(natives, row.values).enumerated().map { ("c\($0)", try $1.0.text($1.1)) }
            if Self.estimate(list) > link.maximumPacket - Self.packetHead {
                large.append(row)
            } else {
                lists.append(list)
            }
        }
        let sets = natives.enumerated().map { "l.\($1.quoted) = \($1.input(text: "x.c\($0)"))" }
        let extra = natives.indices.map { "c\($0) LONGTEXT CHARACTER SET utf8mb4" }
        try writing(
            natives, of: table, rows.map(\.values),
            isLate: (shape.facts.isInCycle || isLeavingReferences) && shape.onlyRefers(columns)
        ) {
            for row in large { try update(shape, natives, row) }
            for part in chunks(lists, { $0 }) {
                var list = Parameters()
                list.add(RowList.text(part))
                try link.query(
                    """
                    UPDATE \(shape.keyRows(extra)) STRAIGHT_JOIN \(shape.name) AS l
                    ON \(shape.match("l", "x")) SET \(sets.joined(separator: ", "))
                    """, list)
            }
        }
    }

    /// Updates one row with its values as arguments. In a list of rows they would be up to six
    /// times as long.
    private func update(_ shape: TableShape, _ natives: [NativeColumn], _ row: KeyedValues) throws {
        var parameters = Parameters()
        parameters.add(shape.list([row.key]))
        for (native, value) in zip(natives, row.values) {
            var column = Parameters.Column(native.parameterKind)
            try native.append(value, to: &column)
            parameters.add(column)
        }
        let sets = natives.map { "l.\($0.quoted) = ?" }.joined(separator: ", ")
        try link.query(
            """
            UPDATE \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l
            ON \(shape.match("l", "x")) SET \(sets)
            """, parameters)
    }

    func delete(_ table: AttachedTable, keys: [RowKey]) throws {
        let shape = try shape(of: table)
        let keys = keys.filter { shape.canBe($0) }
        try writing(
            [], of: table, [],
            isLate: isLeavingReferences || shape.facts.isInCycle && shape.facts.isRestrictedOnly
        ) {
            for part in chunks(keys, { shape.elements(of: $0) }) {
                var list = Parameters()
                list.add(shape.list(part))
                try link.query(
                    """
                    DELETE l FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l
                    ON \(shape.match("l", "x"))
                    """, list)
            }
        }
    }

    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? {
        let shape = try shape(of: table)
        guard !shape.facts.mayChangeRows else { return nil }
        return Set(shape.columns.indices.filter { shape.columns[$0].isStoredAsWritten })
    }

    /// The triggers record the time of the clock. ``setChangedAt(_:times:)`` writes the right times
    /// later.
    func keeping(
        _ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void
    ) throws {
        try write()
    }

    /// The last queue entry of a key says when the row was changed.
    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        let shape = try shape(of: table)
        let lists = times.filter { shape.canBe($0.key) }.map {
            shape.elements(of: $0.key) + [("c0", String($0.changedAt.milliseconds))]
        }
        for part in chunks(lists, { $0 }) {
            var list = Parameters()
            list.add(RowList.text(part))
            try link.query(
                """
                INSERT INTO \(shape.queue) (id, \(shape.keyList()), changed_at)
                SELECT UUID_SHORT(), \(shape.keyList("x")), x.c0 FROM \(shape.keyRows(["c0 BIGINT"]))
                """, list)
        }
    }
}
