import MoorageCore
import MoorageWire

/// A table as a Swift record: what the source of one type is written from.
struct RecordModel {
    /// A column.
    struct Property {
        let column: ColumnDescription
        /// Without backticks.
        let name: String
        let type: SwiftType
        /// The cases, if the type is an enumeration of labels.
        let labels: [LabelCase]
        /// What the comment says, one line each.
        let notes: [String]
        let isOptional: Bool
        /// Whether the record writes the column. The database computes a generated one.
        let isWritten: Bool
        /// The value in the initializer; `nil` if an argument is needed.
        let initial: String?
    }

    /// The enumeration of a column's labels.
    struct Labels {
        let name: String
        let column: String
        let cases: [LabelCase]
    }

    /// A foreign key to a table with a record.
    struct Reference {
        /// The name in `ForeignKeys` and of the association, without backticks.
        let name: String
        let columns: [String]
        /// The type that it refers to, and the columns there.
        let type: String
        let referencedColumns: [String]
    }

    /// Another record's foreign key to this one.
    struct Inverse {
        let name: String
        let type: String
        /// The name of the reference there.
        let reference: String
        /// Whether at most one row refers to a row.
        let isOne: Bool
    }

    let table: TableDescription
    /// The type's name.
    let name: String
    let comment: String?
    let properties: [Property]
    let labels: [Labels]
    var references: [Reference] = []
    var inverses: [Inverse] = []

    /// The names of members that are no properties, for names that come later.
    var members: SwiftNames

    /// The property of the integer key that SQLite chooses, and a hub's key blocks allow.
    var chosenKey: Property? {
        guard table.keyBlock != nil, table.primaryKey.count == 1,
            properties[table.primaryKey[0]].type == .int64
        else { return nil }
        return properties[table.primaryKey[0]]
    }

    /// The property that identifies a row, if one column does.
    var key: Property? {
        table.primaryKey.count == 1 ? properties[table.primaryKey[0]] : nil
    }

    /// Whether the record can have an `id`, which is its key.
    var isIdentifiable: Bool {
        guard let key else { return false }
        return key.name == "id" || !properties.contains { $0.name == "id" }
    }

    /// Whether an app may write rows.
    var isWritable: Bool { table.direction.acceptsChanges }

    /// - Parameters:
    ///   - records: The names of all records, which no other type and no member may have.
    init(
        _ table: TableDescription, name: String, details: TableDetails?,
        among records: Set<String>, uuids: ModelOptions.UUIDs
    ) {
        self.table = table
        self.name = name
        comment = details?.comment
        var members = SwiftNames(taken: SwiftNames.recordMembers.union(records))
        let names = table.columns.map { members.unique(SwiftWords($0.names[0]).lowerCamel) }
        let isChosen =
            table.keyBlock != nil && table.primaryKey.count == 1
            && table.columns[table.primaryKey[0]].type == .integer
        // Where letters have no case, a type and a property could have one name.
        var types = SwiftNames(taken: SwiftNames.types.union(records).union(names))
        var labels: [Labels] = []
        var properties: [Property] = []
        for (position, column) in table.columns.enumerated() {
            let details = details?.columns[position]
            var type = SwiftType(column.type, uuids)
            var cases: [LabelCase] = []
            if type == .text, let texts = details?.labels, !texts.isEmpty {
                cases = Self.cases(texts)
                let typeName = types.unique(SwiftWords(column.names[0]).upperCamel)
                type = .labels(typeName)
                members.take(typeName)
                labels.append(Labels(name: typeName, column: column.names[0], cases: cases))
            }
            let isKey = isChosen && position == table.primaryKey[0]
            let isOptional = column.isNullable || column.isGenerated || isKey
            properties.append(
                Property(
                    column: column, name: names[position], type: type, labels: cases,
                    notes: Self.notes(column, details), isOptional: isOptional,
                    isWritten: !column.isGenerated,
                    initial: isKey
                        ? "nil" : Self.initial(column, type, cases, isOptional: isOptional)))
        }
        self.labels = labels
        self.properties = properties
        self.members = members
    }

    private static func cases(_ labels: [String]) -> [LabelCase] {
        // Members of the enumeration.
        var names = SwiftNames(taken: ["unrecognized", "rawValue", "known", "init", "self", "none"])
        return labels.map { label in
            LabelCase(name: names.unique(SwiftWords(label).lowerCamel), label: label)
        }
    }

    private static func notes(_ column: ColumnDescription, _ details: ColumnDetails?) -> [String] {
        var notes: [String] = []
        if let comment = details?.comment { notes.append(comment) }
        // A length or a scale says what the column accepts.
        if let original = details?.original, original.utf8.contains(UInt8(ascii: "(")) {
            notes.append("`\(original)`")
        }
        if column.isGenerated { notes.append("The hub's side writes it, and no app.") }
        if column.isNullable, !column.isGenerated, column.defaultValue == .central {
            notes.append("The central database has a default, which `nil` replaces with NULL.")
        }
        if column.type == .json { notes.append("A JSON document as text.") }
        if details?.isFile == true { notes.append("It refers to a file.") }
        return notes
    }

    private static func initial(
        _ column: ColumnDescription, _ type: SwiftType, _ labels: [LabelCase], isOptional: Bool
    ) -> String? {
        if case .value(let value) = column.defaultValue, !column.isGenerated,
            let literal = type.literal(value, known: labels)
        {
            return literal
        }
        // A default that Swift cannot write would silently become NULL.
        let hasDefault = column.defaultValue != .none && !column.isGenerated
        return isOptional && !hasDefault ? "nil" : nil
    }
}
