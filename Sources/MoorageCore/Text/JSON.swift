/// A JSON document, kept exactly: numbers as they were written, members in order.
///
/// Foundation's parser turns numbers into doubles and takes the first of two equal keys. A target
/// that uses only the standard library also cannot import it (decision 0003).
public indirect enum JSON: Sendable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The number's text as it was written, already checked against JSON's grammar.
    case number(String)
    /// A string's text, with its escapes replaced.
    case string(String)
    /// The elements in their order.
    case array([JSON])
    /// The members in their order. A document that was read has no name twice.
    case object([(name: String, value: JSON)])
}

extension JSON {
    /// The member of this name, compared by bytes; `nil` for anything that is not an object.
    public subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Whether two documents mean the same: members in any order, numbers by value, strings by
    /// bytes.
    func hasSameStructure(as other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.number(let a), .number(let b)):
            return a == b || DecimalText(a).map { $0 == DecimalText(b) } ?? false
        case (.string(let a), .string(let b)): return a.hasSameBytes(as: b)
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.hasSameStructure(as: $1) }
        case (.object(let a), .object(let b)):
            guard a.count == b.count else { return false }
            let sorted = { (members: [(name: String, value: JSON)]) in
                members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            }
            return zip(sorted(a), sorted(b)).allSatisfy {
                $0.name.hasSameBytes(as: $1.name) && $0.value.hasSameStructure(as: $1.value)
            }
        default: return false
        }
    }
}
