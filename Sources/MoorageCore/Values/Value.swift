/// One stored value, in one of the five storage classes that every database here can carry.
///
/// Its column's ``ColumnType`` says what a value means: a decimal, a date or a uuid travels as
/// text. Two values are `==` when their bytes are the same; ``ColumnType/equal(_:_:)`` compares by
/// meaning.
public enum Value: Sendable {
    /// SQL's NULL.
    case null
    /// A signed number of 64 bits. Booleans are integers, too: 0 is false.
    case integer(Int64)
    /// NaN from outside has one form only (``Swift/Double/withOneNaN``).
    case real(Double)
    /// Text, which may contain NUL. Decimals, dates, times, UUIDs and JSON are text, too.
    case text(String)
    /// Bytes. An empty blob is not NULL.
    case blob([UInt8])
}

extension Value: Hashable {
    /// Same class and same bytes. Text is compared by its UTF-8, because `String ==` treats `é`
    /// composed and decomposed as equal.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)):
            a.hasSameBytes(as: b)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .text(let value):
            var value = value
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .blob(let bytes): bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }
}

extension Double {
    /// The same number. Every NaN becomes the quiet one without a payload.
    ///
    /// JSON has one NaN, and blocks could carry 2⁵³ of them. Values are compared by their bits, so
    /// a message has to mean the same in both encodings.
    package var withOneNaN: Double { isNaN ? .nan : self }
}

extension Value {
    /// Whether the value is NULL. An empty text or blob is not.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// How many bytes the value counts for in limits on batches, pages and values: its payload and
    /// a little for the rest.
    public var byteCount: Int {
        switch self {
        case .null: 1
        case .integer, .real: 9
        case .text(let value): value.utf8.count + 4
        case .blob(let bytes): bytes.count + 4
        }
    }

    /// What kind of value this is, for messages that must not show the value itself.
    public var kindName: String {
        switch self {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a real number"
        case .text: "text"
        case .blob: "a blob"
        }
    }
}

extension StringProtocol {
    /// Equality of the UTF-8 bytes: the only equality for keys and names.
    @inlinable
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        // Views of text are slow to scan, and this runs for each name and each key.
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { theirs in
                mine.count == theirs.count && mine.elementsEqual(theirs)
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
