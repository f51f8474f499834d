import MoorageCore

/// What a client says of one of its rows.
struct ManifestEntry: Sendable {
    /// By what the client distinguishes versions of the row.
    enum State: Sendable {
        /// The hub's own version, as the client last got it.
        case version(String)
        /// The value of the column that says when the row was changed.
        case modified(JSON)
        /// A digest of some columns.
        case digest(String)
        /// Nothing.
        case unknown
    }

    let key: JSON
    private(set) var state = State.unknown
    /// Whether the row is as the client got it from the hub; `nil` where the client does not know.
    private(set) var isSynced: Bool?
    /// Whether the client has deleted the row.
    private(set) var isDeleted = false

    init(_ json: JSON) throws(RESTProblem) {
        guard case .object(let members) = json else { throw .noManifestEntry }
        var key: JSON?
        var count = 0
        for (name, value) in members {
            switch (name, value) {
            case ("key", _): key = value
            case ("synced", .null), ("deleted", .null): break
            case ("version", .null), ("digest", .null): break
            case ("synced", .bool(let flag)): isSynced = flag
            case ("deleted", .bool(let flag)): isDeleted = flag
            case ("version", .string(let text)): (state, count) = (.version(text), count + 1)
            case ("digest", .string(let text)): (state, count) = (.digest(text), count + 1)
            case ("modified", _): (state, count) = (.modified(value), count + 1)
            default: throw .noManifestEntry
            }
        }
        guard let key, count < 2, !(isDeleted && isSynced == true) else { throw .noManifestEntry }
        self.key = key
    }
}
