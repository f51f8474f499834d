/// Whether the hub records who changed what, and for how long.
public struct AuditPolicy: Hashable, Sendable {
    /// How long the hub keeps lines of the audit trail, in milliseconds; `nil` keeps them always.
    public let time: Int64?

    /// - Parameter time: How long the hub keeps lines, in whole seconds and at least one; `nil`
    ///   keeps them always.
    public init(keeping time: Duration? = nil) {
        self.time = time.map { max(1, $0.components.seconds) * 1_000 }
    }
}
