import GRDB

/// The file of the replica.
extension ReplicaError {
    static func metadataNewer(_ found: Int64, known: Int) -> ReplicaError {
        ReplicaError(
            .metadataNewer,
            """
            A newer version of this library wrote the file (metadata \(found); this version knows \
            \(known)). Nothing changed. Update the app.
            """, recovery: .updateApp)
    }

    /// - Parameter what: The part of the metadata, for people who look after the app.
    static func metadataDamaged(_ what: String, _ cause: (any Error)? = nil) -> ReplicaError {
        ReplicaError(
            .metadataDamaged,
            """
            The replica's own metadata (\(what)) cannot be read, because something else wrote it. \
            The app's rows are unchanged. Restore the file, or clone again.
            """, recovery: .choose, cause: cause)
    }

    /// A table of ours is not as any earlier version made it.
    static func metadataChanged(_ table: String) -> ReplicaError {
        ReplicaError(
            .metadataDamaged,
            """
            Another program changed the replica's own table \(table), so this version cannot adopt \
            the file. Nothing changed. Restore the file from a backup, or clone again.
            """, recovery: .choose)
    }

    static func corrupt(_ cause: DatabaseError) -> ReplicaError {
        ReplicaError(
            .corrupt,
            """
            SQLite says that the file is damaged. What the hub has is safe. Restore the file, or \
            clone again.
            """, recovery: .choose, cause: cause)
    }

    static func notDatabase(_ cause: DatabaseError) -> ReplicaError {
        ReplicaError(
            .corrupt,
            """
            The file is no SQLite database, or it is encrypted. What the hub has is safe. Correct \
            the path or the passphrase, restore the file, or clone into a new one.
            """, recovery: .choose, cause: cause)
    }

    static func diskFull(_ cause: DatabaseError) -> ReplicaError {
        ReplicaError(
            .diskFull, "The device's disk is full. Nothing is half done. Free some space.",
            recovery: .retry(after: nil), cause: cause)
    }

    static func databaseFailed(_ cause: DatabaseError) -> ReplicaError {
        ReplicaError(
            .database,
            """
            The local database failed: \(cause.message ?? "it gave no reason"). What was committed \
            is safe.
            """, recovery: .retry(after: nil), cause: cause)
    }

    static func databaseBusy(_ cause: DatabaseError) -> ReplicaError {
        ReplicaError(
            .database, "The local database was busy. What was committed is safe.",
            recovery: .retry(after: nil), cause: cause)
    }

    static func databaseClosed(_ cause: DatabaseError) -> ReplicaError {
        ReplicaError(
            .databaseClosed,
            """
            The app closed the database that this replica was given. What was committed is safe. \
            Open the database again, and make a new replica of it.
            """, recovery: .changeCall, cause: cause)
    }

    /// A clone found a table that it would make.
    static func fileNotEmpty(_ table: String) -> ReplicaError {
        ReplicaError(
            .fileNotEmpty,
            """
            The file has a table \(table) already, and a clone makes its tables itself. Nothing \
            changed. Use an empty file, or `Replica.open(…)` for a file with tables.
            """, recovery: .choose)
    }

    /// A clone into a file that has met a hub.
    static let alreadyReplica = ReplicaError(
        .fileNotEmpty,
        """
        The file is a replica already. Nothing changed. Open it with `Replica.open(…)`, or clone \
        into an empty file.
        """, recovery: .choose)

    static let cloneUnfinished = ReplicaError(
        .fileNotEmpty,
        """
        The file is an unfinished clone. What arrived is safe. `Replica.open(…)` finishes it.
        """, recovery: .choose)
}
