public import MoorageCore

/// Selects lines of the conflict log. A property that is `nil` selects every value.
public struct ConflictFilter: Hashable, Sendable {
    /// Only rows of this table.
    public var table: String?
    /// Only changes of the replica with this whole id.
    public var replica: String?
    /// As in ``ConflictRecord/kind``.
    public var kind: String?
    /// The row's key, as a JSON array.
    public var key: String?
    /// Logged at this time or later.
    public var since: HubTime?
    /// Whether conflicts that were decided are part of the answer.
    public var includesDecided = false

    /// Selects every conflict and refusal that nobody has decided yet.
    public init() {}

    /// The conditions in the SQL that all databases share, with their arguments.
    var conditions: (sql: String, arguments: [Value]) {
        var parts: [String] = []
        var arguments: [Value] = []
        func add(_ column: String, _ sign: String, _ value: Value?) {
            guard let value else { return }
            parts.append("c.\(column) \(sign) ?")
            arguments.append(value)
        }
        add("table_name", "=", table.map(Value.text))
        add("replica", "=", replica.map(Value.text))
        add("kind", "=", kind.map(Value.text))
        add("row_key", "=", key.map(Value.text))
        add("logged_at", ">=", since.map { .time($0) })
        if !includesDecided { parts.append("d.id IS NULL") }
        return (parts.isEmpty ? "1 = 1" : parts.joined(separator: " AND "), arguments)
    }
}
