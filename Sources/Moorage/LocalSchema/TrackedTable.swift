import MoorageCore
import SQLiteSupport

/// A table that the device keeps a log of. It needs no hub: tracking begins before the first
/// contact.
struct TrackedTable: Hashable, Sendable {
    /// The hub's name of the table, as the app gave it.
    let name: Identifier
    let local: LocalTable
    /// The key's columns in the log's order, by their local names.
    let keyNames: [String]
    /// The columns that the log has a place for, by their local names: `o0`, `o1`, …
    ///
    /// A place is never used for another column, so that logged entries keep their meaning.
    let logNames: [String]
    /// The present names of renamed columns, by their folded earlier ones.
    var presentNames: [Identifier: String] = [:]
    var uuidForm = UUIDForm.lower
    /// See ``RowState``.
    var hasRowStates = false

    var logTable: String { Self.logTable(of: name) }
    static func logTable(of name: Identifier) -> String { "_moorage_log_" + name.text }
    var unconfirmedTable: String { "_moorage_unconfirmed_" + name.text }
    /// Always empty: see ``DroppableColumns``.
    var namesTable: String { "_moorage_names_" + name.text }
    var changedTable: String { "_moorage_changed_" + name.text }
    /// See ``UndecidedFills``.
    var fillTable: String { "_moorage_fill_" + name.text }

    var stateTable: String { Self.stateTable(of: name) }
    static func stateTable(of name: Identifier) -> String { "_moorage_state_" + name.text }

    static let columnsPerMask = 62
    var maskCount: Int { Self.masks(logNames.count) }
    static func masks(_ columns: Int) -> Int {
        (columns + columnsPerMask - 1) / columnsPerMask
    }

    var keyColumns: [String] { keyNames.indices.map { "k\($0)" } }
    /// The affinities of the key's columns, in the log's order.
    var keyAffinities: [Affinity] {
        keyNames.map { name in
            local.column(named: name).map { local.columns[$0].affinity } ?? .blob
        }
    }
}
