import MoorageCore
import MoorageHub

extension SQLiteConnection {
    func metadataSteps() -> [String] {
        let tables = MetadataTable.all.flatMap { table in
            let columns = table.columns.map { column in
                switch column.kind {
                case .name: "\(column.name) TEXT NOT NULL"
                case .text: "\(column.name) TEXT"
                case .integer: "\(column.name) INTEGER"
                }
            }
            let step = """
                CREATE TABLE IF NOT EXISTS \(table.name) (
                  \(columns.joined(separator: ",\n  ")),
                  PRIMARY KEY (\(table.primaryKey.joined(separator: ", ")))
                )
                """
            let indexes = table.indexed.map {
                "CREATE INDEX IF NOT EXISTS \(table.indexName($0)) ON \(table.name) (\($0))"
            }
            return [step] + indexes
        }
        return tables + [
            """
            CREATE TABLE IF NOT EXISTS moorage_clock (
              number INTEGER PRIMARY KEY,
              nonce TEXT NOT NULL,  -- a restored file counts on with other nonces
              at INTEGER NOT NULL
            )
            """,
            """
            INSERT INTO moorage_clock (number, nonce, at)
            SELECT 0, lower(hex(randomblob(8))), \(Self.nowSQL)
            WHERE NOT EXISTS (SELECT 1 FROM moorage_clock)
            """,
        ]
    }

    func detachMetadataSteps() -> [String] {
        (MetadataTable.all.map(\.name) + MetadataTable.formerNames + ["moorage_clock"]).map {
            "DROP TABLE IF EXISTS \($0)"
        }
    }

    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        let keyNames = { (table: TableDescription) in
            table.primaryKey.map { table.columns[$0].name }
        }
        let key = keyNames(table.description)
        let triggers = TrackingTriggers(table, unique: try replacingKeys(of: table.name, key: key))
        var steps: [String] = []
        if let previous, keyNames(previous.description).map(Value.text) != key.map(Value.text) {
            steps.append("DROP TABLE IF EXISTS \(triggers.track)")
        }
        steps += triggers.dropSteps + (try upgradeSteps(triggers)) + triggers.tableSteps
        steps += try dropAncestorSteps(of: table)
        steps += triggers.createSteps
        return steps + (try ancestorSteps(triggers))
    }

    /// Copies tracking rows of an earlier format. Renaming the column would fail where any view of
    /// the owner's is broken.
    private func upgradeSteps(_ triggers: TrackingTriggers) throws -> [String] {
        let track = triggers.table.objectName("track")
        let columns = try query("SELECT name FROM pragma_table_info(?)", [.text(track)])
        guard columns.contains([.text("entered")]) else { return [] }
        let new = "\(triggers.keyList), scope, live, version, live_since, changed_at"
        let old = new.replacing("live_since", with: "entered")
        return [
            "CREATE TEMP TABLE moorage_old AS SELECT \(old) FROM \(triggers.track)",
            "DROP TABLE \(triggers.track)",
        ] + triggers.tableSteps + [
            "INSERT INTO \(triggers.track) (\(new)) SELECT \(old) FROM temp.moorage_old",
            "DROP TABLE temp.moorage_old",
        ]
    }

    private func ancestorSteps(_ triggers: TrackingTriggers) throws -> [String] {
        if triggers.table.scopes.isEmpty { return [] }
        return try ScopedTracking(triggers).ancestorSteps { try replacingKeys(of: $0) }
    }

    /// It leaves out the triggers of unique keys, which may be newer.
    func hasMissedChanges(_ table: AttachedTable, previous: AttachedTable) throws -> Bool {
        // An older version had no scopes.
        let hasScopes = try !query("SELECT 1 FROM sqlite_master WHERE name = 'moorage_scope'")
            .isEmpty
        let known =
            hasScopes
            ? try attachedTables().first { $0.number == previous.number } ?? previous : previous
        return try missingTrigger(TrackingTriggers(known)) != nil
    }

    /// A trigger that the table needs and that is not where it should be. After a rename the
    /// table's triggers are on another table.
    private func missingTrigger(_ triggers: TrackingTriggers) throws -> OwnObject? {
        let needed = try (triggers.createSteps + ancestorSteps(triggers)).compactMap {
            OwnObject(creating: SQLWords($0))
        }.filter { $0.kind == .trigger }
        let found = try query(
            """
            SELECT name, tbl_name FROM sqlite_master
            WHERE type = 'trigger' AND name LIKE 'moorage\\_%' ESCAPE '\\'
            """
        ).map { [$0[0], $0[1]] }
        return needed.first { !found.contains([.text($0.name), .text($0.place)]) }
    }

    func trackingProblems() throws -> [Int: String] {
        var problems: [Int: String] = [:]
        for table in try attachedTables() {
            // A table that no longer fits its description is suspended for that reason.
            guard try !LocalColumn.read(table.name, on: self).isEmpty,
                let missing = try? missingTrigger(TrackingTriggers(table))
            else { continue }
            problems[table.number] = TrackingReason.triggerMissing(
                missing.name, on: missing.place)
        }
        return problems
    }

    /// No statement rewrites a column while its table stays.
    func columnForms(of table: String) throws -> [String: ColumnForm] { [:] }

    /// ``fillTracking(_:batch:progress:)`` repairs tracking rows in parts, too.
    func repairSteps(for table: AttachedTable) throws -> [String] { [] }

    func detachSteps(for table: AttachedTable) throws -> [String] {
        let triggers = TrackingTriggers(table)
        return try triggers.dropSteps + dropAncestorSteps(of: table)
            + ["DROP TABLE IF EXISTS \(triggers.track)"]
    }

    /// Drops the triggers on other tables, and the table that they write to.
    private func dropAncestorSteps(of table: AttachedTable) throws -> [String] {
        let found = try query(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'moorage\\_upper%' ESCAPE '\\'"
        ).compactMap { $0.first?.plainText }
        let own = table.ancestorNames(ScopedTracking.ancestorKinds)
        return found.filter(own.contains).map { "DROP TRIGGER IF EXISTS \($0.quoted)" }
            + ["DROP TABLE IF EXISTS \(table.objectName("touched").quoted)"]
    }

    func runStep(_ sql: String) throws {
        beginMovingSchema()
        try execute(sql)
    }
}
