/// What was used up: by the server, by PostgreSQL, and on the way.
struct Counters: Sendable {
    /// Seconds of processor time.
    var server = 0.0
    var postgres = 0.0
    /// That clients sent, not those of triggers; `nil` where the cluster does not count them.
    var statements: Double?
    var transactions = 0.0
    /// Pages of tables and indexes, found in shared memory and not.
    var blocksHit = 0.0
    var blocksRead = 0.0
    /// Inserted, updated and deleted, Moorage's own among them.
    var tuplesWritten = 0.0
    var walBytes = 0.0
    /// Bodies as they travel.
    var bytesUp = 0.0
    var bytesDown = 0.0

    static func - (later: Counters, earlier: Counters) -> Counters {
        later.combined(with: earlier, by: -)
    }

    static func / (all: Counters, count: Double) -> Counters {
        all.combined(with: all) { whole, _ in whole / count }
    }

    private func combined(
        with other: Counters, by combine: (Double, Double) -> Double
    ) -> Counters {
        var result = Counters()
        result.statements = statements.flatMap { own in
            other.statements.map { combine(own, $0) }
        }
        for field: WritableKeyPath<Counters, Double> in [
            \.server, \.postgres, \.transactions, \.blocksHit, \.blocksRead, \.tuplesWritten,
            \.walBytes, \.bytesUp, \.bytesDown,
        ] {
            result[keyPath: field] = combine(self[keyPath: field], other[keyPath: field])
        }
        return result
    }
}
