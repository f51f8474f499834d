import MoorageCore

extension JSON {
    /// The members of an object; `nil` for anything else.
    var members: [(name: String, value: JSON)]? {
        if case .object(let members) = self { members } else { nil }
    }

    var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    var text: String? { if case .string(let text) = self { text } else { nil } }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The text of a string or a number, as it is part of an address.
    var addressText: String? {
        switch self {
        case .string(let text): text
        case .number(let text): text
        case .null, .bool, .array, .object: nil
        }
    }

    /// A member by its name, or by several names with dots between them.
    func member(at path: String) -> JSON? {
        if let member = self[path] { return member }
        var begin = path.startIndex
        while let dot = path[begin...].firstIndex(of: ".") {
            let next = path.index(after: dot)
            if let inner = self[String(path[..<dot])]?.member(at: String(path[next...])) {
                return inner
            }
            begin = next
        }
        return nil
    }

    /// Whether the value says that something was deleted: `true`, a date or another number than 0.
    var marksDeletion: Bool {
        switch self {
        case .bool(let isDeleted): isDeleted
        case .number(let text): Double(text).map { $0 != 0 } ?? true
        // A date of a database that has no NULL there is `0000-00-00`.
        case .string(let text): text.first?.isNumber == true && !text.hasPrefix("0000")
        case .null, .array, .object: false
        }
    }

    /// The same object with a member that has this value.
    func setting(_ name: String, _ value: JSON) -> JSON {
        guard var members else { return self }
        if let place = members.firstIndex(where: { $0.name.hasSameBytes(as: name) }) {
            members[place].value = value
        } else {
            members.append((name, value))
        }
        return .object(members)
    }

    /// The same object without a member.
    func removing(_ name: String) -> JSON {
        guard let members else { return self }
        return .object(members.filter { !$0.name.hasSameBytes(as: name) })
    }

    /// The same object with the members of another one in place of its own.
    func overlaid(by other: JSON) -> JSON {
        (other.members ?? []).reduce(self) { $0.setting($1.name, $1.value) }
    }

    /// The members that another object has not, or has with another value.
    func changes(since other: JSON) -> JSON {
        .object((members ?? []).filter { other[$0.name]?.bytes != $0.value.bytes })
    }

    /// The members of these names.
    func only(_ names: Set<String>) -> JSON {
        .object((members ?? []).filter { names.contains($0.name) })
    }

    var bytes: [UInt8] { JSONWriter.document { $0.json(self) } }
}
