import GRDB
import MoorageCore
import SQLiteSupport

/// The tables as log, triggers and the hub's schema have them.
extension StoreSchema {
    func load() throws -> LoadedTables {
        let schema = try hubSchema()
        let local = read.local(db)
        var tracked: [TrackedTable] = []
        var known: [TableRecord] = []
        var suspended: [SuspendedTableLog] = []
        let uuidForm = try meta.uuidForm()
        for table in configured {
            guard let record = try records.record(of: table.id) else { continue }
            known.append(record)
            guard record.suspension == nil else {
                if let table = try self.suspended(record) { suspended.append(table) }
                continue
            }
            guard let found = try local.table(named: table.name) else { continue }
            tracked.append(
                TrackedTable(
                    name: record.name, local: found, keyNames: record.keys, logNames: record.places,
                    presentNames: record.layout?.presentNames ?? [:], uuidForm: uuidForm,
                    hasRowStates: try hasRowStates(table)))
        }
        let synced = (schema?.tables ?? []).compactMap { hub in
            tracked.first { $0.name == hub.name }
                .flatMap { SyncedTable(tracked: $0, hub: hub) }
        }
        let names = Set(configured.map { Identifier(folding: $0.name) })
        let references = try local.tableNames()
            .filter { !names.contains(Identifier(folding: $0)) }
            .flatMap { try local.foreignKeys(of: $0) }
        let rights = try meta.rights()
        return LoadedTables(
            schema: schema, rights: rights,
            rightsVersion: try meta.areRightsWhole() ? rights?.version : nil, records: known,
            tracked: tracked,
            synced: synced, suspended: suspended, localReferences: references,
            lacksRowStates: try lacksRowStates(tracked))
    }

    private func suspended(_ record: TableRecord) throws -> SuspendedTableLog? {
        guard try SuspendedTableLog.hasLog(record.name, db) else { return nil }
        return SuspendedTableLog(
            record, local: try readableTable(named: record.name.text),
            uuidForm: try meta.uuidForm(), hub: try hubSchema()?.table(named: record.name.text))
    }

    /// The table as it is now; `nil` if it is no table any more, or has a name that is not UTF-8.
    func readableTable(named name: String) throws -> LocalTable? {
        do { return try read.local(db).table(named: name) } catch is ReplicaError { return nil }
    }
}
