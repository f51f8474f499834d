import MoorageCore
import SQLiteSupport

/// A column of the app that has another name than before.
struct ColumnRename: Sendable {
    let old: String
    let new: String
}

/// The columns of a local table as the replica last saw them. A column that the app renames keeps
/// what is known of it (V4).
struct TableLayout: Sendable {
    struct Column: Sendable {
        let name: String
        let declaredType: String
        /// The hub's name of the column when it was last synced; `nil` if it never was.
        var syncedName: String?
        /// Its earlier names here, the oldest first. Batches and lists may still have them.
        let formerNames: [String]
    }

    /// How many earlier names of a column are kept.
    private static let mostFormerNames = 16

    private(set) var columns: [Column]

    /// - Parameters:
    ///   - known: What the file remembers of the table; `nil` for a new one.
    ///   - renames: The columns that were renamed since.
    init(_ local: LocalTable, after known: TableRecord? = nil, renames: [ColumnRename] = []) {
        columns = local.columns.map { column in
            let old = renames.first { SQLText.isSameName($0.new, column.name) }?.old
            let name = old ?? column.name
            let before = known?.layout?.column(named: name)
            let formerNames = (before?.formerNames ?? []) + [old].compactMap { $0 }
            return Column(
                name: column.name, declaredType: column.declaredType,
                // An earlier build remembers the synced columns alone.
                syncedName: before?.syncedName
                    ?? known?.columns?.first { SQLText.isSameName($0, name) },
                formerNames: Array(formerNames.suffix(Self.mostFormerNames)))
        }
    }

    /// How a column stored its values when the table was last seen; `nil` for one that was not there.
    func affinity(of name: String, isStrict: Bool) -> Affinity? {
        column(named: name).map { Affinity(declaredType: $0.declaredType, isStrict: isStrict) }
    }

    func column(named name: String) -> Column? {
        columns.first { SQLText.isSameName($0.name, name) }
    }

    /// The present names of the columns, by their folded earlier ones.
    var presentNames: [Identifier: String] {
        Dictionary(
            columns.flatMap { column in
                column.formerNames.map { (Identifier(folding: $0), column.name) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The rename that turns this layout into the table's; `nil` if anything else changed. One
    /// column then has another name, at the same place and with the same type.
    func onlyRename(in local: LocalTable) -> ColumnRename? {
        guard columns.count == local.columns.count else { return nil }
        let others = zip(columns, local.columns).filter {
            !SQLText.isSameName($0.name, $1.name)
        }
        guard others.count == 1, let (before, now) = others.first,
            SQLText.isSameName(before.declaredType, now.declaredType)
        else { return nil }
        return ColumnRename(old: before.name, new: now.name)
    }

    /// Remembers by which names the hub has the columns.
    mutating func sync(_ table: SyncedTable) {
        for (column, name) in table.localNames.enumerated() {
            guard let place = columns.firstIndex(where: { SQLText.isSameName($0.name, name) })
            else { continue }
            columns[place].syncedName = table.description.columns[column].name
        }
    }
}

extension TableLayout {
    /// Each column is a list: its name, its type, its name at the hub, its earlier names.
    var jsonText: String {
        let rows = columns.map { column in
            let syncedName = column.syncedName.map(JSON.string) ?? .null
            let known: [JSON] = [.string(column.name), .string(column.declaredType), syncedName]
            return JSON.array(known + column.formerNames.map(JSON.string))
        }
        return String(decoding: JSONWriter.document { $0.json(.array(rows)) }, as: UTF8.self)
    }

    /// - Throws: An error for anything that ``jsonText`` does not write.
    init(jsonText: String) throws {
        guard case .array(let rows) = try JSON(parsing: jsonText) else {
            throw ReplicaError.metadataDamaged("layout")
        }
        columns = try rows.map { row in
            guard case .array(let parts) = row, parts.count > 2,
                let name = try Self.text(parts[0]), let type = try Self.text(parts[1])
            else { throw ReplicaError.metadataDamaged("layout") }
            return Column(
                name: name, declaredType: type, syncedName: try Self.text(parts[2]),
                formerNames: try parts.dropFirst(3).compactMap(Self.text))
        }
    }

    private static func text(_ value: JSON) throws -> String? {
        switch value {
        case .null: return nil
        case .string(let text): return text
        case .bool, .number, .array, .object: throw ReplicaError.metadataDamaged("layout")
        }
    }
}
