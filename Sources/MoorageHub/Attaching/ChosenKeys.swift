import MoorageCore
import MoorageWire

/// Chooses a key for each table that has no primary key.
struct ChosenKeys {
    /// The columns of a unique key, by table (``HubConfiguration/keys``).
    let configured: [String: [String]]
    /// The tables as they are attached. Each keeps its key while the configuration names none.
    let known: [AttachedTable]
    /// The tables to which an attach adds a key, or has begun to.
    var added: Set<Identifier> = []

    /// The table with its key, as far as it has one.
    ///
    /// - Throws: ``HubError`` `configuration` where the configured key cannot be the table's.
    func keyed(_ table: CentralTable) throws -> CentralTable {
        let attached = known.first { $0.name.hasSameBytes(as: table.name) }?.description
        if let key = configured[table.name] {
            return try keyed(table, by: key, attached: attached)
        }
        guard let keyless = table.keyless else { return table }
        if added.contains(Identifier(table.name)), let description = keyless.withAddedKey {
            return CentralTable(name: table.name, support: .supported(description))
        }
        return attached.map { table.keyed(as: $0) } ?? table
    }

    private func keyed(
        _ table: CentralTable, by key: [String], attached: TableDescription?
    ) throws -> CentralTable {
        guard let keyless = table.keyless else {
            if case .supported(let description) = table.support,
                !key.areSameColumns(as: description.keyNames)
            {
                throw HubError.keyBesidePrimaryKey(
                    key, of: table.name, primaryKey: description.keyNames)
            }
            return table
        }
        guard let substitute = keyless.substitute(of: key) else {
            throw HubError.keyNotUnique(
                key, of: table.name, others: keyless.substitutes.map(keyless.names(of:)))
        }
        // The order of the columns may be the index's or the configuration's. Changing it would
        // send the whole table again.
        if let attached, key.areSameColumns(as: attached.keyNames) {
            return table.keyed(as: attached)
        }
        return table.keyed(by: substitute, of: keyless)
    }

    // MARK: Added keys

    /// Checks that an attach may add a key to a table.
    ///
    /// - Parameter recorded: The tables to which an attach has added one, or has begun to.
    func checkAdding(
        to name: String, among central: [CentralTable], recorded: Set<Identifier>
    ) throws {
        guard let table = central.first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw HubError.noSuchTable(name)
        }
        guard let keyless = table.keyless else {
            switch table.support {
            case .supported(let description):
                throw HubError.keyNotNeeded(by: name, key: description.keyNames)
            case .unsupported(let reason): throw HubError.tableUnsupported(reason)
            }
        }
        if let key = configured[name] { throw HubError.keyNotNeeded(by: name, key: key) }
        if recorded.contains(Identifier(name)) { return }
        if let substitute = keyless.substitutes.first {
            throw HubError.keyNotNeeded(by: name, key: keyless.names(of: substitute))
        }
        let taken = keyless.description.columns.contains {
            $0.name.lowercased() == KeylessTable.addedKey
        }
        if taken { throw HubError.addedKeyTaken(in: name) }
        if keyless.addedKeyType == nil, case .unsupported(let reason) = table.support {
            throw HubError.tableUnsupported(reason)
        }
    }
}
