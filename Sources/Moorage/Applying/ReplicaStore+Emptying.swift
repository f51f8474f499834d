import GRDB
import MoorageCore
import MoorageWire

/// Removes everything from the file that came from the hub or was to be sent there.
extension ReplicaStore {
    /// The replica's own tables that are emptied. What it knows of the hub and of the tables stays.
    private static let lists = [
        "_moorage_inflight", "_moorage_acknowledged", "_moorage_refused", "_moorage_overruled",
        "_moorage_deferred", "_moorage_withheld", "_moorage_dangling", "_moorage_group",
        KeyBlocks.name, SubscriptionTable.name, ExchangeTable.name,
    ]

    /// Whether the file has nothing of the hub's and nothing for the hub.
    func isEmpty(_ db: Database) throws -> Bool {
        let meta = Metadata(db: db)
        guard try meta.cursor() == .start, try meta.inFlightBatch() == nil,
            try !hasLoggedChanges(db), try SubscriptionTable(db: db).all().isEmpty
        else {
            return false
        }
        return try locals(db).allSatisfy { table in
            let sql = "SELECT 1 FROM \(SQLText.name(table.local)) LIMIT 1"
            return try Row.fetchOne(db, sql: sql) == nil
        }
    }

    /// Deletes the rows of the replica's tables, also of suspended ones, with pending changes and
    /// lists. Rows of the app's own tables that refer to them follow as their foreign keys say.
    ///
    /// - Parameters:
    ///   - newID: The replica id that the file has from now on.
    ///   - version: SQLite's `data_version` at an earlier time; `nil` for any.
    /// - Returns: Whether it was done; `false` if others have committed since.
    @discardableResult
    func empty(
        _ db: Database, newID: String, ifUnchangedSince version: Int? = nil
    ) throws -> Bool {
        try transaction(db, [.applying, .durable]) { transaction in
            if let version, try Int.fetchOne(db, sql: "PRAGMA data_version") != version {
                return false
            }
            // A table that the app took out of its list is the app's own now.
            let names = Set(tables.map { Identifier($0.name) })
            let own = try locals(db).filter { names.contains($0.name) }
            try empty(own, LocalReferences(transaction), transaction)
            try transaction.meta.set(.replica, newID)
            try transaction.meta.set(.formerly, .null)
            try transaction.meta.set(.user, .null)
            try transaction.meta.set(.number, 0)
            return true
        }
    }

    /// Deletes all of it, whatever refers to it. It keeps the replica id, which the hub goes on
    /// refusing.
    func wipe(_ db: Database) throws {
        let isSecure = try Int.fetchOne(db, sql: "PRAGMA secure_delete") ?? 0
        try db.execute(sql: "PRAGMA secure_delete = ON")
        defer { try? db.execute(sql: "PRAGMA secure_delete = \(isSecure)") }
        try transaction(db, [.applying, .durable]) { transaction in
            var references = LocalReferences(transaction)
            references.mayForbid = false
            try empty(try locals(db), references, transaction)
            // A hub that forgets the order forgets batches, too. So the next batch is the file's
            // first, without a gap before it.
            try transaction.meta.set(.number, 0)
        }
        // Otherwise the rows remain in the write-ahead log for a while.
        _ = try? Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The tables that were ever the replica's, if they still exist.
    private func locals(_ db: Database) throws -> [(name: Identifier, local: String)] {
        try TableRecords(db: db).localNames().filter { try db.tableExists($0.local) }
    }

    private func empty(
        _ own: [(name: Identifier, local: String)], _ references: LocalReferences,
        _ transaction: StoreTransaction
    ) throws {
        let db = transaction.db
        var removed: [RemovedRow] = []
        for table in own { removed += try references.rows(of: table.local) }
        func deleteRows() throws {
            for table in own {
                try db.execute(sql: "DELETE FROM \(SQLText.name(table.local))")
                try transaction.notify(table.local)
            }
        }
        try deleteRows()
        try references.carryOut(removed)
        // A trigger of the app may have inserted some again.
        try deleteRows()
        let locals = try locals(db)
        for table in locals {
            for prefix in [
                "_moorage_log_", "_moorage_unconfirmed_", "_moorage_changed_", "_moorage_fill_",
            ]
            where try db.tableExists(prefix + table.name.text) {
                try db.execute(sql: "DELETE FROM \(SQLText.name(prefix + table.name.text))")
                try transaction.notify(prefix + table.name.text)
            }
        }
        for list in Self.lists {
            try db.execute(sql: "DELETE FROM \(SQLText.name(list))")
            try transaction.notify(list)
        }
        for name in ServerTable.emptied where try db.tableExists(name) {
            try db.execute(sql: "DELETE FROM \(SQLText.name(name))")
        }
        // The triggers forget no table that is suspended.
        let stated = try transaction.meta.statedTables().sorted()
        let states = stated.map({ TrackedTable.stateTable(of: $0) }) + [RowStateLists.table]
        for name in stated.isEmpty ? [] : states where try db.tableExists(name) {
            try db.execute(sql: "DELETE FROM \(SQLText.name(name))")
            try transaction.notify(name)
        }
        // A table that the app took out of its list keeps its rows, and may come back into it.
        let kept = Set(locals.map { $0.name }).subtracting(own.map { $0.name })
        try transaction.records.forgetCopies(except: kept)
        let meta = transaction.meta
        let names: [Metadata.Name] = [
            .lastCaughtUp, .expectedRows, .doneRows, .tableProgress, .batchRows, .rights,
        ]
        for name in names {
            try meta.set(name, .null)
        }
        try StoreSchema(db: db, configured: tables)
            .keepRightTriggers(of: transaction.tables.tracked)
        try transaction.notify(Metadata.valueTable)
        try meta.set(.cursor, .null)
        try meta.bump()
    }
}
