import MoorageCore
import MoorageHub
import MoorageTesting

/// A connection that carries out a number of steps, and breaks before the next one, or before a
/// statement. It counts the
/// steps of an attach, and what comes between them.
final class BreakingConnection: ForwardingConnection {
    struct Break: Error {}

    private var left: Int
    private let breaking: String?
    private(set) var done = 0

    /// - Parameter breaking: How the statement begins before which it breaks.
    init(
        _ base: any CentralConnection, after steps: Int = .max, before breaking: String? = nil
    ) {
        left = steps
        self.breaking = breaking
        super.init(base)
    }

    private func step() throws {
        if left == 0 { throw Break() }
        left -= 1
        done += 1
    }

    override func begin(_ kind: TransactionKind) throws {
        try step()
        try super.begin(kind)
    }

    override func commit() throws {
        try step()
        try super.commit()
    }

    override func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
        if let breaking, sql.hasPrefix(breaking) { throw Break() }
        if !sql.hasPrefix("SELECT") { try step() }
        return try super.run(sql, arguments)
    }

    override func fillTracking(
        _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
    ) throws {
        try step()
        try super.fillTracking(table, batch: batch) { count in
            try step()
            try progress(count)
        }
    }

    override func runStep(_ sql: String) throws {
        try step()
        try super.runStep(sql)
    }

    override func restamp(
        _ table: AttachedTable, batch: Int, progress: (Int) throws -> Void
    ) throws {
        try step()
        try super.restamp(table, batch: batch, progress: progress)
    }
}
