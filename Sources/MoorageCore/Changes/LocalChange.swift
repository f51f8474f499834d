/// What the log says of one row, folded: the change to push, with the before-images.
package struct LocalChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case insert
        /// Sorted by column. Each column has its first old value.
        case update([OldValue])
        /// The row before the first edit.
        case delete([Value])
        case refetch
    }

    package let kind: Kind
    /// The last edit's time.
    package let at: DeviceTime
    package let isAgain: Bool

    package init(kind: Kind, at: DeviceTime, isAgain: Bool = false) {
        self.kind = kind
        self.at = at
        self.isAgain = isAgain
    }

    /// Whether a column was edited here and keeps its local value when a page arrives.
    package func edits(_ column: Int) -> Bool {
        switch kind {
        case .update(let old): old.contains { $0.column == column }
        case .insert, .delete, .refetch: true
        }
    }

    /// Whether nobody edited the row: the change only offers what columns had before they were
    /// synced.
    package var isOnlyFills: Bool {
        if case .update(let old) = kind { !old.isEmpty && old.allSatisfy(\.isFill) } else { false }
    }
}
