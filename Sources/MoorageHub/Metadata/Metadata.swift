import Foundation
import MoorageCore
import MoorageWire

/// Reads and writes Moorage's own tables in the central database.
struct Metadata {
    /// The format of the tables; a hub refuses a newer one.
    static let format = 6
    /// The first format in which tables have scopes.
    static let formatOfScopes = 2

    let connection: any CentralConnection

    func value(_ name: String) throws -> String? {
        let rows = try connection.run(
            "SELECT value FROM moorage_meta WHERE name = ?", [.text(name)])
        guard case .text(let text)? = rows.first?.first else { return nil }
        return text
    }

    func set(_ name: String, _ value: String) throws {
        try remove(name)
        _ = try connection.run(
            "INSERT INTO moorage_meta (name, value) VALUES (?, ?)", [.text(name), .text(value)])
    }

    private func remove(_ name: String) throws {
        _ = try connection.run("DELETE FROM moorage_meta WHERE name = ?", [.text(name)])
    }

    /// Deletes rows that are older than a time, and rows of other tables that belong to them.
    ///
    /// - Parameters:
    ///   - key: The columns that name a row, the same in each table.
    ///   - details: Tables whose rows belong to those, and are deleted before them.
    /// - Returns: How many; fewer than `limit` when none is left.
    func forget(
        _ key: [String], of table: String, where column: String, isBefore time: HubTime, limit: Int,
        with details: [String] = []
    ) throws -> Int {
        let name = key.joined(separator: ", ")
        // Each statement selects the same rows. The query is nested because not every database
        // accepts a delete by a query with a limit.
        let old = """
            SELECT \(name) FROM (
              SELECT \(name) FROM \(table) WHERE \(column) < ?
              ORDER BY \(column), \(name) LIMIT ?) AS o
            """
        let arguments: [Value] = [.time(time), .integer(Int64(limit))]
        let answer = try connection.run("SELECT count(*) FROM (\(old)) AS c", arguments)
        guard case .integer(let count)? = answer.first?.first, count > 0 else { return 0 }
        for table in details + [table] {
            _ = try connection.run("DELETE FROM \(table) WHERE (\(name)) IN (\(old))", arguments)
        }
        return Int(clamping: count)
    }

    /// The facts of the hub, by name.
    func values() throws -> [String: String] {
        let rows = try connection.run(
            "SELECT name, value FROM moorage_meta WHERE \(MetadataTable.isFact)", [])
        var values: [String: String] = [:]
        for row in rows {
            if case .text(let name)? = row.first, case .text(let value)? = row.last {
                values[name] = value
            }
        }
        return values
    }

    /// The hub's facts. Throws when nothing was attached, or when the format is too new or too old.
    ///
    /// - Parameter oldest: The oldest format to accept. An attach upgrades older ones.
    func facts(oldest: Int = Metadata.format) throws -> HubFacts {
        guard try connection.hasMetadata() else { throw HubError.notAttached }
        return try HubFacts(values(), oldest: oldest)
    }

    private static let renewed = "renewed_at"
    private static let copied = "copied_at"
    private static let epochBegan = "epoch_at"

    /// Records when a replica's claim began an epoch. Writing it is the lock of whoever begins one.
    func setRenewed(at time: HubTime) throws { try set(Self.renewed, String(time.milliseconds)) }

    /// Begins an epoch. Call it inside a write transaction.
    func begin(_ epoch: String) throws {
        try set("epoch", epoch)
        try set(Self.epochBegan, String(connection.now().milliseconds))
        try set("identity", try connection.identity())
    }

    /// Records until when another database had answered what the owner's copy of its rows contains.
    func setCopied(at time: HubTime) throws { try set(Self.copied, String(time.milliseconds)) }

    // MARK: Columns

    private static let forms = MetadataTable.columns

    /// The forms of a table's columns as it was attached; `nil` where an older version attached it.
    func forms(of table: AttachedTable) throws -> [String: ColumnForm]? {
        guard let text = try value(Self.forms + String(table.number)) else { return nil }
        return try? JSONDecoder().decode([String: ColumnForm].self, from: Data(text.utf8))
    }

    func set(_ forms: [String: ColumnForm], of table: AttachedTable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try String(decoding: encoder.encode(forms), as: UTF8.self)
        try set(Self.forms + String(table.number), text)
    }

    // MARK: Tables that are being attached

    private static let begun = "attaching "

    /// Reserves a table's number.
    func begin(_ table: AttachedTable) throws {
        try set(Self.begun + String(table.number), table.name)
    }

    /// Ends an attach: the table is attached, or every trace of it is removed.
    func end(_ table: AttachedTable) throws {
        try remove(Self.begun + String(table.number))
    }

    /// Tables of attaches that began and did not end, by number and name alone.
    func begunTables() throws -> [AttachedTable] { try namedTables(Self.begun) }

    // MARK: Tables whose changes were missed

    fileprivate static let missed = "missed "

    /// Records that devices missed changes of a table. It is suspended until an attach has given
    /// all its rows new versions, and ``save(_:)`` ends it.
    ///
    /// - Parameter mark: Names this record among others of the table.
    func setMissed(_ table: AttachedTable, by mark: String) throws {
        try set(Self.missed + String(table.number), mark)
    }

    func missed(_ table: AttachedTable) throws -> String? {
        try value(Self.missed + String(table.number))
    }

    /// The numbers of these tables.
    func missedTables() throws -> [Int] {
        try values().keys.filter { $0.hasPrefix(Self.missed) }
            .compactMap { Int($0.dropFirst(Self.missed.count)) }
    }

    // MARK: Tables with an added key

    private static let keyed = "added key "

    /// Records that an attach adds a key to a table, before anything has it.
    func setAddedKey(of table: AttachedTable) throws {
        try set(Self.keyed + String(table.number), table.name)
    }

    /// Ends a removal: the table has no such key any more.
    func endAddedKey(of table: AttachedTable) throws {
        try remove(Self.keyed + String(table.number))
    }

    /// Tables to which an attach added a key, or began to, by number and name alone.
    func tablesWithAddedKey() throws -> [AttachedTable] { try namedTables(Self.keyed) }

    /// Tables of facts that have a number in their name, and the table's name as value.
    private func namedTables(_ prefix: String) throws -> [AttachedTable] {
        try values().compactMap { name, table in
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count))
            else { return nil }
            return AttachedTable(
                number: number,
                description: TableDescription(name: table, columns: [], primaryKey: []))
        }.sorted { $0.number < $1.number }
    }

    // MARK: Attached tables

    func tables() throws -> [AttachedTable] {
        let rows = try connection.run(
            "SELECT number, description FROM moorage_table ORDER BY number", [])
        return try rows.map { row in
            guard case .integer(let number)? = row.first, case .text(let text)? = row.last,
                let table = try SchemaDescription(decoding: Array(text.utf8)).tables.first
            else { throw HubError.descriptionMissing }
            return AttachedTable(number: Int(clamping: number), description: table)
        }
    }

    func save(_ table: AttachedTable) throws {
        try remove(table)
        let description = SchemaDescription(tables: [table.description]).encoded()
        _ = try connection.run(
            "INSERT INTO moorage_table (number, name, description) VALUES (?, ?, ?)",
            [
                .integer(Int64(table.number)), .text(table.name),
                .text(String(decoding: description, as: UTF8.self)),
            ])
        guard !table.scopes.isEmpty else { return }
        _ = try connection.run(
            "INSERT INTO moorage_scope (number, paths) VALUES (?, ?)",
            [.integer(Int64(table.number)), .text(table.scopes.text)])
    }

    func remove(_ table: AttachedTable) throws {
        for name in ["moorage_table", "moorage_scope"] {
            _ = try connection.run(
                "DELETE FROM \(name) WHERE number = ?", [.integer(Int64(table.number))])
        }
        for prefix in [Self.forms, Self.missed] {
            try remove(prefix + String(table.number))
        }
    }

    /// How the rows of tables come into scopes, as text, by the table's number.
    func scopes() throws -> [Int: String] {
        var scopes: [Int: String] = [:]
        for row in try connection.run("SELECT number, paths FROM moorage_scope", []) {
            guard case .integer(let number)? = row.first, case .text(let text)? = row.last else {
                continue
            }
            scopes[Int(clamping: number)] = text
        }
        return scopes
    }
}

/// What Moorage's own tables say about a hub.
struct HubFacts: Hashable, Sendable {
    let hub: String
    let epoch: Epoch
    /// When the epoch began, by the database's clock; `nil` where an earlier version began it.
    let epochBeganAt: HubTime?
    /// The central database's identity when the epoch began.
    let identity: String
    /// What lies within this checkpoint is forgotten: tombstones, nonces (docs/reference/hub.md,
    /// Retention).
    let horizon: Checkpoint?
    /// The database's clock when the horizon was the newest checkpoint.
    let horizonAt: HubTime?
    /// When a replica's claim last began an epoch, by the database's clock.
    let renewedAt: HubTime?
    /// Until when this database is sure to have what the hub answered, while it may not remember
    /// what was deleted; `nil` where the hub began in this database.
    let copiedAt: HubTime?
    /// When the last purge ended; 0 while one is under way, and before the first.
    let purgedAt: HubTime
    /// A text that changes with each attach that changes how rows come into scopes.
    let attachedAs: String
    /// The names of the facts about tables whose changes were missed, in order.
    let missed: [String]
    /// The secret that signs cursors.
    let cursorSecret: String
    /// The format of Moorage's own tables.
    let format: Int

    init(
        hub: String, epoch: Epoch, epochBeganAt: HubTime? = nil, identity: String,
        horizon: Checkpoint? = nil,
        horizonAt: HubTime? = nil,
        renewedAt: HubTime? = nil, copiedAt: HubTime? = nil, purgedAt: HubTime? = nil,
        attachedAs: String = "", missed: [String] = [],
        cursorSecret: String = "", format: Int = Metadata.format
    ) {
        self.hub = hub
        self.epoch = epoch
        self.epochBeganAt = epochBeganAt
        self.identity = identity
        self.horizon = horizon
        self.horizonAt = horizonAt
        self.renewedAt = renewedAt
        self.copiedAt = copiedAt
        self.purgedAt = purgedAt ?? 0
        self.attachedAs = attachedAs
        self.missed = missed
        self.cursorSecret = cursorSecret
        self.format = format
    }

    /// - Parameters:
    ///   - values: As the database has them, by name; `nil` where nothing was attached.
    ///   - oldest: The oldest format to accept.
    init(_ values: [String: String]?, oldest: Int = Metadata.format) throws {
        guard let values else { throw HubError.notAttached }
        guard let hub = values["hub"], let epoch = values["epoch"],
            let format = values["format"].flatMap({ Int($0) })
        else { throw HubError.notAttached }
        guard format <= Metadata.format else {
            throw HubError.attachedByNewerVersion(format: format, newest: Metadata.format)
        }
        guard format >= oldest else {
            throw HubError.attachedByOlderVersion(format: format, oldest: oldest)
        }
        // Without the secret anybody could make a cursor.
        if oldest == Metadata.format, values["cursor_secret"]?.isEmpty != false {
            throw HubError.cursorSecretMissing
        }
        self.init(
            hub: hub, epoch: Epoch(epoch),
            epochBeganAt: values["epoch_at"].flatMap { HubTime(text: $0) },
            identity: values["identity"] ?? "",
            horizon: values["horizon"].map { Checkpoint($0) },
            horizonAt: values["horizon_at"].flatMap { HubTime(text: $0) },
            renewedAt: values["renewed_at"].flatMap { HubTime(text: $0) },
            copiedAt: values["copied_at"].flatMap { HubTime(text: $0) },
            purgedAt: values["purge"].flatMap { HubTime(text: $0) },
            attachedAs: values["attached_as"] ?? "",
            missed: values.keys.filter { $0.hasPrefix(Metadata.missed) }.sorted(),
            cursorSecret: values["cursor_secret"] ?? "", format: format)
    }
}
