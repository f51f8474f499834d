import Foundation
import MoorageTesting

/// The owner's other programs. They write directly to the central database, know nothing of
/// replicas, and may keep a transaction open.
final class Office {
    private let centre: any FireCentre
    private var random: SeededGenerator
    private var session: (any OwnerSession)?
    private var holder: (any OwnerSession)?
    private var nextID = 9_000_000
    private var nextToken = 0
    /// Every value that may be stored. A commit whose answer was lost may have happened.
    private(set) var tokens: Set<String> = []
    private(set) var commits = 0
    private(set) var held = 0
    private(set) var problems: [String] = []

    init(centre: any FireCentre, seed: UInt64) {
        self.centre = centre
        random = SeededGenerator(seed: seed)
    }

    // MARK: Transactions

    /// Runs one transaction. Another session's lock or an outage may end it.
    ///
    /// - Returns: The rows that it made.
    func transaction(statements: Int, known: [String: [Int]]) -> [DeviceLedger.Row] {
        var made: [DeviceLedger.Row] = []
        var words = (0..<statements).compactMap { _ in statement(known, &made) }
        if random.chance(50) {
            let (pair, token) = (Int.random(in: 1...FireSchema.pairs, using: &random), token())
            for table in ["pair_left", "pair_right"] {
                words.insert(
                    "UPDATE \(table) SET token = '\(token)' WHERE id = \(pair)",
                    at: Int.random(in: 0...words.count, using: &random))
            }
        }
        return run(words, commits: !random.chance(8)) ? made : []
    }

    /// Runs statements as one transaction.
    ///
    /// - Returns: Whether it was committed, as far as the caller can know.
    @discardableResult
    func run(_ statements: [String], commits: Bool = true) -> Bool {
        do {
            let session = try session ?? centre.open()
            self.session = session
            try session.run("BEGIN")
            for statement in statements { try session.run(statement) }
            try session.run(commits ? "COMMIT" : "ROLLBACK")
            if commits { self.commits += 1 }
            return commits
        } catch {
            give(up: error)
            return false
        }
    }

    private func give(up error: any Error) {
        if let error = error as? any FireFailure, !error.isExpectedUnderFire {
            problems.append("the office: \(error)")
        }
        do { try session?.run("ROLLBACK") } catch { session = nil }
    }

    private func token() -> String {
        nextToken += 1
        tokens.insert("o\(nextToken)")
        return "o\(nextToken)"
    }

    private func statement(
        _ known: [String: [Int]], _ made: inout [DeviceLedger.Row]
    ) -> String? {
        let table = random.pick(FireSchema.tree) ?? "leaf"
        guard let id = random.pick(known[table] ?? []) else { return nil }
        let above = FireSchema.above(table)
        let parent = above.flatMap { random.pick(known[$0] ?? []) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30:
            nextID += 1
            made.append(DeviceLedger.Row(table: table, id: nextID))
            let values = "'\(token())', '\(token())'"
            guard let above, let parent else {
                return "INSERT INTO \(table) VALUES (\(nextID), \(values))"
            }
            return """
                INSERT INTO \(table) SELECT \(nextID), id, \(values) FROM \(above)
                WHERE id = \(parent)
                """
        case 30..<65:
            let column = random.chance(50) ? "label" : "note"
            return "UPDATE \(table) SET \(column) = '\(token())' WHERE id = \(id)"
        case 65..<80:
            guard let above, let column = FireSchema.reference(table), let parent else {
                return nil
            }
            return """
                UPDATE \(table) SET \(column) = \(parent)
                WHERE id = \(id) AND EXISTS (SELECT 1 FROM \(above) WHERE id = \(parent))
                """
        case 80..<92: return "DELETE FROM leaf WHERE id = \(random.pick(known["leaf"] ?? []) ?? 0)"
        case 92..<97:
            return "DELETE FROM child WHERE id = \(random.pick(known["child"] ?? []) ?? 0)"
        default: return "DELETE FROM \(table) WHERE id = \(id)"
        }
    }

    // MARK: A transaction that stays open

    var isHolding: Bool { holder != nil }

    /// Opens a transaction and writes rows of its own, and perhaps a row that others write too.
    func hold(changing row: Int? = nil) -> [DeviceLedger.Row] {
        guard centre.canHold, holder == nil else { return [] }
        var made: [DeviceLedger.Row] = []
        do {
            let session = try centre.open()
            try session.run("BEGIN")
            nextID += 1
            let parent = nextID
            try session.run("INSERT INTO parent VALUES (\(parent), '\(token())', '\(token())')")
            made.append(DeviceLedger.Row(table: "parent", id: parent))
            for _ in 0..<3 {
                nextID += 1
                made.append(DeviceLedger.Row(table: "child", id: nextID))
                try session.run(
                    "INSERT INTO child VALUES (\(nextID), \(parent), '\(token())', '\(token())')")
            }
            if let row {
                try session.run("UPDATE parent SET note = '\(token())' WHERE id = \(row)")
            }
            holder = session
            held += 1
            return made
        } catch {
            give(up: error)
            return []
        }
    }

    /// - Returns: Whether it was committed, as far as the caller can know.
    @discardableResult
    func release(commits: Bool) -> Bool {
        guard let holder else { return false }
        self.holder = nil
        do {
            try holder.run(commits ? "COMMIT" : "ROLLBACK")
            return commits
        } catch {
            give(up: error)
            return false
        }
    }

    /// Commits a row of the office's own.
    ///
    /// - Returns: Its id; `nil` when it was not committed.
    func beacon() -> Int? {
        nextID += 1
        let isThere = run(["INSERT INTO parent VALUES (\(nextID), '\(token())', '\(token())')"])
        return isThere ? nextID : nil
    }
}

/// A server's error for a statement, when the server may end at any moment.
protocol FireFailure: Error {
    /// Whether the error is one that programs cause each other, or one that a fault causes. Faults
    /// are a long lock, a broken connection, and a server that goes down, starts, or has no room
    /// left.
    var isExpectedUnderFire: Bool { get }
}

extension MySQLLink.Failure: FireFailure {}

extension WriterLink.Failure: FireFailure {
    var isExpectedUnderFire: Bool {
        isExpected || state.isEmpty || state == "55P03" || state.hasPrefix("08")
            || state.hasPrefix("57P0") || state.hasPrefix("53")
    }
}
