/// What a user may write, as the welcome says it. The schema says what nobody may write.
package struct RightsAnswer: Hashable, Sendable {
    /// Equal exactly when the rights are.
    package let version: String
    /// The tables in which the user may not do everything that the schema allows. In all others the
    /// user may.
    package let tables: [TableRightsAnswer]

    package init(version: String, tables: [TableRightsAnswer]) {
        self.version = version
        self.tables = tables
    }
}

/// What a user may write in one table.
package struct TableRightsAnswer: Hashable, Sendable {
    package let table: String
    /// The columns that an insert may set; `nil` where the user may not insert.
    package let insert: WritableColumns?
    /// The columns that an update may change; `nil` where the user may not update.
    package let update: WritableColumns?
    package let mayDelete: Bool
    /// Whether an update may take a row out of the user's scopes; true for a table without scopes
    /// that the user may update.
    package let mayMove: Bool

    package init(
        table: String, insert: WritableColumns?, update: WritableColumns?, mayDelete: Bool,
        mayMove: Bool
    ) {
        self.table = table
        self.insert = insert
        self.update = update
        self.mayDelete = mayDelete
        self.mayMove = mayMove
    }
}

/// The columns that a write may set. Those of the key, and those that the schema calls generated,
/// do not count and are not listed.
package enum WritableColumns: Hashable, Sendable {
    case all
    case only([String])
}
