import MoorageCore
import MoorageHub

/// Compares the role's privileges with those that Moorage needs. One role may do everything, or one
/// attaches and another serves (docs/reference/security.md).
extension PostgresConnection {
    /// A right that the connection's role lacks.
    private struct Lack {
        /// The owner's table that it is about.
        var table: String?
        /// As a sentence names it.
        let place: String
        /// As GRANT names it.
        let object: String
        let right: String
    }

    /// How the connection's role takes part in this hub.
    private struct Standing {
        /// The role owns Moorage's tables, because it attached them.
        let hasAttached: Bool
        /// Another role has privileges to serve what this one attached.
        let isServedByOthers: Bool
    }

    func privilegeFindings(_ examination: Examination) throws -> [Finding] {
        let role = try quotedRole()
        let schemaRights = try schemaLacks()
        let standing = try standing(examination)
        var attaching = try attachingLacks(examination) + schemaRights.attaching
        var serving = try servingLacks(examination)
        // Another role attached, and will attach again.
        if examination.isAttached, !standing.hasAttached { attaching = [] }
        var notes: [Lack] = []
        var note = ""
        let isShared = standing.hasAttached && standing.isServedByOthers
        if !serving.isEmpty, isShared || !examination.isAttached && attaching.isEmpty {
            (notes, serving) = (serving, [])
            note = "attaches, and cannot serve: another role has to, or this one needs"
        } else if !attaching.isEmpty, serving.isEmpty {
            (notes, attaching) = (attaching, [])
            note = "serves, and cannot attach: another role has to, or this one needs"
        }
        var findings = problems(schemaRights.both + attaching + serving, role)
        if !notes.isEmpty {
            let list = grants(notes)
            let words = list.prefix(5).map { "\($0.words) on \($0.place)" }.joined(separator: "; ")
            let more = list.count > 5 ? " and \(list.count - 5) more" : ""
            findings.append(
                Finding(
                    .missingPrivileges, .note, "The role \(role) \(note) \(words)\(more).",
                    repair: .sql(list.map { "-- GRANT \($0.words) ON \($0.object) TO \(role)" })))
        }
        return try findings + functionFindings(examination)
    }

    // MARK: What is lacking

    private func schemaLacks() throws -> (both: [Lack], attaching: [Lack]) {
        let answer = try link.simple(
            """
            SELECT has_schema_privilege(\(schema.number), 'CREATE'), \(schema.number)::text,
              has_function_privilege('pg_control_system()', 'EXECUTE')
            """)
        let schema = answer.text(0, 1) ?? ""
        let create = Lack(
            place: "the schema \(schema), where Moorage's own tables and functions go",
            object: "SCHEMA \(schema)", right: "CREATE")
        let identity = Lack(
            place: "the function pg_control_system(), which tells one database from a copy",
            object: "FUNCTION pg_catalog.pg_control_system()", right: "EXECUTE")
        return (
            answer.text(0, 2) == "t" ? [] : [identity], answer.text(0, 0) == "t" ? [] : [create]
        )
    }

    private func standing(_ examination: Examination) throws -> Standing {
        guard examination.isAttached else {
            return Standing(hasAttached: false, isServedByOthers: false)
        }
        let answer = try link.simple(
            """
            SELECT pg_has_role(c.relowner, 'USAGE'), EXISTS (
              SELECT FROM aclexplode(c.relacl) AS a
              WHERE a.grantee <> c.relowner AND a.privilege_type = 'INSERT')
            FROM pg_class AS c
            WHERE c.oid = to_regclass(\(SQLText.literal(schema.table("moorage_meta"))))
            """)
        return Standing(
            hasAttached: answer.text(0, 0) == "t", isServedByOthers: answer.text(0, 1) == "t")
    }

    private func attachingLacks(_ examination: Examination) throws -> [Lack] {
        let tables = Set(examination.synced.flatMap { [$0.name] + Self.deciding($0) }).sorted()
        let what = ", which is to be synced"
        let partitions = try link.simple(
            """
            SELECT s.name, c.relname, format('%I.%I', n.nspname, c.relname)
            FROM \(list(tables)) CROSS JOIN LATERAL pg_partition_tree(s.id) AS p
            JOIN pg_class AS c ON c.oid = p.relid JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE s.id IS NOT NULL AND p.level > 0 AND NOT has_table_privilege(c.oid, 'TRIGGER')
            ORDER BY 1, 2
            """)
        return try lacking(["SELECT", "UPDATE", "TRIGGER"], on: tables, what)
            + (0..<partitions.rowCount).map { row in
                let table = partitions.text(row, 0) ?? ""
                return Lack(
                    table: table,
                    place: "\(partitions.text(row, 1) ?? ""), a partition of \(table)",
                    object: partitions.text(row, 2) ?? "", right: "TRIGGER")
            }
    }

    private func servingLacks(_ examination: Examination) throws -> [Lack] {
        let writes = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        let written = examination.synced.filter(\.description.direction.acceptsChanges)
        let read = Set(
            examination.synced.flatMap { [$0.name] + Self.deciding($0) }
        ).subtracting(written.map(\.name)).sorted()
        let what = ", which is to be synced"
        let own =
            MetadataTable.all.map(\.name) + ["moorage_note"]
            + (examination.attached ?? []).map { $0.objectName("track") }
        return try lacking(writes, on: written.map(\.name), what)
            + lacking(["SELECT"], on: read, what)
            + lacking(writes, on: own, ", one of Moorage's own tables")
            + sequenceLacks(written) + resolveLacks(examination)
    }

    /// Sequences of columns that devices leave to the database, and sequences that give keys for
    /// devices.
    private func sequenceLacks(_ tables: [AttachedTable]) throws -> [Lack] {
        let answer = try link.simple(
            """
            SELECT s.name, a.attname, a.attidentity <> '', c.relname, format('%I.%I', n.nspname, c.relname)
            FROM \(list(tables.map(\.name))) JOIN pg_depend AS d ON d.refobjid = s.id
              AND d.refclassid = 'pg_class'::regclass AND d.classid = 'pg_class'::regclass
            JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'S'
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = s.id AND a.attnum = d.refobjsubid
            WHERE d.deptype IN ('a', 'i')
              AND CASE WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(c.oid, 'USAGE') END
            ORDER BY 1, 2
            """)
        return (0..<answer.rowCount).compactMap { row in
            let name = answer.text(row, 0) ?? ""
            let column = answer.text(row, 1) ?? ""
            guard let table = tables.first(where: { $0.name.hasSameBytes(as: name) }) else {
                return nil
            }
            let isKey = table.description.primaryKey.contains {
                table.description.columns[$0].name.hasSameBytes(as: column)
            }
            let isUsed =
                isKey ? table.description.keyBlock != nil : answer.text(row, 2) != "t"
            guard isUsed else { return nil }
            let sequence = answer.text(row, 3) ?? ""
            return Lack(
                table: name, place: "the sequence \(sequence) of \(name).\(column)",
                object: "SEQUENCE \(answer.text(row, 4) ?? "")", right: "USAGE")
        }
    }

    /// The functions that derive the scopes of recorded rows.
    private func resolveLacks(_ examination: Examination) throws -> [Lack] {
        try (examination.attached ?? []).filter { !$0.scopes.isEmpty }.compactMap { table in
            let function = TrackingSQL.resolveFunction(table.number, in: schema) + "()"
            let answer = try link.simple(
                """
                SELECT has_function_privilege(p.oid, 'EXECUTE') FROM pg_proc AS p
                WHERE p.oid = to_regprocedure(\(SQLText.literal(function)))
                """)
            guard answer.rowCount == 1, answer.text(0, 0) != "t" else { return nil }
            return Lack(
                table: table.name, place: "Moorage's function moorage_resolve_\(table.number)",
                object: "FUNCTION \(function)", right: "EXECUTE")
        }
    }

    private func lacking(_ rights: [String], on tables: [String], _ what: String) throws -> [Lack] {
        let words = rights.map(SQLText.literal).joined(separator: ", ")
        let answer = try link.simple(
            """
            SELECT s.name, p.word
            FROM \(list(tables)) CROSS JOIN unnest(ARRAY[\(words)]) WITH ORDINALITY AS p(word, place)
            WHERE s.id IS NOT NULL AND NOT has_table_privilege(s.id, p.word)
            ORDER BY s.name, p.place
            """)
        return (0..<answer.rowCount).map { row in
            let table = answer.text(row, 0) ?? ""
            return Lack(
                table: table, place: table + what, object: schema.table(table),
                right: answer.text(row, 1) ?? "")
        }
    }

    /// The tables that decide about the scopes of a table's rows.
    private static func deciding(_ table: AttachedTable) -> [String] {
        table.scopes.flatMap { path -> [String] in
            let levels = path.levels.map(\.table)
            if case .members(let members) = path.source { return levels + [members.table] }
            return levels
        }
    }

    // MARK: Findings

    private struct Grant {
        let table: String?
        let place: String
        let object: String
        var rights: [String]

        var words: String { rights.joined(separator: ", ") }
    }

    /// One grant for each object, with its rights in the usual order.
    private func grants(_ lacks: [Lack]) -> [Grant] {
        let order = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRIGGER"]
        var grants: [Grant] = []
        for lack in lacks {
            if let place = grants.firstIndex(where: { $0.object.hasSameBytes(as: lack.object) }) {
                if !grants[place].rights.contains(lack.right) {
                    grants[place].rights.append(lack.right)
                }
            } else {
                grants.append(
                    Grant(
                        table: lack.table, place: lack.place, object: lack.object,
                        rights: [lack.right]))
            }
        }
        return grants.map { grant in
            var grant = grant
            grant.rights.sort {
                (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0)
            }
            return grant
        }
    }

    private func problems(_ lacks: [Lack], _ role: String) -> [Finding] {
        grants(lacks).map { grant in
            Finding(
                .missingPrivileges, .problem, table: grant.table,
                "The role \(role) lacks \(grant.words) on \(grant.place).",
                repair: .sql(["GRANT \(grant.words) ON \(grant.object) TO \(role)"]))
        }
    }

    // MARK: The rights of our functions

    /// Trigger functions run with the rights of the role that attached. If it lacks one, every
    /// program's write fails.
    private func functionFindings(_ examination: Examination) throws -> [Finding] {
        var findings: [Finding] = []
        for table in examination.attached ?? [] {
            let names =
                TrackingSQL.kinds.map(table.objectName)
                + TrackingSQL.ancestorFunctions(of: table).sorted()
            let track = table.objectName("track")
            let others = Set(Self.deciding(table)).subtracting([table.name]).sorted()
            let read = table.scopes.isEmpty ? ["SELECT"] : ["SELECT", "UPDATE"]
            let needs =
                ([table.name] + others).flatMap { name in read.map { (name, $0) } }
                + ["SELECT", "INSERT", "UPDATE"].map { (track, $0) }
            let rows = needs.map { name, right in
                """
                (to_regclass(\(SQLText.literal(schema.table(name))))::oid, \(SQLText.literal(name)), \
                \(SQLText.literal(right)))
                """
            }
            let answer = try link.simple(
                """
                SELECT DISTINCT quote_ident(r.rolname), v.name, v.word
                FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner
                CROSS JOIN (VALUES \(rows.joined(separator: ", "))) AS v(id, name, word)
                WHERE p.pronamespace = \(schema.number) AND p.prosecdef
                  AND p.proname IN (\(names.map(SQLText.literal).joined(separator: ", ")))
                  AND v.id IS NOT NULL AND NOT has_any_column_privilege(p.proowner, v.id, v.word)
                ORDER BY 1, 2, 3
                """)
            findings += (0..<answer.rowCount).map { row in
                let (owner, place) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
                let right = answer.text(row, 2) ?? ""
                return Finding(
                    .missingPrivileges, .problem, table: table.name,
                    """
                    Moorage's functions on \(table.name) run with the rights of the role \(owner), which lacks \
                    \(right) on \(place): what other programs write into \(table.name) fails.
                    """, repair: .sql(["GRANT \(right) ON \(schema.table(place)) TO \(owner)"]))
            }
        }
        return try findings + functionSchemaFindings(examination)
    }

    private func functionSchemaFindings(_ examination: Examination) throws -> [Finding] {
        guard examination.attached?.isEmpty == false else { return [] }
        let answer = try link.simple(
            """
            SELECT DISTINCT quote_ident(r.rolname), \(schema.number)::text
            FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner
            WHERE p.pronamespace = \(schema.number) AND p.prosecdef AND p.proname LIKE 'moorage\\_%'
              AND NOT has_schema_privilege(p.proowner, p.pronamespace, 'USAGE')
            """)
        return (0..<answer.rowCount).map { row in
            let (owner, schema) = (answer.text(row, 0) ?? "", answer.text(row, 1) ?? "")
            return Finding(
                .missingPrivileges, .problem,
                """
                Moorage's functions run with the rights of the role \(owner), which lacks USAGE on the schema \
                \(schema): what other programs write into synced tables fails.
                """, repair: .sql(["GRANT USAGE ON SCHEMA \(schema) TO \(owner)"]))
        }
    }
}
