import MoorageSupport

/// Counts the bytes of one exchange's bodies as they travel: compressed where they are, without
/// headers and TLS.
package final class ByteCount: Sendable {
    package struct Sums: Hashable, Sendable {
        package var sent: Int64 = 0
        package var received: Int64 = 0

        package init() {}
    }
    private let counted = Locked<Sums?>(nil)

    package init() {}

    /// `nil` until something has travelled, as with a hub in this process.
    package var sums: Sums? { counted.withLock { $0 } }

    /// Bytes were given to the transport.
    package func addSent(_ bytes: Int) { add { $0.sent += Int64(bytes) } }

    package func addReceived(_ bytes: Int) { add { $0.received += Int64(bytes) } }

    private func add(_ change: (inout Sums) -> Void) {
        counted.withLock { counted in
            var sums = counted ?? Sums()
            change(&sums)
            counted = sums
        }
    }
}
