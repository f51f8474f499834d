/// The primary key of a row, in the one form that all equal keys share.
/// ``TableDescription/key(_:)`` makes it.
///
/// A key from the wire keeps its values as they are. Code that knows the table normalizes them.
///
/// Equality and hash compare bytes: `é` composed and decomposed are two keys.
public struct Key: Hashable, Sendable {
    public let values: [Value]

    public init(_ values: [Value]) { self.values = values }

    public var byteCount: Int { values.reduce(0) { $0 + $1.byteCount } }
}

/// A row of the whole database: its table and its key.
public struct RowName: Hashable, Sendable {
    public let table: String
    public let key: Key

    public init(table: String, key: Key) {
        self.table = table
        self.key = key
    }

    public static func == (left: RowName, right: RowName) -> Bool {
        left.table.hasSameBytes(as: right.table) && left.key == right.key
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Value.text(table))
        hasher.combine(key)
    }
}
