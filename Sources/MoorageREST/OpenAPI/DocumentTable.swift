import MoorageCore
import MoorageHub
import MoorageWire

/// One table in the document.
struct DocumentTable {
    private let table: RowTable
    /// What names of operations and components have of the table's name.
    let name: String
    /// The relations to tables that are offered, each with the other table's name in components.
    let relations: [(relation: RowRelation, other: String)]
    private let details: TableDetails?

    init(
        _ table: RowTable, name: String, relations: [(relation: RowRelation, other: String)],
        details: TableDetails?
    ) {
        self.table = table
        self.name = name
        self.relations = relations
        self.details = details
    }

    /// The table's name in the central database.
    var title: String { table.name }
    var description: TableDescription { table.description }
    var columns: [ColumnDescription] { description.columns }

    /// What the owner says of the table.
    var comment: String? { details?.comment }

    var path: String { "/v1/tables/\(PercentEncoding.encode(table.name))" }

    func componentName(_ component: DocumentNames.Component) -> String {
        name + component.rawValue
    }

    func schema(_ component: DocumentNames.Component) -> DocumentPart {
        .schema(componentName(component))
    }

    // MARK: Rights

    /// The columns that a new row may have in addition to its key; `nil` without that right.
    var insertable: [Int]? { table.insertable }
    var updatable: [Int] { table.updatable }
    var mayDelete: Bool { table.mayDelete }
    var mayInsert: Bool { insertable != nil }
    var mayUpdate: Bool { !updatable.isEmpty }
    /// Whether a user may write whole rows.
    var mayReplace: Bool { mayInsert || mayUpdate }
    var mayWrite: Bool { mayReplace || mayDelete }

    /// The columns that a user may set in some row, in the table's order.
    var writable: [Int] {
        let columns = Set(updatable + (insertable ?? []))
        return columns.sorted()
    }

    // MARK: Keys

    /// Whether the hub makes the key of a new row that names none.
    var isKeyMade: Bool {
        let key = description.primaryKey
        guard key.count == 1 else { return false }
        switch columns[key[0]].type {
        case .integer, .uuid: return true
        default: return false
        }
    }

    /// The names of the key's parts in a path. A column's name may have any character.
    var keyParameters: [String] {
        let names = description.keyNames
        if names.count == 1 { return ["key"] }
        let arePlain = names.allSatisfy { name in
            let bytes = Array(name.utf8)
            return (bytes.first.map(Self.isLetter) ?? false)
                && bytes.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) }
        }
        return arePlain ? names : names.indices.map { "key\($0 + 1)" }
    }

    /// The schema of a key as requests write it.
    ///
    /// - Parameter isNullable: Whether it may also be missing.
    func key(isNullable: Bool, _ use: ValueSchema.Use = .request) -> DocumentPart {
        let types = description.primaryKey.map { columns[$0].type }
        guard types.count > 1 else {
            return ValueSchema(type: types[0], use: use, isNullable: isNullable).part
        }
        let count = DocumentPart.integer(Int64(types.count))
        return [
            "type": isNullable ? ["array", "null"] : "array",
            "prefixItems": .list(types.map { ValueSchema(type: $0, use: use).part }),
            "minItems": count, "maxItems": count,
        ]
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    // MARK: Columns

    /// The schema of a column's values, with what the owner says of the column.
    func values(of column: Int, _ use: ValueSchema.Use, isNullable: Bool? = nil) -> DocumentPart {
        var schema = ValueSchema(type: columns[column].type, use: use)
        schema.isNullable = isNullable ?? columns[column].isNullable
        schema.labels = labels(of: column)
        return schema.part.adding("description", comment(of: column).map { .text($0) })
    }

    func comment(of column: Int) -> String? { details?.columns[column]?.comment }

    /// The only texts that a text column accepts; empty where it accepts others.
    func labels(of column: Int) -> [String] { details?.columns[column]?.labels ?? [] }

    func isReadOnly(_ column: Int) -> Bool {
        columns[column].isGenerated && !description.isKey(column)
    }

    /// Whether a new row must name the column.
    func isRequired(_ column: Int) -> Bool {
        !columns[column].isNullable && columns[column].defaultValue == .none
    }
}
