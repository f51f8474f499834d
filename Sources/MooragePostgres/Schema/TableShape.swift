import MoorageCore
import MoorageHub

/// An attached table in PostgreSQL's terms, and the SQL fragments that all statements on it share.
struct TableShape: Sendable {
    let table: AttachedTable
    /// One for each column of the description.
    let columns: [NativeColumn]
    let keys: [KeyColumn]
    /// Every column of the table is in the description.
    let isWhole: Bool
    /// Triggers or rules of the owner's may change what is written, or partitions have their own.
    let mayChangeRows: Bool
    let isPartitioned: Bool
    let schema: OwnerSchema

    let name: String
    let track: String

    init(
        _ table: AttachedTable, in schema: OwnerSchema, columns all: [NativeColumn],
        facts: TableFacts
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
        mayChangeRows = facts.mayChangeRows
        isPartitioned = facts.isPartitioned
        isWhole = columns.count == all.count
        self.schema = schema
        name = schema.table(table.name)
        track = schema.table(table.objectName("track"))
    }

    // MARK: Fragments

    /// `k0, k1`
    func keyNames(_ row: String? = nil) -> String {
        keys.indices.map { (row.map { $0 + "." } ?? "") + "k\($0)" }.joined(separator: ", ")
    }

    /// The portable values of a row's columns.
    func outputs(_ row: String) -> String {
        columns.map { $0.output("\(row).\($0.quoted)") }.joined(separator: ", ")
    }

    /// The portable values of `k0, k1, …`.
    func keyOutputs(_ row: String) -> String {
        keys.enumerated().map { $1.output("\(row).k\($0)") }.joined(separator: ", ")
    }

    /// A row of the table has the key in `other`'s `k0, k1, …`.
    func match(_ row: String, _ other: String, from texts: KeyTexts = .tracked) -> String {
        keys.enumerated().map { $1.match(row, "\(other).k\($0)", from: texts) }
            .joined(separator: " AND ")
    }

    /// Two rows with `k0, k1, …` have the same key.
    func sameKeys(_ left: String, _ right: String) -> String {
        keys.indices.map { "\(left).k\($0) = \(right).k\($0)" }.joined(separator: " AND ")
    }

    /// `k0, k1, …, i` of the parameter arrays from `$first` on, as a table named `x`; `extra`
    /// columns follow as they are.
    func keyRows(from first: Int = 1, extra: Int = 0) -> String {
        let all = keys.count + extra
        let arrays = (0..<all).map { "$\(first + $0)" }.joined(separator: ", ")
        let names = (0..<all).map { "p\($0)" }.joined(separator: ", ")
        var outputs = keys.enumerated().map { "\($1.tracked(parameter: "p.p\($0)")) AS k\($0)" }
        outputs += (0..<extra).map { "p.p\(keys.count + $0) AS c\($0)" }
        return """
            (SELECT \(outputs.joined(separator: ", ")), p.i
             FROM unnest(\(arrays)) WITH ORDINALITY AS p(\(names), i)) AS x
            """
    }

    // MARK: Parameters

    func add(keys list: [RowKey], to parameters: inout Parameters) throws {
        for (position, key) in keys.enumerated() {
            parameters.beginArray(key.column.arrayKind, count: list.count)
            for entry in list {
                let value = entry.values[position]
                // A value from the tracking table may be a date here but not on a device.
                if case .text(let text) = value, key.column.arrayKind == .texts {
                    parameters.append(text)
                } else {
                    try key.column.append(value, to: &parameters)
                }
            }
            parameters.endArray()
        }
    }

    func add(
        column: NativeColumn, count: Int, to parameters: inout Parameters, _ value: (Int) -> Value
    ) throws {
        parameters.beginArray(column.arrayKind, count: count)
        for index in 0..<count { try column.append(value(index), to: &parameters) }
        parameters.endArray()
    }

    /// Adds a key as scalars; ``position(from:)`` reads them.
    func add(position key: RowKey, to parameters: inout Parameters) {
        for (part, value) in zip(keys, key.values) { parameters.add(part.scalar(value), type: 25) }
    }

    func position(from first: Int) -> String {
        keys.enumerated().map { $1.tracked(scalar: "$\(first + $0)") }.joined(separator: ", ")
    }

    func canBe(_ key: RowKey, isOwn: Bool) -> Bool {
        key.values.count == keys.count
            && zip(keys, key.values).allSatisfy { $0.canBe($1, isOwn: isOwn) }
    }

    // MARK: Results

    func row(_ result: QueryResult, _ row: Int, from first: Int) -> [Value] {
        columns.indices.map { result.value(row, first + $0, columns[$0].resultKind) }
    }

    func key(_ result: QueryResult, _ row: Int, from first: Int) -> RowKey {
        table.description.key(
            keys.indices.map { result.value(row, first + $0, keys[$0].column.resultKind) })
    }
}
