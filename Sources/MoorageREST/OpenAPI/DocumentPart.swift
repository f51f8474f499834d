import MoorageCore

/// A part of a JSON document, written as a literal. Members keep their order.
indirect enum DocumentPart: Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case list([DocumentPart])
    case object([(name: String, value: DocumentPart)])

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .flag(let flag): writer.bool(flag)
        case .integer(let number): writer.integer(number)
        case .real(let number): writer.real(number)
        case .text(let text): writer.string(text)
        case .list(let elements):
            writer.array { for element in elements { element.write(to: &$0) } }
        case .object(let members):
            writer.object {
                for (name, value) in members {
                    $0.name(name)
                    value.write(to: &$0)
                }
            }
        }
    }
}

extension DocumentPart {
    /// A reference to a component of the document.
    static func component(_ group: String, _ name: String) -> DocumentPart {
        ["$ref": .text("#/components/\(group)/\(name)")]
    }

    /// A reference to a schema of the document.
    static func schema(_ name: String) -> DocumentPart { component("schemas", name) }

    static func texts(_ texts: [String]) -> DocumentPart { .list(texts.map { .text($0) }) }

    /// The object with one more member; as it is without a value.
    func adding(_ name: String, _ value: DocumentPart?) -> DocumentPart {
        guard let value, case .object(let members) = self else { return self }
        return .object(members + [(name, value)])
    }

    /// The object with the members of another one.
    func adding(_ other: DocumentPart) -> DocumentPart {
        guard case .object(let own) = self, case .object(let others) = other else { return self }
        return .object(own + others)
    }
}

extension DocumentPart: ExpressibleByStringInterpolation {
    init(stringLiteral text: String) { self = .text(text) }
}

extension DocumentPart: ExpressibleByBooleanLiteral {
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension DocumentPart: ExpressibleByIntegerLiteral {
    init(integerLiteral number: Int64) { self = .integer(number) }
}

extension DocumentPart: ExpressibleByArrayLiteral {
    init(arrayLiteral elements: DocumentPart...) { self = .list(elements) }
}

extension DocumentPart: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral members: (String, DocumentPart)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }
}
