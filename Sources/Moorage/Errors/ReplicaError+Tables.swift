import MoorageCore
import MoorageWire

/// Tables that the replica cannot sync. At the first contact such an error stops the replica. Later
/// its text is the reason for which the table is suspended.
extension ReplicaError {
    static func noSuchTable(_ table: String) -> ReplicaError {
        ReplicaError(
            .noSuchTable,
            """
            There is no local table \(table). Create it before you make the replica, or leave it \
            out of the replica's list.
            """, recovery: .changeSchema)
    }

    static func tableNotListed(_ table: String) -> ReplicaError {
        ReplicaError(
            .noSuchTable,
            """
            The table \(table) is not in the replica's list. Use a name of that list, which is the \
            table's name at the hub.
            """, recovery: .changeCall)
    }

    /// - Parameter kind: As SQLite calls it: `view`, `virtual` or `shadow`.
    static func notATable(_ table: String, kind: String) -> ReplicaError {
        let kind = kind == "view" ? kind : "\(kind) table"
        return ReplicaError(
            .notATable,
            """
            \(table) is a \(kind), and only an ordinary table can be synced. Leave it out of the \
            replica's list.
            """, recovery: .changeSchema)
    }

    static func noPrimaryKey(_ table: String) -> ReplicaError {
        ReplicaError(
            .keyMismatch,
            """
            The local table \(table) has no primary key, so it cannot be synced. No row changed. \
            Declare the key that the table has at the hub.
            """, recovery: .changeSchema)
    }

    static func keyMismatch(_ table: String, _ local: [String], hub: [String]) -> ReplicaError {
        ReplicaError(
            .keyMismatch,
            """
            The primary key of \(table) is (\(list(local))) here and (\(list(hub))) at the hub. No \
            row changed. Declare the hub's key in the local table.
            """, recovery: .changeSchema)
    }

    static func missingHere(_ table: Identifier, _ column: String) -> ReplicaError {
        ReplicaError(
            .missingColumn,
            """
            The hub's \(table).\(column) is NOT NULL without a default, and the local table has no \
            such column, or a generated one. No row changed. Add the column here, or give it a \
            default at the hub.
            """, recovery: .changeSchema)
    }

    static func missingAtHub(_ table: String, _ column: String) -> ReplicaError {
        ReplicaError(
            .missingColumn,
            """
            The local \(table).\(column) is NOT NULL without a default, and the hub has no such \
            column. No row changed. Give it a default, or let it be NULL.
            """, recovery: .changeSchema)
    }

    static func noTimeColumn(_ table: String, _ column: String) -> ReplicaError {
        ReplicaError(
            .missingColumn,
            """
            \(table) has no column \(column) for the time of a change: one that is neither \
            generated nor part of the key. No row changed. Add the column, or leave it out of the \
            replica's list.
            """, recovery: .changeSchema)
    }

    /// - Parameters:
    ///   - column: With its table.
    ///   - hub: The type that it has at the hub.
    ///   - local: The type that it is declared with here.
    ///   - needed: The type to declare instead.
    static func typeMismatch(
        _ column: String, hub: String, local: String, needed: String
    ) -> ReplicaError {
        ReplicaError(
            .typeMismatch,
            """
            \(column) is \(hub) at the hub, and the local type “\(local)” would change its values. \
            No row changed. Declare it \(needed).
            """, recovery: .changeSchema)
    }

    static func uniqueIndexUnknown(_ index: String, of table: String) -> ReplicaError {
        ReplicaError(
            .uniqueIndexUnknown,
            """
            The unique index \(index) of \(table) has no counterpart at the hub, so the hub's rows \
            might break it. No row changed. Create it there too, or make it not unique here.
            """, recovery: .changeSchema)
    }

    static func foreignKeyUnknown(
        _ table: String, _ columns: [String], to parent: String
    ) -> ReplicaError {
        ReplicaError(
            .foreignKeyUnknown,
            """
            The foreign key of \(table) (\(list(columns))) to \(parent) has no counterpart at the \
            hub, so the hub's rows might break it. No row changed. Declare it there too, or remove \
            it here.
            """, recovery: .changeSchema)
    }

    static func parentNotListed(
        _ table: String, _ columns: [String], to parent: String
    ) -> ReplicaError {
        ReplicaError(
            .foreignKeyUnknown,
            """
            \(table) (\(list(columns))) refers to the local table \(parent), which the replica \
            does not sync. The hub's rows would refer to rows that are not here. No row changed. \
            Add `.table("\(parent)")` to the replica's list, or declare the column without the \
            foreign key.
            """, recovery: .choose)
    }

    static func unreadableColumn(of table: String) -> ReplicaError {
        ReplicaError(
            .unreadableName,
            """
            A column of \(table) has a name that is not UTF-8. No row changed. Rename the column.
            """, recovery: .changeSchema)
    }

    static func unreadableReference(to table: String) -> ReplicaError {
        ReplicaError(
            .unreadableName,
            """
            A table that refers to \(table) has a name that is not UTF-8, or its referring column \
            has. No row changed. Rename the table or the column.
            """, recovery: .changeSchema)
    }

    /// - Parameters:
    ///   - table: The table that the trigger fires for.
    ///   - written: The synced table that it writes.
    static func unguardedTrigger(
        _ trigger: String, on table: String, writing written: Identifier
    ) -> ReplicaError {
        ReplicaError(
            .unguardedTrigger,
            """
            The trigger \(trigger) fires when the hub's rows go into \(table). It writes \
            \(written), which is synced, and no log would have that. No row changed. Add \
            `WHEN NOT EXISTS (SELECT 1 FROM _moorage_applying)` to the trigger.
            """, recovery: .changeSchema)
    }

    /// - Parameters:
    ///   - table: By its local name.
    ///   - listed: By its name in the replica's list.
    static func tableNotEmpty(_ table: String, listed: String) -> ReplicaError {
        ReplicaError(
            .tableNotEmpty,
            """
            \(table) has rows already. Nothing changed. Choose what becomes of the rows by \
            `firstContact`, as in `.table("\(listed)", firstContact: .upload)`. `.upload` sends \
            them, and `.replace` removes those that the server does not have.
            """, recovery: .choose)
    }

    static func unknownTable(_ table: String) -> ReplicaError {
        ReplicaError(
            .hub(.unknownTable),
            """
            The hub does not sync a table \(table). No row changed. Attach it there \
            (`moorage attach`), or leave it out of the list of tables.
            """, recovery: .askOperator)
    }

    // MARK: Tables that changed later

    static func keyChanged(
        _ table: String, from before: [String], to now: [String]
    ) -> ReplicaError {
        ReplicaError(
            .tableSuspended,
            """
            The primary key of \(table) was (\(list(before))) and is (\(list(now))) now. Its local \
            changes are kept. Restore the key.
            """, recovery: .changeSchema)
    }

    static func columnLost(_ table: String, _ column: String) -> ReplicaError {
        ReplicaError(
            .tableSuspended,
            """
            \(table) lost its column \(column), which is synced. Its local changes are kept. Add \
            the column again. Where an app renames it, name it in `renamed` from the start.
            """, recovery: .changeSchema)
    }

    static func columnRenamed(
        _ table: String, _ column: String, to now: String
    ) -> ReplicaError {
        ReplicaError(
            .tableSuspended,
            """
            \(table) has its column \(column) by the name \(now), and the hub does not. Its local \
            changes are kept. Rename the column in the central database, and run `moorage attach`.
            """, recovery: .changeSchema)
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
