import MoorageCore
import MoorageHub

/// A user's privileges, as `SHOW GRANTS` lists them.
struct GrantList: Hashable, Sendable {
    /// Where a grant applies.
    enum Place: Hashable, Sendable {
        case everywhere
        /// A pattern of database names.
        case database(String)
        case table(String, String)
    }

    private var privileges: [Place: Set<String>] = [:]
    /// Whether the list names roles. It does not list their privileges.
    private(set) var hasRoles = false

    init(_ lines: [String]) {
        for line in lines { read(SQLWords(line, hasEscapes: false).words) }
    }

    /// Reads `GRANT SELECT, SHOW VIEW ON "shop".* TO …`. It ignores privileges on single columns.
    private mutating func read(_ words: [SQLWords.Word]) {
        guard words.first?.isKeyword("GRANT") == true else { return }
        guard let on = words.firstIndex(where: { $0.isKeyword("ON") }) else {
            if words.contains(where: { $0.isKeyword("TO") }) { hasRoles = true }
            return
        }
        let list = Set(
            words[1..<on].split { $0.isMark(",") }.filter { !$0.contains { $0.isMark("(") } }
                .map { $0.map { $0.text.uppercased() }.joined(separator: " ") })
        guard on + 3 < words.count, words[on + 2].isMark(".") else { return }
        let (first, second) = (words[on + 1], words[on + 3])
        let place: Place
        if first.isMark("*") {
            place = .everywhere
        } else if second.isMark("*") {
            place = .database(first.text)
        } else {
            place = .table(first.text, second.text)
        }
        privileges[place, default: []].formUnion(list)
    }

    func has(_ privilege: String, on database: String, table: String? = nil) -> Bool {
        privileges.contains { place, list in
            guard
                list.contains(privilege) || list.contains("ALL PRIVILEGES") || list.contains("ALL")
            else { return false }
            return switch place {
            case .everywhere: true
            case .database(let pattern): Self.matches(Array(database.utf8), Array(pattern.utf8))
            case .table(let schema, let name):
                schema.hasSameBytes(as: database) && table?.hasSameBytes(as: name) == true
            }
        }
    }

    func hasEverywhere(_ privilege: String) -> Bool {
        let list = privileges[.everywhere] ?? []
        return list.contains(privilege) || list.contains("ALL PRIVILEGES") || list.contains("ALL")
    }

    /// `%` matches any text and `_` one character. A backslash makes the next character literal.
    static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = Array(pattern.dropFirst())
        switch first {
        case UInt8(ascii: "%"):
            return (0...text.count).contains { matches(Array(text.dropFirst($0)), rest) }
        case UInt8(ascii: "_"):
            return !text.isEmpty && matches(Array(text.dropFirst()), rest)
        case UInt8(ascii: "\\") where !rest.isEmpty:
            return text.first == rest[0]
                && matches(Array(text.dropFirst()), Array(rest.dropFirst()))
        default:
            return text.first == first && matches(Array(text.dropFirst()), rest)
        }
    }
}
