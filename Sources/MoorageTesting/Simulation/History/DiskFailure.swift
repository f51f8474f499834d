/// What goes wrong with a device's disk during an exchange.
package struct DiskFailure: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// No room for a write.
        case full
        /// A write, a sync, a truncation or a deletion fails.
        case broken
        /// A lock is another program's.
        case busy
        /// The power goes; what was not synced is kept in part.
        case power
    }

    package var kind: Kind
    /// At which of the calls that can fail so, counted from then on; the first is 1.
    package var number: Int

    package init(_ kind: Kind, number: Int) {
        self.kind = kind
        self.number = number
    }
}
