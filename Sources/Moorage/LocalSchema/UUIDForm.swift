import MoorageCore

/// How the app stores UUIDs in columns that are not declared as bytes. The replica does the same,
/// so that the app finds the hub's rows as it finds its own (decision 0056).
enum UUIDForm: String, Hashable, Sendable {
    case lower, upper
    /// 16 bytes, as GRDB's records do unless they say otherwise.
    case bytes

    var words: String {
        switch self {
        case .lower: "text in lower case"
        case .upper: "text in upper case"
        case .bytes: "16 bytes"
        }
    }

    /// The form of a stored UUID; `nil` for any other value, and for a UUID of digits only.
    init?(stored value: Value) {
        switch value {
        case .blob(let bytes) where bytes.count == 16: self = .bytes
        case .text(let text) where UUIDText.bytes(text) != nil:
            if text != text.uppercased() {
                self = .lower
            } else if text != text.lowercased() {
                self = .upper
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// A UUID in its stored form; any other value stays as it is.
    func stored(_ value: Value) -> Value {
        guard case .text(let text) = value, let bytes = UUIDText.bytes(text) else { return value }
        switch self {
        case .lower: return .text(UUIDText.text(bytes))
        case .upper: return .text(text.uppercased())
        case .bytes: return .blob(bytes)
        }
    }
}
