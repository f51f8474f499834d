public import Foundation

extension ReplicaDiagnostics {
    /// What a replica knows of the hub.
    public struct Cursor: Hashable, Sendable, Codable {
        /// The history of the central database; `nil` before the first page.
        public internal(set) var epoch: String?
        /// How far the complete scopes were read, in the central database's terms; `nil` before the
        /// end of the first scan.
        public internal(set) var checkpoint: String?
        /// How many scopes are here completely.
        public internal(set) var completeScopes: Int
        /// How many scopes are here in part, or are being removed.
        public internal(set) var partialScopes: Int
        /// Whether a scan is under way.
        public internal(set) var isScanning: Bool
        /// Rows of that scan that are here; `nil` between two scans.
        public internal(set) var rowsDone: Int?
        /// About how many rows the scan brings; `nil` if nobody knows.
        public internal(set) var rowsExpected: Int?
        /// Scopes that the app subscribed to.
        public internal(set) var subscriptions: Int
        /// Those of them that the hub does not have for this user.
        public internal(set) var unavailableSubscriptions: Int
    }

    /// One table, without its rows. Rows are not counted: SQLite would read the whole table.
    public struct Table: Hashable, Sendable, Codable {
        /// Whether a table is synced, and if not, why not.
        public enum State: String, Hashable, Sendable, Codable {
            /// Changes go up and come down.
            case synced
            /// The hub's first copy, or another whole one, is not complete.
            case copying
            /// Its triggers were lost. It is compared with the hub before the next page.
            case repairing
            /// This device has suspended it.
            case suspended
            /// The hub has suspended it.
            case suspendedAtHub
            /// The replica has not met its hub, or the hub does not sync such a table.
            case unknownToHub
            /// The app took it out of its list. Its log is kept, and nothing of it is sent.
            case notListed
        }

        /// The table's name at the hub.
        public internal(set) var name: String
        /// Whether it is synced.
        public internal(set) var state: State
        /// Why it is suspended: the raw value of a ``ReplicaError/Code``; `nil` if it is not.
        public internal(set) var code: String?
        /// The same in words, with names of columns and no values.
        public internal(set) var reason: String?
        /// Which way rows travel: `both`, `down`, `downReverting` or `up`. `nil` until the hub is
        /// known.
        public internal(set) var direction: String?
        /// Columns that are synced; 0 until the hub is known.
        public internal(set) var columns: Int
        /// Rows with changes that no batch contains.
        public internal(set) var pending: Int
        /// Entries of the table's log.
        public internal(set) var logEntries: Int
        /// Changes in the in-flight batch.
        public internal(set) var inFlight: Int
        /// Entries of ``Replica/refusedChanges``.
        public internal(set) var refused: Int
        /// Those of the refused changes that are still in the log; see
        /// ``RefusedChange/isBlocked``.
        public internal(set) var blocked: Int
        /// Entries of ``Replica/overruledChanges``.
        public internal(set) var overruled: Int
        /// Entries of ``Replica/withheldValues``.
        public internal(set) var withheld: Int
        /// Rows whose unique value another local row still has.
        public internal(set) var deferred: Int
        /// Entries of ``Replica/danglingRows``.
        public internal(set) var dangling: Int
        /// Keys from the hub that are left; `nil` for a table without them.
        public internal(set) var keysLeft: Int?
    }

    /// Local changes that no batch contains, of all tables.
    public struct Log: Hashable, Sendable, Codable {
        /// Rows with changes.
        public internal(set) var pending: Int
        /// Entries of all logs. A row may have many.
        public internal(set) var entries: Int
        /// When the oldest entry was made, by the device's clock.
        public internal(set) var first: Date?
        /// When the newest entry was made.
        public internal(set) var last: Date?
    }

    /// The batch that was sent and is not answered.
    public struct Batch: Hashable, Sendable, Codable {
        /// Its number within the replica.
        public internal(set) var number: Int64
        /// Changes in it.
        public internal(set) var changes: Int
        /// Its bytes in the file. It travels compressed.
        public internal(set) var bytes: Int
        /// When it was prepared, by the device's clock.
        public internal(set) var preparedAt: Date
    }

    /// The SQLite file.
    public struct File: Hashable, Sendable, Codable {
        /// Bytes of the database, without its write-ahead log.
        public internal(set) var databaseBytes: Int64
        /// Bytes of free pages in it.
        public internal(set) var freeBytes: Int64
        /// Bytes of the write-ahead log; `nil` without one.
        public internal(set) var walBytes: Int64?
        /// SQLite's name of the journal, such as `wal`.
        public internal(set) var journalMode: String
        /// The version of SQLite that read the file.
        public internal(set) var sqliteVersion: String
    }
}
