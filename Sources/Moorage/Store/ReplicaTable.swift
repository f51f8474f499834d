public import GRDB
import MoorageCore

/// A table that a replica syncs.
public struct ReplicaTable: Hashable, Sendable {
    /// What becomes of rows that exist already when the replica is made.
    public enum FirstContact: String, Hashable, Sendable {
        /// Each row is pushed as an insert. The hub inserts a row that it does not have, and
        /// accepts an equal one. A different one is a conflict.
        case upload
        /// Rows that the hub does not have are dropped once its copy is complete. For a table that
        /// is only sent no copy comes: its rows stay, and are not sent.
        case replace
        /// ``ReplicaError`` `tableNotEmpty` if there are rows; nothing changes.
        case refuse
    }

    /// The table's name at the hub.
    public let name: String
    /// What becomes of rows that exist already when the replica is made.
    public let firstContact: FirstContact
    /// A column that gets the time of the row's local insert; `nil` where the app writes it itself.
    public let createdAt: String?
    /// A column that gets the time of each local change of the row; `nil` where the app writes it
    /// itself.
    public let updatedAt: String?
    /// Local columns that the app has renamed: the new name by the old one.
    public let renamed: [String: String]
    /// Whether the file keeps the state of each row; `nil` if it goes on as it is. See ``RowState``.
    public let rowStates: Bool?
    /// Whether writes that the user may not make fail here; `nil` if the file goes on as it is.
    public let refusesForbidden: Bool?

    var id: Identifier { Identifier(name) }

    /// A table by a name that it has at the hub: the one of its database, or one of those that the
    /// hub's configuration gives to apps. The local name may differ in the case of its letters.
    ///
    /// Times are written in the transaction that makes the change, by the device's clock. An
    /// `INTEGER` column gets milliseconds since 1970, any other column `YYYY-MM-DD HH:MM:SS.SSS` in
    /// UTC. A value that the app writes itself is kept. Rows of the hub keep the times that they
    /// came with. A table that only the hub writes gets no times here.
    ///
    /// - Parameters:
    ///   - name: The table's name at the hub.
    ///   - firstContact: What becomes of rows that exist already. It counts only when the replica
    ///     syncs the table for the first time.
    ///   - createdAt: The column for the time of a row's local insert; `nil` for none.
    ///   - updatedAt: The column for the time of a row's last local change; `nil` for none.
    ///   - renamed: The new name of each local column that the app has renamed, by its old name. A
    ///     pending edit of the column goes to the hub under the new name. Leave an entry in the
    ///     list for good: it does nothing once it is carried out, or while the old column exists.
    ///     Entries may form a chain, for devices that skip a version. If two columns would become
    ///     one, neither is carried over. One `ALTER TABLE … RENAME COLUMN`, or more, needs no
    ///     entry. Nor does a rebuilt table in which one column alone has another name, at its
    ///     place and with its type.
    ///   - rowStates: `true` to keep the state of each row for the app's lists (``RowState``). Each
    ///     write of the table costs more then. `false` removes what was kept. `nil` leaves it as the
    ///     file has it, for a process that shares the file.
    ///   - refusesForbidden: `true` to make a write of the app fail at once if the user may not
    ///     make it (``Replica/may(_:_:)``). ``ReplicaError/init(localWrite:)`` says what the error
    ///     means. Without it, the hub refuses the change later, and the app finds it in
    ///     ``Replica/refusedChanges``. `nil` leaves it as the file has it.
    public static func table(
        _ name: String, firstContact: FirstContact = .refuse, createdAt: String? = nil,
        updatedAt: String? = nil, renamed: [String: String] = [:], rowStates: Bool? = nil,
        refusesForbidden: Bool? = nil
    ) -> ReplicaTable {
        ReplicaTable(
            name: name, firstContact: firstContact, createdAt: createdAt, updatedAt: updatedAt,
            renamed: renamed, rowStates: rowStates, refusesForbidden: refusesForbidden)
    }

    /// A table by the app's record type for it. The rest is as for a table by its name.
    ///
    /// - Parameters:
    ///   - record: Its `databaseTableName` is the name that the table has at the hub.
    ///   - firstContact: What becomes of rows that exist already. It counts only when the replica
    ///     syncs the table for the first time.
    ///   - createdAt: The column for the time of a row's local insert; `nil` for none.
    ///   - updatedAt: The column for the time of a row's last local change; `nil` for none.
    ///   - renamed: The present names of columns that the app renamed, by their earlier ones.
    ///   - rowStates: Whether to keep the state of each row for the app's lists; `nil` leaves it as
    ///     the file has it.
    ///   - refusesForbidden: Whether writes that the user may not make fail here; `nil` leaves it as
    ///     the file has it.
    public static func table<Record: GRDB.TableRecord>(
        _ record: Record.Type, firstContact: FirstContact = .refuse, createdAt: String? = nil,
        updatedAt: String? = nil, renamed: [String: String] = [:], rowStates: Bool? = nil,
        refusesForbidden: Bool? = nil
    ) -> ReplicaTable {
        .table(
            record.databaseTableName, firstContact: firstContact, createdAt: createdAt,
            updatedAt: updatedAt, renamed: renamed, rowStates: rowStates,
            refusesForbidden: refusesForbidden)
    }
}
