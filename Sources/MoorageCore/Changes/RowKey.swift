/// The primary key of a row, in the one form that all equal keys share.
/// ``TableDescription/key(_:)`` makes it.
///
/// A key from the wire keeps its values as they are. Code that knows the table normalizes them.
///
/// Equality and hash compare bytes: `é` composed and decomposed are two keys.
public struct RowKey: Hashable, Sendable {
    /// One value for each column of the key, in the key's order.
    public let values: [Value]

    /// A key with these values as they are. ``TableDescription/key(_:)`` normalizes them first.
    public init(_ values: [Value]) { self.values = values }

    /// How many bytes the key counts for in limits: the sum of its values' ``Value/byteCount``.
    public var byteCount: Int { values.reduce(0) { $0 + $1.byteCount } }
}

/// A row of the whole database: its table and its key.
package struct RowName: Hashable, Sendable {
    package let table: String
    package let key: RowKey

    package init(table: String, key: RowKey) {
        self.table = table
        self.key = key
    }

    package static func == (left: RowName, right: RowName) -> Bool {
        left.table.hasSameBytes(as: right.table) && left.key == right.key
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Value.text(table))
        hasher.combine(key)
    }
}
