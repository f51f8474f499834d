import MoorageCore
import MoorageHub

/// What else decides how to write a table.
struct TableFacts: Hashable, Sendable {
    /// Triggers of the owner's, or columns that change by themselves.
    let mayChangeRows: Bool
    /// Foreign keys lead from the table back to it.
    let isInCycle: Bool
    /// Deleting a row changes no other row. The server refuses it while others refer to the row.
    let isRestrictedOnly: Bool
    /// The columns that foreign keys refer to.
    let referenced: Set<String>
}

/// An attached table in the database's terms, and the SQL fragments that all statements on it
/// share.
struct TableShape: Sendable {
    let table: AttachedTable
    /// One for each column of the description.
    let columns: [NativeColumn]
    let keys: [KeyColumn]
    let facts: TableFacts
    let kind: ServerKind

    let name: String
    let track: String
    let queue: String

    init(
        _ table: AttachedTable, columns all: [NativeColumn], facts: TableFacts, kind: ServerKind
    ) throws {
        let description = table.description
        let keyed = description.keyedColumns
        columns = try description.columns.enumerated().map { position, column in
            guard var found = all.first(where: { $0.name.hasSameBytes(as: column.name) }) else {
                throw CentralError.columnGone(column.name, of: table.name)
            }
            found.isKeyed = keyed.contains(position)
            return found
        }
        let columns = columns
        keys = try description.primaryKey.map { position in
            guard let key = KeyColumn(columns[position]) else {
                throw CentralError.keyTypeChanged(of: table.name)
            }
            return key
        }
        self.table = table
        self.facts = facts
        self.kind = kind
        name = SQLText.name(table.name)
        track = SQLText.name(table.objectName("track"))
        queue = SQLText.name(table.objectName("queue"))
    }

    // MARK: Fragments

    var keyNames: [String] { keys.indices.map { "k\($0)" } }

    /// The types of `k0, k1, …`. A type that can grow gets more room, as far as an index has some
    /// to spare.
    var trackTypes: [String] {
        var spare = 2_048 - keys.reduce(0) { $0 + $1.maximumBytes }
        return keys.map { key in
            guard key.mayGrow else { return key.trackType }
            let more = max(0, min(1_020 - key.maximumBytes, spare))
            spare -= more
            return key.trackType(bytes: key.maximumBytes + more)
        }
    }

    /// Whether columns of these types keep every possible key.
    func isKept(as types: [String]) -> Bool {
        types.count == keys.count && zip(keys, types).allSatisfy { $0.isKept(as: $1) }
    }

    /// `k0, k1`
    func keyList(_ row: String? = nil) -> String {
        keyNames.map { (row.map { $0 + "." } ?? "") + $0 }.joined(separator: ", ")
    }

    /// The keys of a row of the table as the tracking table stores them.
    func tracked(_ row: String) -> [String] { keys.map { $0.tracked(row) } }

    func trackedList(_ row: String) -> String { tracked(row).joined(separator: ", ") }

    func trackedNamed(_ row: String) -> String {
        zip(tracked(row), keyNames).map { "\($0) AS \($1)" }.joined(separator: ", ")
    }

    /// The portable values of a row's columns.
    func outputs(_ row: String) -> String {
        columns.map { $0.output("\(row).\($0.quoted)") }.joined(separator: ", ")
    }

    /// The portable values of `k0, k1, …`.
    func keyOutputs(_ row: String) -> String {
        zip(keys, keyNames).map { $0.output("\(row).\($1)") }.joined(separator: ", ")
    }

    var keyKinds: [ResultKind] { keys.map(\.resultKind) }
    var columnKinds: [ResultKind] { columns.map(\.resultKind) }

    /// A row of the table has the key in `other`'s `k0, k1, …`.
    func match(_ row: String, _ other: String) -> String {
        zip(keys, keyNames).map { $0.match(row, "\(other).\($1)") }.joined(separator: " AND ")
    }

    /// Two rows with `k0, k1, …` have the same key.
    func sameKeys(_ left: String, _ right: String) -> String {
        keyNames.map { "\(left).\($0) = \(right).\($0)" }.joined(separator: " AND ")
    }

    /// The condition of rows after a key in the order of keys, with the parameters of
    /// ``positionValues(_:)``. It compares each column, because a comparison of rows is no range
    /// for the optimizer.
    func isBehind(_ row: String) -> String {
        let parts = keyNames.indices.map { last in
            (0...last).map { place in
                "\(row).k\(place) \(place == last ? ">" : "=") \(keys[place].trackedParameter)"
            }.joined(separator: " AND ")
        }
        return "(\(parts.map { "(\($0))" }.joined(separator: " OR ")))"
    }

    /// The same for a row of the table in the order of its own index, with the parameters of
    /// ``orderValues(_:)``.
    func isRowBehind(_ row: String) -> String {
        let parts = keys.indices.map { last in
            (0...last).map { place in
                let key = keys[place]
                return "\(key.order(row)) \(place == last ? ">" : "=") \(key.orderParameter)"
            }.joined(separator: " AND ")
        }
        return "(\(parts.map { "(\($0))" }.joined(separator: " OR ")))"
    }

    /// - Parameter position: The values of ``KeyColumn/orderOutput(_:)`` for each key column.
    func orderValues(_ position: [Value]) -> [Value] {
        keys.indices.flatMap { last in (0...last).map { keys[$0].orderParameter(position[$0]) } }
    }

    func positionValues(_ key: RowKey) -> [Value] {
        keys.indices.flatMap { last in (0...last).map { keys[$0].parameter(key.values[$0]) } }
    }

    // MARK: Lists of rows as one argument

    /// `i, k0, k1, …` of a JSON list of rows, with further columns as they are declared.
    func keyRows(_ extra: [String] = []) -> String {
        var columns = ["i FOR ORDINALITY"]
        columns += zip(keys, keyNames).map { "\($1) \($0.listType) PATH '$.\($1)'" }
        columns += extra.map { definition in
            let name = definition.prefix { $0 != " " }
            return "\(definition) PATH '$.\(name)'"
        }
        var outputs = ["j.i"]
        outputs += zip(keys, keyNames).map { "\($0.tracked(element: "j.\($1)")) AS \($1)" }
        outputs += extra.map { "j.\($0.prefix { $0 != " " })" }
        return """
            (SELECT \(outputs.joined(separator: ", "))
             FROM JSON_TABLE(?, '$[*]' COLUMNS (\(columns.joined(separator: ", ")))) AS j
             LIMIT 18446744073709551615) AS x
            """
    }

    func elements(of key: RowKey) -> [(name: String, text: String?)] {
        zip(keys, keyNames).enumerated().map { place, key2 in
            (key2.1, key2.0.element(key.values[place]))
        }
    }

    func list(_ keys: [RowKey]) -> String { RowList.text(keys.map { elements(of: $0) }) }

    func canBe(_ key: RowKey) -> Bool {
        key.values.count == keys.count && zip(keys, key.values).allSatisfy { $0.canBe($1) }
    }

    // MARK: Results

    func row(_ result: QueryResult, _ row: Int, from first: Int) -> [Value] {
        columns.indices.map { result.value(row, first + $0) }
    }

    func key(_ result: QueryResult, _ row: Int, from first: Int) -> RowKey {
        table.description.key(keys.indices.map { result.value(row, first + $0) })
    }
}
