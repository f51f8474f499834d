/// What somebody may do with a table.
public struct TableRights: Hashable, Sendable {
    /// Without it nothing else is allowed either: an answer to a change tells of rows.
    public var read: Bool
    public var insert: Bool
    public var update: Bool
    public var delete: Bool
    /// The columns that an insert or update may set; `nil` for all. An insert leaves others to the
    /// database. They bind this role's rights alone: another role of the same user has its own.
    public var columns: Set<String>?
    /// Whether an update may take a row out of the user's own scopes.
    public var move: Bool

    public init(
        read: Bool = true, insert: Bool = false, update: Bool = false, delete: Bool = false,
        columns: Set<String>? = nil, move: Bool = false
    ) {
        self.read = read
        self.insert = insert
        self.update = update
        self.delete = delete
        self.columns = columns
        self.move = move
    }

    /// Everything but taking rows out of one's scopes.
    public static let all = TableRights(insert: true, update: true, delete: true)
    public static let none = TableRights(read: false)
}

/// What the owner says of rights.
public struct RightSettings: Hashable, Sendable {
    /// The claim that names a user's roles.
    public var roleClaim: String
    /// By table and role. A table without an entry is everyone's to read and write, within their
    /// scopes; of one with an entry a user has what his roles and the role `*` allow, and whoever has
    /// none of them has nothing.
    public var tables: [String: [String: TableRights]]

    public init(roleClaim: String = "roles", tables: [String: [String: TableRights]] = [:]) {
        self.roleClaim = roleClaim
        self.tables = tables
    }

    /// The role that everybody has, with or without a token.
    public static let everyone = "*"
}
