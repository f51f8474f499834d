import MoorageCore

/// Lists and objects as requests write them. Some languages have one value for an empty list and
/// for an empty object, so each may come for the other.
extension JSON {
    /// The elements of a list; empty for `null` and for an object without members.
    ///
    /// - Returns: `nil` for anything else.
    var list: [JSON]? {
        switch self {
        case .array(let elements): elements
        case .null: []
        case .object(let members): members.isEmpty ? [] : nil
        case .bool, .number, .string: nil
        }
    }

    /// The members of an object; empty for `null` and for a list without elements.
    ///
    /// - Returns: `nil` for anything else.
    var section: [(name: String, value: JSON)]? {
        switch self {
        case .object(let members): members
        case .null: []
        case .array(let elements): elements.isEmpty ? [] : nil
        case .bool, .number, .string: nil
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }
}
