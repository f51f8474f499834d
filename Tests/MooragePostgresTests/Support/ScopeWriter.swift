import MoorageHub
import MoorageTesting

/// A program that writes the tables of a ``ScopedWorld``: statements and transactions from a seed.
///
/// `@unchecked Sendable`: it is handed to the one thread that uses it.
struct ScopeWriter: @unchecked Sendable {
    /// What became of its transactions and statements.
    struct Outcomes: Sendable, CustomStringConvertible {
        var committed = 0
        /// Deadlocks, and failures to serialize.
        var conflicts = 0
        var refused = 0
        var unexpected: [String] = []

        var description: String {
            """
            \(committed) committed, \(conflicts) deadlocks or serialization failures, \
            \(refused) refused
            """
        }

        static func += (all: inout Self, one: Self) {
            all.committed += one.committed
            all.conflicts += one.conflicts
            all.refused += one.refused
            all.unexpected += one.unexpected
        }
    }

    private let session: any OwnerSession
    private var random: SeededGenerator
    private(set) var outcomes = Outcomes()

    init(_ subject: PostgresSubject, seed: UInt64) throws {
        session = try subject.openSession()
        random = SeededGenerator(seed: seed)
    }

    /// One to three statements at any isolation level, committed or rolled back.
    ///
    /// - Parameter meanwhile: What others do once the transaction has its snapshot.
    mutating func transact(_ meanwhile: (() -> Void)? = nil) {
        let levels = ["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]
        do {
            try session.execute("BEGIN ISOLATION LEVEL \(random.one(of: levels))")
            if let meanwhile {
                try session.execute("SELECT count(*) FROM task")
                meanwhile()
            }
            for _ in 0...random.below(3) {
                try session.execute(ScopedWorld.statement(using: &random))
            }
            let isKept = random.below(6) > 0
            try session.execute(isKept ? "COMMIT" : "ROLLBACK")
            outcomes.committed += isKept ? 1 : 0
        } catch {
            note(error)
            do { try session.execute("ROLLBACK") } catch { note(error) }
        }
    }

    /// A statement by itself.
    mutating func write() {
        do {
            try session.execute(ScopedWorld.statement(using: &random))
            outcomes.committed += 1
        } catch { note(error) }
    }

    private mutating func note(_ error: any Error) {
        switch (error as? CentralError)?.kind {
        case .conflict: outcomes.conflicts += 1
        case .refused: outcomes.refused += 1
        default: outcomes.unexpected.append("\(error)")
        }
    }
}
