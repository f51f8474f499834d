import MoorageCore
import MoorageHub

/// What a client says of a table, against the table itself.
struct ManifestTable {
    /// What a client says of one row.
    struct Entry {
        let written: ManifestEntry
        let key: RowKey
        /// The value of the column that says when the row was changed.
        fileprivate let modified: Value
    }

    let table: RowTable
    let entries: [Entry]
    private let modified: Int?
    private let digest: RowDigest?

    /// - Throws: ``RESTProblem`` or ``RowProblem`` for what does not fit the table.
    init(_ manifest: TableManifest, of table: RowTable) throws {
        self.table = table
        let modified = try manifest.modified.map { try Self.time(named: $0, of: table) }
        let digest = try RowDigest(manifest.digested, of: table)
        entries = try manifest.entries.map { entry in
            var value = Value.null
            if case .modified(let json) = entry.state {
                guard let modified else { throw RESTProblem.noModified(in: table.name) }
                let column = table.description.columns[modified]
                guard let time = column.type.value(of: json) else {
                    throw RESTProblem.wrongType(column, of: table.name)
                }
                value = time
            }
            if case .digest = entry.state, digest == nil {
                throw RESTProblem.noDigested(in: table.name)
            }
            let key = try table.description.key(ofDocument: entry.key)
            return Entry(written: entry, key: key, modified: value)
        }
        self.modified = modified
        self.digest = digest
    }

    func range(_ range: ManifestRange) throws -> KeyRange {
        KeyRange(
            after: try range.after.map { try table.description.key(ofDocument: $0) },
            upTo: try range.upTo.map { try table.description.key(ofDocument: $0) })
    }

    private static func time(named name: String, of table: RowTable) throws -> Int {
        let column = try table.column(named: name)
        let description = table.description.columns[column]
        guard description.type.isTime else {
            throw RESTProblem.noTime(description, of: table.name)
        }
        return column
    }

    func comparison(_ entry: Entry, with row: RowContent) -> ManifestSection.Comparison {
        switch entry.written.state {
        case .version(let version): return version.hasSameBytes(as: row.etag) ? .same : .laterHere
        case .digest(let text):
            return digest?.text(of: row).hasSameBytes(as: text) == true ? .same : .different
        case .unknown: return .unknown
        case .modified:
            guard let column = modified else { return .unknown }
            let (mine, own) = (entry.modified, row.values[column])
            switch (mine.isNull, own.isNull) {
            case (true, true): return .same
            // NULL is less than every value.
            case (true, false): return .laterHere
            case (false, true): return .laterThere
            case (false, false): break
            }
            let type = table.description.columns[column].type
            if type.equal(mine, own) { return .same }
            return type.isBefore(mine, own).map { $0 ? .laterHere : .laterThere } ?? .different
        }
    }
}

/// Makes digests of rows.
private struct RowDigest {
    private let columns: [(place: Int, type: ColumnType)]

    /// - Parameter names: Of columns, in the order in which the digest has them.
    /// - Returns: `nil` without names.
    init?(_ names: [String], of table: RowTable) throws {
        if names.isEmpty { return nil }
        var columns: [(place: Int, type: ColumnType)] = []
        for name in names {
            let column = try table.column(named: name)
            let description = table.description.columns[column]
            guard !columns.contains(where: { $0.place == column }) else {
                throw RESTProblem.columnTwice(name, of: table.name)
            }
            guard description.type.hasDigest else {
                throw RESTProblem.notDigested(description, of: table.name)
            }
            columns.append((column, description.type))
        }
        self.columns = columns
    }

    func text(of row: RowContent) -> String {
        var digest = SHA256()
        let texts = columns.map { column in
            AnsweredValue(row.values[column.place], of: column.type).plainText
                .map(PercentEncoding.encode) ?? Self.null
        }
        digest.add(texts.joined(separator: ",").utf8)
        return digest.hex
    }

    /// No encoded text has it.
    private static let null = "!"
}

extension ColumnType {
    /// Whether a column may say when a row was changed.
    var isTime: Bool {
        switch self {
        case .integer, .date, .timestamp, .instant: true
        case .real, .decimal, .boolean, .text, .uuid, .blob, .time, .json: false
        }
    }

    /// Whether all programs write a value in one way.
    var hasDigest: Bool {
        switch self {
        case .real, .json: false
        case .integer, .decimal, .boolean, .text, .uuid, .blob, .date, .time, .timestamp, .instant:
            true
        }
    }
}
