import GRDB
import MoorageCore

/// What a file has before it is opened, and which tables it is therefore opened with.
struct FoundFile: Sendable {
    /// Whether a clone is under way.
    private(set) var isCloning = false
    /// The hub's schema as the file remembers it; `nil` before the first contact.
    private(set) var schema: SchemaDescription?
    /// The tables that were ever the replica's.
    private(set) var recorded: [Identifier] = []
    /// The app's tables, by their folded names.
    private var locals: Set<Identifier> = []

    /// - Throws: `metadataNewer`, `metadataDamaged`.
    static func read(_ db: Database) throws -> FoundFile {
        try db.returning(.immediate) {
            var file = FoundFile()
            file.locals = Set(try LocalSchema(db: db).tableNames().map { Identifier(folding: $0) })
            let meta = Metadata(db: db)
            guard try meta.exists() else { return file }
            // An earlier version stored schema and tables in another form.
            _ = try meta.bringUpToDate()
            file.isCloning = try meta.isCloning()
            file.schema = try meta.schema()
            file.recorded = try TableRecords(db: db).names()
            return file
        }
    }

    /// The tables to open the file with.
    ///
    /// - Parameters:
    ///   - listed: The app's list; `nil` for every table of the hub and of the file.
    ///   - schema: The hub's, as far as it is known.
    ///   - makesTables: Whether tables that the file lacks are made. Without a list, the others are
    ///     left out.
    func tables(
        _ listed: [ReplicaTable]?, of schema: SchemaDescription?, makesTables: Bool
    ) -> [ReplicaTable] {
        if let listed { return listed }
        // In SQLite, names that differ only in the case of their letters are one.
        var taken: Set<Identifier> = []
        let all = (recorded + (schema?.tables ?? []).map { name(of: $0) })
            .filter { taken.insert(Identifier(folding: $0.text)).inserted }
            .map { ReplicaTable.table($0.text) }
        return makesTables ? all : all.filter { !isLacking($0) }
    }

    /// The name by which the file has a hub's table, or is to get it.
    private func name(of table: TableDescription) -> Identifier {
        let names = table.names.map { Identifier($0) }
        return names.first { recorded.contains($0) }
            ?? names.first { locals.contains(Identifier(folding: $0.text)) } ?? names[0]
    }

    /// Whether the file has to get the table. It gets none again that the app dropped.
    func isLacking(_ table: ReplicaTable) -> Bool {
        !recorded.contains(table.id) && !locals.contains(Identifier(folding: table.name))
    }

    /// Whether only the hub can say which tables to open the file with, or how to make them.
    func needsHub(for listed: [ReplicaTable]?, makesTables: Bool) -> Bool {
        if listed == nil, schema == nil { return true }
        guard makesTables else { return false }
        return tables(listed, of: schema, makesTables: true).contains {
            isLacking($0) && schema?.table(knownAs: $0.name) == nil
        }
    }
}
