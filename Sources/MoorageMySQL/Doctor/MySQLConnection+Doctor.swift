import MoorageCore
import MoorageHub

/// What a doctor reads from MariaDB and MySQL. SQL that the owner runs quotes names with backticks.
extension MySQLConnection {
    func examine(_ examination: Examination) throws -> [Finding] {
        let who = try whoAmI()
        // The doctor reads the highest keys from the tables, which the owner's DDL may have locked.
        try link.simple("SET SESSION lock_wait_timeout = 1")
        defer { restoreLockTimeout() }
        let edges = try readForeignEdges()
        var findings = try examining("Privileges") {
            try privilegeFindings(examination, who, edges)
        }
        findings += try examining("Whom Moorage's triggers run as") {
            try definerFindings(in: who.database)
        }
        findings += try examining("The indexes") { try indexFindings(examination) }
        for table in examination.synced {
            findings += try examining("The keys of \(table.name)") { try keyFindings(table, edges) }
            findings += try examining("The texts of \(table.name)") {
                try textFindings(table, edges)
            }
        }
        findings += try examining("The FULLTEXT indexes") { try fullTextFindings() }
        findings += try examining("Your foreign keys") {
            try referenceFindings(examination, edges)
        }
        findings += try examining("Your triggers") { try triggerFindings(examination) }
        findings += try examining(
            "Transactions", repair: .sql(["GRANT PROCESS ON *.* TO \(who.grantee)"])
        ) { try transactionFindings(examination) }
        findings += try examining("Settings") {
            try settingFindings(
                examination,
                isTrusted: who.grants.hasEverywhere("SUPER")
                    || (!link.kind.isMariaDB && who.grants.hasRoles))
        }
        findings += try examining("Moorage's own objects") {
            try ownFindings(examination, edges, who)
        }
        return findings
    }

    private func restoreLockTimeout() {
        let seconds = max(1, options.lockTimeout.components.seconds)
        do {
            try link.simple("SET SESSION lock_wait_timeout = \(seconds)")
        } catch {
            // A connection that is opened again has the configured timeout.
            link.close()
        }
    }

    // MARK: Privileges

    /// The user that is connected.
    struct Role {
        let grantee: String
        let database: String
        let grants: GrantList
    }

    private func whoAmI() throws -> Role {
        let answer = try link.query("SELECT current_user(), database()", isKept: false)
        return Role(
            grantee: Self.grantee(answer.text(0, 0) ?? ""), database: answer.text(0, 1) ?? "",
            grants: GrantList(try grants("SHOW GRANTS")))
    }

    /// - Parameter user: `user@host`, as the server reports it. The user's name may contain an `@`.
    static func grantee(_ user: String) -> String {
        let at = user.lastIndex(of: "@") ?? user.endIndex
        let host = user[at...].dropFirst()
        return "\(SQLText.literal(String(user[..<at])))@\(SQLText.literal(String(host)))"
    }

    func grants(_ statement: String) throws -> [String] {
        let answer = try link.query(statement, isKept: false)
        return (0..<answer.rowCount).compactMap { answer.text($0, 0) }
    }

    private func privilegeFindings(
        _ examination: Examination, _ who: Role, _ edges: [ForeignEdge]
    ) throws -> [Finding] {
        // MySQL lists roles without the privileges that they grant.
        if !link.kind.isMariaDB, who.grants.hasRoles { return [] }
        let writes = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        let database = SQLText.ownersName(who.database)
        func finding(_ table: String?, _ words: [String], _ what: String) -> Finding? {
            let missing = words.filter { !who.grants.has($0, on: who.database, table: table) }
            guard !missing.isEmpty else { return nil }
            let list = missing.joined(separator: ", ")
            return Finding(
                .missingPrivileges, .problem, table: table,
                "The user \(who.grantee) lacks \(list) \(table.map { "on \($0), " } ?? "")\(what).",
                repair: .sql([
                    """
                    GRANT \(list) ON \(database).\(table.map(SQLText.ownersName) ?? "*") TO \(who.grantee)
                    """
                ]))
        }
        let own: [Finding?]
        if examination.isAttached {
            // An attached hub creates no more tables, so its privileges may be granted table by
            // table.
            own = try ownTables(examination, edges).map {
                finding($0, writes, "one of Moorage's own tables")
            }
        } else {
            own = [finding(nil, writes + ["CREATE", "DROP"], "for Moorage's own tables")]
        }
        return own.compactMap(\.self)
            + examination.synced.compactMap { table in
                let words = table.description.direction.acceptsChanges ? writes : ["SELECT"]
                return finding(
                    table.name, words + (examination.isNew(table) ? ["TRIGGER"] : []),
                    "which is to be synced")
            }
    }

    // MARK: Indexes and keys

    private func indexFindings(_ examination: Examination) throws -> [Finding] {
        let indexes = try readIndexes()
        let facts = examination.tables.flatMap { table in
            (indexes[table.name] ?? []).map {
                IndexFact(name: $0.name, table: table.name, columns: $0.columns)
            }
        }
        var long: Set<[String]> = []
        for table in Set(examination.indexNeeds.map(\.table)) {
            for column in try nativeColumns(of: table)
            where column.dataType.hasSuffix("text") || column.dataType.hasSuffix("blob") {
                long.insert([table, column.name])
            }
        }
        return examination.indexFindings(facts) { name, need in
            let columns = need.columns.map { column in
                SQLText.ownersName(column) + (long.contains([need.table, column]) ? "(190)" : "")
            }
            return [
                """
                CREATE INDEX \(SQLText.ownersName(name)) ON \(SQLText.ownersName(need.table)) \
                (\(columns.joined(separator: ", ")))
                """
            ]
        }
    }

    /// Whether a foreign key uses the column, on either side. While one does, the column's type
    /// cannot change.
    func isBound(_ column: String, of table: String, _ edges: [ForeignEdge]) -> Bool {
        edges.contains { edge in
            (edge.child.hasSameBytes(as: table)
                && edge.columns.contains { $0.hasSameBytes(as: column) })
                || (edge.parent.hasSameBytes(as: table)
                    && edge.referenced.contains { $0.hasSameBytes(as: column) })
        }
    }

    private func keyFindings(_ table: AttachedTable, _ edges: [ForeignEdge]) throws -> [Finding] {
        let description = table.description
        guard description.primaryKey.count == 1, let position = description.primaryKey.first,
            description.columns[position].type == .integer,
            let column = try nativeColumns(of: table.name).first(where: {
                $0.name.hasSameBytes(as: description.columns[position].name)
            })
        else { return [] }
        let isUnsigned = column.family == .unsigned
        guard let capacity = column.capacity else { return [] }
        let answer = try link.query(
            "SELECT max(\(column.quoted)) FROM \(SQLText.name(table.name))", isKept: false)
        // AUTO_INCREMENT advances by itself with each row.
        let fact = KeyFact(
            table: table.name, column: column.name, highest: answer.integer(0, 0),
            capacity: capacity, next: nil)
        let definition = try definition(of: column, in: table.name)
        let alter = """
            ALTER TABLE \(SQLText.ownersName(table.name)) \
            \(definition.modify(type: "BIGINT\(isUnsigned ? " UNSIGNED" : "")"))
            """
        let isBound = self.isBound(column.name, of: table.name, edges)
        return fact.findings(
            widen: [
                isBound
                    ? "-- \(alter)  -- once its foreign keys are dropped; then theirs"
                    : definition.isWhole ? alter : "-- \(alter) …  -- with all else that it has"
            ],
            advance: [])
    }
}
