package import MoorageCore

/// One change of a row, as a program learns of it.
package struct RowChange: Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The row was in none of the user's scopes before, as far as the hub remembers.
        case insert
        case update
        /// The row is in none of the user's scopes any more.
        case delete
    }

    package let table: RowTable
    package let kind: Kind
    package let key: RowKey
    /// The row as it is now; `nil` for one that is gone.
    package let row: RowContent?
}

/// Some changes, in the order of their transactions.
package struct ChangePage: Sendable {
    package let changes: [RowChange]
    /// Where the next page begins.
    package let next: String
    /// Whether the next page may have something at once.
    package let hasMore: Bool
    /// What a reader has to learn of after this page.
    let interest: LiveInterest
}

/// What a page of changes is to contain.
package struct ChangeRequest: Sendable {
    package enum Start: Hashable, Sendable {
        /// Each row as an insert, and then what changed since.
        case beginning
        /// Only what changes from now on.
        case now
        /// Behind the ``ChangePage/next`` of another page.
        case after(String)
    }

    package var start: Start
    /// Changes of a page.
    package var limit: Int
    /// Bytes of the rows of a page, which has one change at least.
    package var maximumBytes = RowReader.mostBytes
    /// Chooses the tables; called whenever a page is read.
    package let tables: @Sendable (RowSchema) throws -> [RowTable]

    package init(
        from start: Start, limit: Int,
        tables: @escaping @Sendable (RowSchema) throws -> [RowTable]
    ) {
        self.start = start
        self.limit = limit
        self.tables = tables
    }
}
