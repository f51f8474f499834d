import MoorageCore
import MoorageHub

/// A push in sets: one statement for each table and kind, as far as a packet holds it.
extension MySQLConnection {
    func lockRows(_ table: AttachedTable, keys: [Key]) throws -> [Key: CentralRow] {
        let shape = try shape(of: table)
        var result: [Key: CentralRow] = [:]
        for key in keys { result[key] = .absent }
        // In one order, so that two pushes never wait for each other crosswise.
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
                """, list, [.integer] + shape.columnKinds)
            // Statements of their own: what they say of a row was written before the row was locked.
            let tracked = try link.query(
                """
                SELECT x.i, max(r.changed_at)
                FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.track) AS r ON \(shape.sameKeys("r", "x"))
                GROUP BY x.i
                """, list, [.integer, .integer])
            let queued = try link.query(
                """
                SELECT x.i, q.changed_at
                FROM \(shape.queue) AS q STRAIGHT_JOIN \(shape.keyRows()) ON \(shape.sameKeys("q", "x"))
                ORDER BY q.id
                """, list, [.integer, .integer])
            var values: [Int: [Value]] = [:]
            for row in 0..<rows.rowCount {
                values[Int(rows.integer(row, 0) ?? 0)] = shape.row(rows, row, from: 1)
            }
            var changedAt: [Int: Int64] = [:]
            for answer in [tracked, queued] {
                for row in 0..<answer.rowCount {
                    changedAt[Int(answer.integer(row, 0) ?? 0)] = answer.integer(row, 1)
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

    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let shape = try shape(of: table)
        let natives = columns.map { shape.columns[$0] }
        for row in rows { try checkSize(of: row, natives, in: table) }
        let names = natives.map(\.quoted).joined(separator: ", ")
        let marks = "(\(natives.map { _ in "?" }.joined(separator: ", ")))"
        try checkingLater(shape.facts.isInCycle) {
            if link.kind.bindsArrays, options.bindsArrays {
                for part in try chunks(rows, natives, most: 10_000) {
                    try link.bulk("INSERT INTO \(shape.name) (\(names)) VALUES \(marks)", part)
                }
            } else {
                for part in try chunks(rows, natives, most: min(1000, 60_000 / natives.count)) {
                    let count = part[0].count
                    let all = Array(repeating: marks, count: count).joined(separator: ", ")
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
        try checkingLater(shape.facts.isInCycle && shape.onlyRefers(columns)) {
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

    /// One row by itself, its values as arguments: in a list of rows they would be up to six times as long.
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

    func delete(_ table: AttachedTable, keys: [Key]) throws {
        let shape = try shape(of: table)
        let keys = keys.filter { shape.canBe($0) }
        try checkingLater(shape.facts.isInCycle && shape.facts.isRestrictedOnly) {
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

    /// Runs a write without the server's checks of foreign keys, which come at once and not at the end:
    /// ``checkConstraints(_:)`` asks for what they would have. Only where no foreign-key action can follow.
    private func checkingLater(_ isNeeded: Bool, _ write: () throws -> Void) throws {
        guard isDeferring, isNeeded else { return try write() }
        try checkForeignKeys(false)
        defer { if !link.isOpen { isDeferring = false } }
        do {
            try write()
        } catch {
            try checkForeignKeys(true)
            throw error
        }
        try checkForeignKeys(true)
    }

    func checkForeignKeys(_ isOn: Bool) throws {
        guard link.isOpen else { return }
        try link.simple("SET SESSION foreign_key_checks = \(isOn ? 1 : 0)")
    }

    func deferConstraints() throws { isDeferring = true }

    func checkConstraints(_ written: [WrittenRows]) throws {
        guard isDeferring else { return }
        let cyclic = try written.filter { try shape(of: $0.table).facts.isInCycle }
        if cyclic.isEmpty { return }
        let edges = try readForeignEdges()
        for rows in cyclic {
            let shape = try shape(of: rows.table)
            for edge in edges where edge.child.hasSameBytes(as: rows.table.name) {
                try checkParents(of: rows.written, shape, edge)
            }
            for edge in edges where edge.parent.hasSameBytes(as: rows.table.name) {
                try checkChildren(of: rows.deleted, shape, edge)
            }
        }
    }

    /// The locks are those that a foreign key takes.
    private func checkParents(of keys: [Key], _ shape: TableShape, _ edge: ForeignEdge) throws {
        let match = zip(edge.referenced, edge.columns).map {
            "p.\(SQLText.name($0)) = l.\(SQLText.name($1))"
        }.joined(separator: " AND ")
        let isSet = edge.columns.map { "l.\(SQLText.name($0)) IS NOT NULL" }
            .joined(separator: " AND ")
        for part in chunks(keys.filter { shape.canBe($0) }, { shape.elements(of: $0) }) {
            var list = Parameters()
            list.add(shape.list(part))
            let orphans = try link.query(
                """
                SELECT x.i FROM \(shape.keyRows()) STRAIGHT_JOIN \(shape.name) AS l ON \(shape.match("l", "x"))
                LEFT JOIN \(SQLText.name(edge.parent)) AS p ON \(match)
                WHERE \(isSet) AND p.\(SQLText.name(edge.referenced[0])) IS NULL LIMIT 1 LOCK IN SHARE MODE
                """, list)
            if orphans.rowCount > 0 {
                throw Self.broken(
                    "A foreign key of \(edge.child) is violated: its parent does not exist.")
            }
        }
    }

    private func checkChildren(of rows: [[Value]], _ shape: TableShape, _ edge: ForeignEdge) throws
    {
        let natives = try edge.referenced.map { name -> (Int, NativeColumn) in
            guard let place = shape.columns.firstIndex(where: { $0.name.hasSameBytes(as: name) })
            else { throw CentralError(.failed, "\(shape.table.name) has no column \(name).") }
            return (place, shape.columns[place])
        }
        let lists = try rows.map { row in
            try natives.enumerated().map { ("c\($0)", try $1.1.text(row[$1.0])) }
        }
        let columns = natives.indices.map {
            "c\($0) LONGTEXT CHARACTER SET utf8mb4 PATH '$.c\($0)'"
        }
        let match = zip(natives, edge.columns).enumerated().map { place, pair in
            let native = pair.0.1
            let value =
                native.isText ? native.native("x.c\(place)") : native.input(text: "x.c\(place)")
            return "l.\(SQLText.name(pair.1)) = \(value)"
        }.joined(separator: " AND ")
        for part in chunks(lists, { $0 }) {
            var list = Parameters()
            list.add(RowList.text(part))
            let left = try link.query(
                """
                SELECT 1 FROM (SELECT j.* FROM JSON_TABLE(?, '$[*]' COLUMNS (
                  \(columns.joined(separator: ", ")))) AS j) AS x
                STRAIGHT_JOIN \(SQLText.name(edge.child)) AS l ON \(match) LIMIT 1 LOCK IN SHARE MODE
                """, list)
            if left.rowCount > 0 {
                throw Self.broken("Other rows refer to the deleted row of \(shape.table.name).")
            }
        }
    }

    private static func broken(_ message: String) -> CentralError {
        CentralError(.refused(Refusal(code: .foreignKey, message: message)), message)
    }

    // MARK: Parts

    private var mostBytes: Int { min(link.maximumPacket / 2, 4 << 20) }

    /// A server that gets a packet beyond its limit hangs up: nobody would learn which value it was.
    private func checkSize(
        of values: [Value], _ natives: [NativeColumn], in table: AttachedTable
    ) throws {
        let size = values.reduce(values.count * 12) { $0 + $1.byteCount }
        guard size > link.maximumPacket - Self.packetHead,
            let largest = zip(natives, values).max(by: { $0.1.byteCount < $1.1.byteCount })
        else { return }
        let message = """
            The column \(table.name).\(largest.0.name) has a value that makes its row larger than the \
            server takes at once, max_allowed_packet of \(link.maximumPacket) bytes.
            """
        throw CentralError(.refused(Refusal(code: .tooLarge, message: message)), message)
    }

    /// A control character is six in JSON; few texts are of them.
    private static func estimate(_ list: [(name: String, text: String?)]) -> Int {
        list.reduce(16) { $0 + ($1.text?.utf8.count ?? 0) * 2 + 12 }
    }

    /// Parts of a list, none of which is more text than a packet holds.
    func chunks<Element>(
        _ elements: [Element], _ texts: (Element) -> [(name: String, text: String?)]
    ) -> [[Element]] {
        var parts: [[Element]] = []
        var part: [Element] = []
        var bytes = 0
        for element in elements {
            let size = Self.estimate(texts(element))
            if !part.isEmpty, bytes + size > mostBytes || part.count == 10_000 {
                parts.append(part)
                part = []
                bytes = 0
            }
            part.append(element)
            bytes += size
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }

    /// Rows as columns of parameters, in parts that a packet holds.
    private func chunks(_ rows: [[Value]], _ natives: [NativeColumn], most: Int) throws
        -> [[Parameters.Column]]
    {
        var parts: [[Parameters.Column]] = []
        var part = natives.map { Parameters.Column($0.parameterKind) }
        var bytes = 0
        for row in rows {
            let size = row.reduce(0) { $0 + $1.byteCount }
            if let first = part.first, first.count > 0,
                bytes + size > mostBytes || first.count == max(1, most)
            {
                parts.append(part)
                part = natives.map { Parameters.Column($0.parameterKind) }
                bytes = 0
            }
            for (place, native) in natives.enumerated() {
                try native.append(row[place], to: &part[place])
            }
            bytes += size
        }
        if let first = part.first, first.count > 0 { parts.append(part) }
        return parts
    }

    // MARK: Rules and keys

    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value {
        let native = try shape(of: table).columns[column]
        var parameters = Parameters()
        var arguments: [String] = []
        for word in RuleExpression.Word.allCases {
            var list = Parameters.Column(.text)
            if let text = try native.text(values[word]) {
                list.append(text.utf8)
            } else {
                list.appendNull()
            }
            parameters.add(list)
            arguments.append("\(native.typed("?")) AS \(SQLText.name(word.rawValue))")
        }
        var sql = ""
        for piece in expression.pieces {
            switch piece {
            case .sql(let text): sql += text
            case .word(let word): sql += "rule.\(SQLText.name(word.rawValue))"
            }
        }
        let result = try link.query(
            """
            SELECT \(native.output(native.typed("(\(sql))", isText: false)))
            FROM (SELECT \(arguments.joined(separator: ", "))) AS rule
            """, parameters, [native.resultKind], isKept: false)
        return result.value(0, 0)
    }

    func highestKey(of table: AttachedTable) throws -> Int64? {
        let shape = try shape(of: table)
        return try link.query("SELECT max(\(shape.keys[0].column.quoted)) FROM \(shape.name)")
            .integer(0, 0)
    }

    /// InnoDB's counter follows the highest key that was ever inserted, and does not go back when that is
    /// undone: so a row with the last of the keys comes and goes.
    func takeKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
    {
        let shape = try shape(of: table)
        let key = shape.keys[0].column
        guard key.isAutomatic, shape.keys.count == 1 else {
            try key.checkRoom(for: count, above: floor, in: table.name)
            return nil
        }
        let next = try nextAutomaticKey(of: table)
        // Rows that others insert meanwhile take the first of these.
        let first = max(next, floor + 1) + Self.keysLeftToOthers
        try key.checkRoom(for: count + Int(Self.keysLeftToOthers), above: first, in: table.name)
        let last = first + Int64(count) - 1
        try savepoint()
        do {
            // A row of nothing but its key need not be one that the owner's checks let through.
            try link.simple(
                """
                SET SESSION sql_mode = 'ANSI_QUOTES', foreign_key_checks = 0\
                \(link.kind.isMariaDB ? ", check_constraint_checks = 0" : "");
                INSERT INTO \(shape.name) (\(key.quoted)) VALUES (\(last))
                """)
        } catch let error as CentralError {
            try restoreModes()
            try rollbackToSavepoint()
            guard case .refused = error.kind else { throw error }
            return nil
        }
        try restoreModes()
        try rollbackToSavepoint()
        guard try nextAutomaticKey(of: table) > last else {
            throw CentralError(.conflict, "others took numbers of \(table.name) meanwhile")
        }
        return first...last
    }

    private static let keysLeftToOthers: Int64 = 256

    private func restoreModes() throws {
        try link.simple(
            """
            \(Self.modeSetting); SET SESSION foreign_key_checks = 1\
            \(link.kind.isMariaDB ? ", check_constraint_checks = 1" : "")
            """)
    }

    private func nextAutomaticKey(of table: AttachedTable) throws -> Int64 {
        try link.query(
            """
            SELECT auto_increment FROM information_schema.tables
            WHERE table_schema = database() AND table_name = ?
            """, Self.parameters(table.name), [.integer], isKept: false
        ).integer(0, 0) ?? 1
    }

    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? {
        let shape = try shape(of: table)
        guard !shape.facts.mayChangeRows else { return nil }
        return Set(shape.columns.indices.filter { shape.columns[$0].isStoredAsWritten })
    }

    /// The triggers know the clock alone; the times follow.
    func keeping(
        _ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void
    ) throws {
        try write()
    }

    /// The last of a key's entries in the queue says when it was changed.
    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        let shape = try shape(of: table)
        let lists = times.filter { shape.canBe($0.key) }.map {
            shape.elements(of: $0.key) + [("c0", String($0.changedAt))]
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

extension TableShape {
    /// Whether nothing refers to these columns: writing them changes no other row.
    func onlyRefers(_ columns: [Int]) -> Bool {
        columns.allSatisfy { !facts.referenced.contains(self.columns[$0].name) }
    }
}
