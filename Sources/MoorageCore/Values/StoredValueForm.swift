/// What a stored column holds. SQLite takes any bytes for text.
package enum StoredValueForm: Hashable, Sendable {
    case value(Value)
    /// Text that is not UTF-8.
    case invalidText([UInt8])

    /// The value; bytes that are no text come as a blob, which no text equals.
    package var value: Value {
        switch self {
        case .value(let value): value
        case .invalidText(let bytes): .blob(bytes)
        }
    }
}
