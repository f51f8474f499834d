import GRDBSQLite
import MoorageHub

/// Transactions that follow each other, with pauses in which other programs write.
///
/// SQLite has no queue of writers. One that waits looks again after a time, which grows to 0.1
/// seconds. Between two transactions that follow at once it would hardly ever find the database
/// unlocked, and could wait for the last of them.
struct WriteTurns {
    /// How long others wait at most, and how often a program that waits looks again.
    private static let turn = Duration.milliseconds(100)

    private let connection: SQLiteConnection
    /// How long the database was locked since the last pause.
    private var locked = Duration.zero

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Runs one transaction, again where others do not let it begin, and lets others write where it
    /// is their turn.
    mutating func write(_ work: () throws -> Void) throws {
        try connection.retryingConflicts { try connection.begin(.write) }
        let start = ContinuousClock.now
        do {
            try work()
            try connection.commit()
        } catch {
            connection.rollback()
            throw error
        }
        locked += .now - start
        guard locked >= Self.turn else { return }
        locked = .zero
        sqlite3_sleep(Int32(Self.turn.components.attoseconds / 1_000_000_000_000_000))
    }
}
