import MoorageCore
import SQLiteSupport

/// What an entry of a log says of its row: the letter in the log's column `op`.
enum LogOperation: String, Sendable {
    case insert = "I"
    case update = "U"
    case delete = "D"
    /// The row may have been replaced: see `LogEntry.Kind.candidate`.
    case candidate = "C"
    /// A page decided it: see `LogEntry.Kind.fill`.
    case fill = "F"

    init(_ kind: LogEntry.Kind) {
        switch kind {
        case .insert: self = .insert
        case .update: self = .update
        case .delete: self = .delete
        case .candidate: self = .candidate
        case .fill: self = .fill
        }
    }

    /// Reads the letter. Any other is an update, with what its masks say.
    init(stored form: StoredValueForm) {
        if case .value(.text(let letter)) = form, let known = Self(rawValue: letter) {
            self = known
        } else {
            self = .update
        }
    }

    /// Whether the entry has a whole row that went, or may have gone. Its masks then say which
    /// columns the table got since.
    var isRemoval: Bool { self == .delete || self == .candidate }

    /// The condition for ``isRemoval`` as SQL.
    static let isRemovalSQL = "op IN (\(delete.sql), \(candidate.sql))"

    /// The letter as SQL.
    var sql: String { SQLText.literal(rawValue) }
}
