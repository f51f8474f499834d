/// What a stored column contains. SQLite accepts any bytes as text.
package enum StoredValueForm: Hashable, Sendable {
    case value(Value)
    /// Text that is not UTF-8.
    case invalidText([UInt8])

    /// The value. Bytes that are not text become a blob, which no text equals.
    package var value: Value {
        switch self {
        case .value(let value): value
        case .invalidText(let bytes): .blob(bytes)
        }
    }
}
