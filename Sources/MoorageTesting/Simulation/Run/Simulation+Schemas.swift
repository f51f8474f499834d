import GRDB
import Moorage

/// New versions of the app, whose migrations change its tables.
extension Simulation {
    /// - Parameter sql: What the migrations do. It changes no value that users have edited.
    func upgrade(_ device: SimulatedDevice, _ upgrade: Step.Upgrade, _ sql: String) throws {
        reach(.upgraded)
        let tables = Set(device.tables)
        let before = try UserEdits.picture(of: device)
        let renamed = try device.textsToRename(history.world.renames)
        switch upgrade {
        case .replica: try device.migrate(sql, named: "at \(now)")
        case .bare: _ = try device.edit(sql)
        }
        try device.reopen()
        if !tables.isSuperset(of: device.tables) { reach(.tableAdded) }
        if !tables.isSubset(of: device.tables) { reach(.tableDropped) }
        for (rename, texts) in renamed where device.hasRenamed(rename) {
            ledger.renamed(texts, on: device)
        }
        userEdits.migrated(before, to: try UserEdits.picture(of: device), on: device)
    }
}

extension SimulatedDevice {
    /// The texts in each column that the app may rename next, and that pages bring.
    fileprivate func textsToRename(
        _ renames: [SimulatedRename]
    ) throws -> [(SimulatedRename, Set<String>)] {
        try renames.filter {
            try has($0.old, $0.table) && readColumns(of: $0.table).contains($0.old)
        }.map { ($0, try texts(in: [$0.old], of: $0.table)) }
    }

    fileprivate func hasRenamed(_ rename: SimulatedRename) -> Bool {
        has(rename.new, rename.table) && !has(rename.old, rename.table)
    }

    private func has(_ column: String, _ table: String) -> Bool {
        columns[table]?.contains { $0.name == column } ?? false
    }

    /// Runs one more migration of the app's in the replica's own call.
    ///
    /// - Parameter name: No other migration of the file has it.
    func migrate(_ sql: String, named name: String) throws {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration(name) { db in
            try db.execute(sql: sql)
            // Without its authorizer GRDB does not notice.
            db.clearSchemaCache()
        }
        do {
            try machine.undisturbed { try Replica.migrate(queue, with: migrator) }
        } catch let error as DatabaseError
            where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode)
        {
            // In a shortened story a table or a column may be missing.
            return
        }
    }
}
