import GRDB
import MoorageCore
import MoorageWire

extension ReplicaStore {
    /// A key that no row has, here or elsewhere.
    func nextID(_ db: Database, for name: String) throws -> Int64 {
        guard let table = try load(db).table(named: name) else {
            throw ReplicaError.noTableForKeys(name)
        }
        let isUsed = """
            SELECT 1 FROM \(SQLText.name(table.tracked.local.name))
            WHERE \(SQLText.name(table.keyLocalNames[0])) = ?
            """
        let sequence = try LocalSequence(db, table)
        try sequence?.follow()
        while let id = try KeyBlocks(db: db).nextKey(for: table.name.text) {
            // The app may have used it without asking. Or the file was restored, and the row came
            // again.
            if try Row.fetchOne(db, sql: isUsed, arguments: [id]) == nil {
                try sequence?.pass(id)
                return id
            }
        }
        throw ReplicaError.noKeysLeft(table.name)
    }
}

extension StoreTransaction {
    /// How many keys of each table the replica still has, so that the hub need not give them again.
    func keysLeft() throws -> [KeysLeft] {
        let blocks = KeyBlocks(db: db)
        return try blocks.names().map { name in
            let sequence = try tables.table(named: name).flatMap { try LocalSequence(db, $0) }
            try sequence?.follow()
            // SQLite chooses no key below its highest row.
            let floor = try sequence?.highestRow() ?? .min
            return KeysLeft(table: name, count: try blocks.left(of: name, above: floor))
        }
    }

    /// Makes SQLite go on choosing keys of this replica's own, whatever rows came.
    ///
    /// - Returns: Whether it can, in all tables in which SQLite chooses keys.
    func leadSequences() throws -> Bool {
        try KeyBlocks(db: db).names().reduce(true) { all, name in
            guard let table = tables.table(named: name), let sequence = try LocalSequence(db, table)
            else { return all }
            // A hub that hands out no more keys need not be asked.
            return try sequence.lead() || table.description.keyBlock == nil ? all : false
        }
    }
}
