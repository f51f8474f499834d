import MoorageCore
import MoorageHub

/// One relation of the catalog, and whether it can be synced.
struct Relation {
    let name: String
    let kind: String
    let inherits: Bool
    let columns: [SchemaReader.Column]
    let indexes: [SchemaReader.Index]
    let foreignKeys: [SchemaReader.Foreign]

    func support(
        names: [String: String], columns all: [String: [SchemaReader.Column]]
    ) -> CentralTable.Support {
        switch kind {
        case "v": return .unsupported("\(name) is a view; sync the tables behind it.")
        case "m": return .unsupported("\(name) is a materialized view; sync the tables behind it.")
        case "f": return .unsupported("\(name) is a foreign table; sync it where it lives.")
        case "r" where inherits:
            return .unsupported(
                "\(name) takes part in inheritance, where keys are not unique. Use partitions instead."
            )
        default: break
        }
        guard let primary = indexes.first(where: \.isPrimary) else {
            return .unsupported(
                """
                The table \(name) has no primary key. Give it one (ALTER TABLE … ADD PRIMARY KEY); \
                without it rows cannot be told apart.
                """)
        }
        var descriptions: [ColumnDescription] = []
        for column in columns {
            guard let type = column.portableType else {
                return .unsupported(
                    """
                    The column \(name).\(column.name) has the type \(column.typeName), which cannot be \
                    synced. Leave the table out, or keep the column in a table of its own.
                    """)
            }
            descriptions.append(
                ColumnDescription(
                    name: column.name, type: type, isNullable: !column.isNotNull,
                    defaultValue: column.isComputed
                        ? .central : ColumnDefault(postgres: column.defaultText, type: type),
                    isGenerated: column.isGenerated))
        }
        return .supported(
            TableDescription(
                name: name, columns: descriptions, primaryKey: positions(primary.columns),
                uniqueKeys: indexes.filter { !$0.isPrimary }.map { positions($0.columns) },
                foreignKeys: foreignKeys.compactMap { foreignKey($0, names, all) }))
    }

    private func positions(_ numbers: [String]) -> [Int] {
        numbers.compactMap { number in columns.firstIndex { $0.number == number } }
    }

    private func foreignKey(
        _ foreign: SchemaReader.Foreign, _ names: [String: String],
        _ all: [String: [SchemaReader.Column]]
    ) -> ForeignKey? {
        guard let parent = names[foreign.parent] else { return nil }
        let referenced = foreign.referenced.compactMap { number in
            all[foreign.parent]?.first { $0.number == number }?.name
        }
        return ForeignKey(
            columns: positions(foreign.columns), referencedTable: parent,
            referencedColumns: referenced,
            onDelete: .init(postgres: foreign.onDelete),
            onUpdate: .init(postgres: foreign.onUpdate),
            isDeferrable: foreign.isDeferrable)
    }
}

extension ForeignKey.Action {
    fileprivate init(postgres code: String) {
        switch code {
        case "c": self = .cascade
        case "n": self = .setNull
        case "d": self = .setDefault
        case "r": self = .restrict
        default: self = .noAction
        }
    }
}

extension SchemaReader.Column {
    /// What the type means (docs/types.md); whatever has a text form goes by it.
    fileprivate var portableType: ColumnType? {
        switch typeName {
        case "int2", "int4", "int8": .integer
        case "bool": .boolean
        case "float4", "float8": .real
        case "numeric", "money": .decimal
        case "bytea": .blob
        case "uuid": .uuid
        case "date": .date
        case "time": .time(fractionDigits: fractionDigits)
        case "timestamp": .timestamp(fractionDigits: fractionDigits)
        case "timestamptz": .instant(fractionDigits: fractionDigits)
        case "json", "jsonb": .json
        default: ["b", "e", "r", "m"].contains(typeKind) ? .text : nil
        }
    }
}

extension ColumnDefault {
    /// A constant is known to everyone; an expression to the central database alone.
    fileprivate init(postgres text: String?, type: ColumnType) {
        guard let text else {
            self = .none
            return
        }
        if text.hasPrefix("NULL") {
            self = .none
        } else if text == "true" || text == "false" {
            self = .value(.integer(text == "true" ? 1 : 0))
        } else if let constant = Self.constant(text) {
            self = .value(Self.value(constant, type))
        } else {
            self = .central
        }
    }

    /// `7`, `(-7)`, `0.5`, `'text'::type`: the constant inside; `nil` for anything else.
    private static func constant(_ text: String) -> String? {
        let plain =
            text.hasPrefix("(") && text.hasSuffix(")") ? String(text.dropFirst().dropLast()) : text
        if ColumnType.significantDigits(ofDecimal: plain) != nil { return plain }
        guard plain.hasPrefix("'") else { return nil }
        var content = ""
        var rest = plain.dropFirst()
        while let character = rest.popFirst() {
            guard character == "'" else {
                content.append(character)
                continue
            }
            if rest.first == "'" {
                content.append("'")
                rest.removeFirst()
                continue
            }
            // Behind the constant stands its type and nothing else: `::character varying`, no call.
            let isCast = rest.isEmpty || (rest.hasPrefix("::") && !rest.contains("("))
            return isCast ? content : nil
        }
        return nil
    }

    private static func value(_ text: String, _ type: ColumnType) -> Value {
        switch type {
        case .integer: Int64(text).map(Value.integer) ?? .text(text)
        case .boolean: .integer(["t", "true", "1"].contains(text) ? 1 : 0)
        case .real: Double(text).map(Value.real) ?? .text(text)
        default: .text(text)
        }
    }
}
