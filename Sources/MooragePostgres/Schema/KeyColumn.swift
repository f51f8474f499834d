import MoorageCore

/// Where the texts of keys come from. The owner may rename a label of an enumeration after a text
/// was written.
enum KeyTexts: Hashable, Sendable {
    /// From rows as the statement itself finds them.
    case rows
    /// From texts written at any time, in a statement that finds rows by an index.
    case tracked
    /// From texts written at any time, in a statement of the owner's, which must not fail. It uses
    /// no index.
    case compared
}

/// A key column in the tracking table, where keys are compared by bytes.
///
/// The tracking type is the widest of its family. So a column is still tracked after the owner
/// changes its type within the family.
struct KeyColumn: Hashable, Sendable {
    let column: NativeColumn

    /// `nil` when keys of the type cannot be tracked.
    init?(_ column: NativeColumn) {
        switch column.family {
        case .integer where column.typeID == 26, .money, .json, .other: return nil
        case .text where column.typeID == 18 || column.typeID == 19: return nil
        default: self.column = column
        }
    }

    /// Whether the tracking table orders the key by bytes, while the owner's index may not.
    var isOrderedByBytes: Bool { isText }

    private var isText: Bool { column.family == .text || column.family == .enumeration }

    var trackType: String {
        isText ? "text COLLATE \"C\"" : castType
    }

    /// The type without its collation.
    var plainTrackType: String { castType }

    private var castType: String {
        switch column.family {
        case .integer: "bigint"
        case .boolean: "boolean"
        case .real: "double precision"
        case .numeric: "numeric"
        case .blob: "bytea"
        case .uuid: "uuid"
        case .date: "date"
        case .time: "time"
        case .timestamp: "timestamp"
        case .instant: "timestamptz"
        default: "text"
        }
    }

    /// A value of the tracking type, compared as in the tracking table.
    func collated(_ value: String) -> String { isText ? "(\(value) COLLATE \"C\")" : value }

    /// The tracked value of a row of the table.
    func tracked(_ row: String) -> String {
        collated("\(row).\(column.quoted)::\(castType)")
    }

    /// The tracked value of an element of a parameter array.
    func tracked(parameter: String) -> String {
        switch column.family {
        case .integer, .real, .blob: parameter
        case .boolean: "(\(parameter) <> 0)"
        default: isText ? "(\(parameter) COLLATE \"C\")" : "\(parameter)::\(castType)"
        }
    }

    /// The tracked value of a scalar parameter, which arrives as text.
    func tracked(scalar: String) -> String {
        isText ? "(\(scalar)::text COLLATE \"C\")" : "\(scalar)::\(castType)"
    }

    /// Whether a row of the table has the tracked value. The column's own comparison uses its
    /// index. Where that calls different values equal, a comparison by bytes follows.
    func match(_ row: String, _ tracked: String, from texts: KeyTexts) -> String {
        let own = "\(row).\(column.quoted)"
        switch column.family {
        case .enumeration: return matchLabel(own, tracked, from: texts)
        case .text:
            let collation = column.collation.map { " COLLATE \($0)" } ?? ""
            let isPlain = column.typeID == 25 || column.typeID == 1043
            let cast = isPlain ? "" : "::\(column.typeName)"
            let match = "\(own) \(column.equals) (\(tracked)\(cast)\(collation))"
            if isPlain && column.isDeterministic { return match }
            return "\(match) AND (\(own)::text COLLATE \"C\") = \(tracked)"
        default: return "\(own) = \(tracked)"
        }
    }

    private func matchLabel(_ column: String, _ tracked: String, from texts: KeyTexts) -> String {
        // A domain over an enumeration has no comparison of its own.
        let own = isDomain ? "\(column)::\(self.column.typeName)" : column
        let label = "\(tracked)::\(self.column.typeName)"
        switch texts {
        case .rows: return "\(own) = \(label)"
        // Reads the labels in the statement's snapshot, which shows the label of each row that it
        // shows.
        case .tracked:
            return """
                \(own) = CASE WHEN \(tracked) = ANY (ARRAY(
                  SELECT e.enumlabel::text FROM pg_catalog.pg_enum AS e
                  WHERE e.enumtypid = \(self.column.typeID))) THEN \(label) END
                """
        case .compared: return "(\(own)::text COLLATE \"C\") = \(tracked)"
        }
    }

    /// Whether a text from a recorded move is still a label; `nil` for other types, where every
    /// text is valid.
    func isLabel(_ text: String) -> String? {
        guard column.family == .enumeration else { return nil }
        return """
            EXISTS (SELECT FROM pg_catalog.pg_enum AS e
                    WHERE e.enumtypid = to_regtype(\(SQLText.literal(column.typeName)))
                      AND e.enumlabel::text = \(text))
            """
    }

    /// A tracked value in the portable form.
    func output(_ tracked: String) -> String {
        switch column.family {
        case .integer, .real, .blob: tracked
        case .boolean: "\(tracked)::integer::bigint"
        case .instant: "timezone('UTC', \(tracked))::text"
        default: isText ? tracked : "\(tracked)::text"
        }
    }

    /// A value as a scalar parameter's text.
    func scalar(_ value: Value) -> String? {
        switch value {
        case .null: nil
        case .integer(let number):
            column.family == .boolean ? (number == 0 ? "false" : "true") : String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .blob(let bytes):
            "\\x"
                + bytes.map { byte in
                    let text = String(byte, radix: 16)
                    return text.utf8.count < 2 ? "0" + text : text
                }.joined()
        }
    }

    /// Whether a row can have this key at all. If not, no row has it, and the hub does not ask the
    /// server, whose casts would fail.
    ///
    /// - Parameter isOwn: Whether the key comes from the tracking table. It may then be one that
    ///   devices cannot store: `infinity`, or a year before Christ.
    func canBe(_ value: Value, isOwn: Bool) -> Bool {
        if case .text(let text) = value, column.arrayKind == .texts {
            if text.utf8.contains(0) { return false }
            if column.family != .enumeration {
                return isOwn
                    ? KeyText.isReadableOwn(text, as: column) : KeyText.isReadable(text, as: column)
            }
        }
        if case .null = value { return false }
        if isText, case .text(let text) = value, column.family == .enumeration {
            return column.labels.contains { $0.hasSameBytes(as: text) }
        }
        return column.type.accepts(value)
    }

    /// The condition under which `pg_attribute AS a` still describes this column, for triggers that
    /// must never make the owner's statement fail.
    var guardCondition: String {
        let name = "a.attname = \(SQLText.literal(column.name))"
        let types: [UInt32] =
            switch column.family {
            case .integer: [20, 21, 23]
            case .real: [700, 701]
            case _ where column.typeID < 16384: isText ? [25, 1042, 1043] : [column.typeID]
            default: []
            }
        if types.isEmpty {
            // The functions name the type.
            let type = "to_regtype(\(SQLText.literal(column.typeName)))"
            return "(\(name) AND \(isDomain ? "\(type) IS NOT NULL" : "a.atttypid = \(type)"))"
        }
        if isDomain { return name }
        return "(\(name) AND a.atttypid IN (\(types.map(String.init).joined(separator: ", "))))"
    }

    private var isDomain: Bool { column.isDomain }
}
