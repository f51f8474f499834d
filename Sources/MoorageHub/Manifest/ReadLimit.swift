/// How much a request may still read.
package struct ReadLimit: Sendable {
    /// How many rows; 0 or less where nothing is left.
    package var rows: Int
    /// How many bytes of values; less than 0 where nothing is left. The last rows that were read may
    /// exceed it.
    package var bytes: Int

    package init(rows: Int, bytes: Int) {
        self.rows = rows
        self.bytes = bytes
    }

    package var isUsedUp: Bool { rows <= 0 || bytes < 0 }
}
