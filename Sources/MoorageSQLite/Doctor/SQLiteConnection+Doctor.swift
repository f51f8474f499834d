import Foundation
import GRDBSQLite
import MoorageCore
import MoorageHub

/// What a SQLite file says of itself to a doctor.
extension SQLiteConnection {
    func examine(_ examination: Examination) throws -> [Finding] {
        try examining("The file") { try fileFindings() }
            + examining("The indexes") { try indexFindings(examination) }
            + examining("Your triggers") { try triggerFindings(examination) }
            + examining("References") { try referenceFindings(examination) }
            + examining("Moorage's own objects") { try ownFindings(examination) }
    }

    // MARK: The file

    private func fileFindings() throws -> [Finding] {
        let path =
            try query("SELECT file FROM pragma_database_list WHERE name = 'main'")
            .first?.first?.plainText ?? ""
        if path.isEmpty { return [] }
        var findings: [Finding] = []
        let files = FileManager.default
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let blocked = [path, folder].first { !files.isWritableFile(atPath: $0) }
        if let blocked {
            findings.append(
                Finding(
                    .missingPrivileges, .problem,
                    """
                    The hub may not write to \(blocked). SQLite needs to write the file and, beside it, its \
                    journal: give the hub's user the right with chown or chmod.
                    """))
        } else if sqlite3_db_readonly(handle, "main") == 1 {
            findings.append(
                Finding(
                    .readOnly, .problem,
                    "The file is opened for reading only. Open it for writing, and off a medium that takes writes."
                ))
        }
        let mode = try query("PRAGMA journal_mode").first?.first?.plainText?.lowercased() ?? ""
        if mode != "wal" {
            let isUnsafe = mode == "off" || mode == "memory"
            findings.append(
                Finding(
                    .journalMode, isUnsafe ? .warning : .note,
                    """
                    The file's journal mode is \(mode): \(isUnsafe
                        ? "a crash may leave it broken" : "readers and the writer wait for each other").
                    """, mend: .sql(["PRAGMA journal_mode = WAL"])))
        }
        return findings
    }

    // MARK: Indexes and references

    private func indexFindings(_ examination: Examination) throws -> [Finding] {
        let rows = try query(
            """
            SELECT t.name, i.name, i.partial, c.name
            FROM pragma_table_list AS t, pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS c
            WHERE t.schema = 'main' AND c.key = 1 ORDER BY t.name, i.name, c.seqno
            """)
        var indexes: [(name: Value, table: String, columns: [String], isUsable: Bool)] = []
        var isClosed = false
        for row in rows {
            guard let table = row[0].plainText else { continue }
            if indexes.last?.name != row[1] || indexes.last?.table != table {
                indexes.append((row[1], table, [], row[2].number == 0))
                isClosed = false
            }
            if let column = row[3].plainText, !isClosed {
                indexes[indexes.count - 1].columns.append(column)
            } else {
                isClosed = true
            }
        }
        var facts = indexes.map {
            IndexFact(
                name: $0.name.plainText ?? "", table: $0.table, columns: $0.columns,
                isUsable: $0.isUsable)
        }
        // An integer key is the row's own number, and has no index.
        for table in Set(examination.indexNeeds.map(\.table)) {
            let key = try LocalColumn.read(table, on: self).filter { $0.keyPosition > 0 }
                .sorted { $0.keyPosition < $1.keyPosition }
            facts.append(IndexFact(name: "", table: table, columns: key.map(\.name)))
        }
        return examination.indexFindings(facts) { name, need in
            let columns = need.columns.map(\.quoted).joined(separator: ", ")
            return ["CREATE INDEX \(name.quoted) ON \(need.table.quoted) (\(columns))"]
        }
    }

    /// Foreign keys bind the connections that ask for it, and no others.
    private func referenceFindings(_ examination: Examination) throws -> [Finding] {
        try examination.synced.compactMap { table in
            // The look at a large table would keep a writer from its commit.
            let count = try query(
                "SELECT count(*) FROM (SELECT 1 FROM \(table.name.quoted) LIMIT 100001)")
            guard count.first?.first?.number ?? 0 <= 100_000 else { return nil }
            let broken = try query(
                "SELECT parent FROM pragma_foreign_key_check(?) LIMIT 1", [.text(table.name)])
            guard let parent = broken.first?.first?.plainText else { return nil }
            return Finding(
                .brokenReferences, .problem, table: table.name,
                """
                \(table.name) has rows that refer to rows of \(parent) which are not there: a program wrote them \
                without PRAGMA foreign_keys = ON. A device that checks its references does not take them.
                """,
                mend: .sql([
                    "-- SELECT * FROM pragma_foreign_key_check(\(table.name.quoted(by: "'")))  -- shows them",
                    """
                    -- DELETE FROM \(table.name.quoted) WHERE rowid IN (SELECT rowid FROM \
                    pragma_foreign_key_check(\(table.name.quoted(by: "'"))))
                    """,
                ]))
        }
    }

    // MARK: Triggers

    private func triggerFindings(_ examination: Examination) throws -> [Finding] {
        let rows = try query(
            """
            SELECT name, tbl_name, sql FROM sqlite_master
            WHERE type = 'trigger' AND name NOT LIKE 'moorage\\_%' ESCAPE '\\'
              AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\' ORDER BY name
            """)
        let synced = examination.synced.map(\.description)
        return rows.compactMap { row in
            guard let name = row[0].plainText, let place = row[1].plainText,
                let sql = row[2].plainText,
                let table = synced.first(where: { $0.name.isSameName(as: place) })
            else { return nil }
            let words = SQLWords(sql).words
            let begin = words.firstIndex { $0.isKeyword("BEGIN") } ?? 0
            let body = SQLWords(Array(words[begin...]))
            let ignores = zip(body.words, body.words.dropFirst(2)).contains {
                $0.isKeyword("RAISE") && $1.isKeyword("IGNORE")
            }
            return TriggerFact(
                name: name, table: table.name, changesRow: ignores, written: body.written,
                drop: "DROP TRIGGER \(name.quoted)"
            ).finding(synced: synced)
        }
    }

    // MARK: Moorage's own

    private func ownFindings(_ examination: Examination) throws -> [Finding] {
        guard let attached = examination.attached else { return [] }
        let rows = try query(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name LIKE 'moorage\\_%' ESCAPE '\\'"
        )
        let found = rows.compactMap { row in row[3].plainText.flatMap(Self.object) }
        var findings = OwnObject.findings(
            expected: metadataSteps().compactMap(Self.object), found: found, of: nil)
        for table in attached {
            let expected = try attachSteps(for: table, previous: table).compactMap(Self.object)
            findings += OwnObject.findings(
                expected: expected, found: found, of: table.name,
                isExact: !examination.grown.contains(table.name))
        }
        return findings
    }

    /// What a statement makes. Tables and indexes count by their names: older versions made them otherwise.
    private static func object(_ sql: String) -> OwnObject? {
        guard let object = OwnObject(creating: SQLWords(sql)) else { return nil }
        return object.kind == .trigger ? object : OwnObject(object.kind, object.name)
    }
}
