/// How much one batch takes. Rows that must go together may exceed it, up to the hub's own limits.
struct BatchLimits: Hashable, Sendable {
    var maximumRows: Int = 5000
    var maximumBytes: Int = 4_000_000
}
