import GRDB
import MoorageCore

/// What happens to a row that the device and the server both changed.
///
/// Every conflict is in `Replica.overruledChanges`, with both sides' values, whoever won.
public struct RESTConflictRule: Sendable {
    /// A side of a conflict.
    public enum Side: Hashable, Sendable {
        /// What the device has.
        case mine
        /// What the server has.
        case theirs
    }

    let rules: TableRules
    let decide: Decide?

    /// Decides about whole rows of the file.
    typealias Decide =
        @Sendable (_ base: Row?, _ mine: Row?, _ theirs: Row, _ columns: [String]) throws
        -> Decision

    /// The decision with the columns that a record has.
    enum Decision {
        case mine, theirs
        case values([String: DatabaseValue])
        case reject(String)
    }

    private init(_ rule: MergeRule, granularity: TableRules.Granularity, decide: Decide? = nil) {
        rules = TableRules(rule: rule, granularity: granularity)
        self.decide = decide
    }

    /// The device's row replaces the server's, in all members that the record knows. If the server
    /// compares a version in one of them, use ``byColumn(else:)`` instead.
    public static let mine = RESTConflictRule(.client, granularity: .row)

    /// The server's row stays.
    public static let theirs = RESTConflictRule(.server, granularity: .row)

    /// Edits of different columns join. A column that both sides changed goes to one side, and so
    /// does a row that one side deleted, or that both inserted.
    public static func byColumn(else side: Side = .theirs) -> RESTConflictRule {
        RESTConflictRule(side == .mine ? .client : .server, granularity: .column)
    }

    /// The app decides. Edits of different columns join without it.
    ///
    /// The function is called during an exchange, which waits for it, on any thread. No transaction
    /// is open, so no write of the app waits. It must not block, and must give the same answer to
    /// the same question. If it throws, the change is refused.
    ///
    /// - Parameters:
    ///   - name: Names the function in the list of conflicts.
    ///   - decide: Answers one conflict.
    public static func decided<Record: RESTRecord>(
        by name: String = "app",
        _ decide: @escaping @Sendable (RESTConflict<Record>) throws -> RESTDecision<Record>
    ) -> RESTConflictRule {
        let handler = MergeHandler(name) { _ in .theirs }
        return RESTConflictRule(.handler(handler), granularity: .column) {
            base, mine, theirs, columns in
            let conflict = RESTConflict<Record>(
                base: try base.map { try Record(row: $0) },
                mine: try mine.map { try Record(row: $0) }, theirs: try Record(row: theirs),
                columns: columns)
            switch try decide(conflict) {
            case .mine: return .mine
            case .theirs: return .theirs
            case .row(let record): return .values(try record.databaseDictionary)
            case .reject(let reason): return .reject(reason)
            }
        }
    }
}

/// A row that the device and the server both changed.
public struct RESTConflict<Record: RESTRecord> {
    /// What the device's change began with; `nil` if both sides inserted the row.
    public let base: Record?
    /// The device's row; `nil` if the device deleted it.
    public let mine: Record?
    /// The server's row.
    public let theirs: Record
    /// The columns that both sides changed.
    public let columns: [String]
}

/// What becomes of a row that both sides changed.
public enum RESTDecision<Record: RESTRecord> {
    /// The device's values of the columns in conflict, or its deletion.
    case mine
    /// The server's values.
    case theirs
    /// This row. Its key stays as it is.
    case row(Record)
    /// The device's change is refused for this reason, which must not have values of others.
    case reject(String)
}
