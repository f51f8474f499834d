/// What a user may do with a table.
public struct TableRights: Hashable, Sendable {
    /// Without it nothing else is allowed either, because the answer to a change has rows.
    public var read: Bool
    /// Whether the user may insert rows.
    public var insert: Bool
    /// Whether the user may change columns of rows.
    public var update: Bool
    /// Whether the user may delete rows. Setting or clearing a deletion marker needs this right,
    /// too.
    public var delete: Bool
    /// The columns that an insert or update may set; `nil` for all. An insert leaves others to the
    /// database. They limit the rights of this role alone: another role of the same user has its
    /// own.
    public var columns: Set<String>?
    /// Whether an update may take a row out of the user's own scopes.
    public var move: Bool

    /// Without arguments the user may read, and nothing else.
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

    /// Everything except taking rows out of the user's own scopes.
    public static let all = TableRights(insert: true, update: true, delete: true)
    /// Nothing at all, not even reading.
    public static let none = TableRights(read: false)
}

/// The rights that the owner configures.
public struct RightSettings: Hashable, Sendable {
    /// The claim that names a user's roles.
    public var roleClaim: String
    /// The rights, by table and role. Everyone may read and write a table without an entry, within
    /// their scopes. For a table with an entry, a user has the rights of their roles and of the
    /// role `*`. Without such a role the user has no rights.
    public var tables: [String: [String: TableRights]]

    /// Without arguments everyone may read and write every table, within their scopes.
    ///
    /// - Parameter roleClaim: A name in ``Principal/claims``, without `claims.` before it.
    public init(roleClaim: String = "roles", tables: [String: [String: TableRights]] = [:]) {
        self.roleClaim = roleClaim
        self.tables = tables
    }

    /// The role that everybody has, with or without a token.
    public static let everyone = "*"
}
