import Foundation
import GRDBSQLite
import MoorageCore
import MoorageHub
import SQLiteSupport

/// What a doctor reads from a SQLite file.
extension SQLiteConnection {
    func examine(_ examination: Examination) throws -> [Finding] {
        try examining("The file") { try fileFindings() }
            + examining("The indexes") { try indexFindings(examination) }
            + examining("Your triggers") { try triggerFindings(examination) }
            + examining("Collations") { try collationFindings(examination) }
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
                    """, repair: .sql(["PRAGMA journal_mode = WAL"])))
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

    /// Texts in keys that the file calls equal and devices do not.
    private func collationFindings(_ examination: Examination) throws -> [Finding] {
        var findings: [Finding] = []
        for table in examination.synced {
            let rows = try query(
                """
                SELECT c.name, c.coll, i.origin
                FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
                WHERE i."unique" = 1 AND i.partial = 0 AND c.key = 1 AND upper(c.coll) <> 'BINARY'
                ORDER BY i.origin <> 'pk', i.seq, c.seqno
                """, [.text(table.name)])
            var told: Set<Value> = []
            for row in rows {
                guard let name = row[0].plainText, let collation = row[1].plainText,
                    table.description.columns.contains(where: {
                        $0.name.hasSameBytes(as: name) && $0.type == .text
                    }), told.insert(row[0]).inserted
                else { continue }
                let isPrimary = row[2].plainText == "pk"
                findings.append(
                    Finding(
                        .keyCollation, isPrimary ? .warning : .note, table: table.name,
                        """
                        \(table.name).\(name) is \(isPrimary ? "a key" : "unique") and compares by \(collation), \
                        which calls different texts equal: devices compare by bytes, and may send two rows that \
                        are one here.
                        """,
                        repair: .sql(
                            Self.remake(table.name, "with COLLATE BINARY for \(name.quoted)"))))
            }
        }
        return findings
    }

    /// SQLite checks foreign keys only for the connections that ask for it.
    private func referenceFindings(_ examination: Examination) throws -> [Finding] {
        try examination.synced.compactMap { table in
            // A check of a large table would keep a writer from its commit.
            let count = try query(
                "SELECT count(*) FROM (SELECT 1 FROM \(table.name.quoted) LIMIT 100001)")
            guard count.first?.first?.number ?? 0 <= 100_000 else { return nil }
            let broken = try query(
                "SELECT DISTINCT parent, fkid FROM pragma_foreign_key_check(?) ORDER BY fkid",
                [.text(table.name)])
            guard let parent = broken.first?.first?.plainText else { return nil }
            let name = table.name.quoted(by: "'")
            let show = "-- SELECT * FROM pragma_foreign_key_check(\(name))  -- shows them"
            let deletes = try broken.compactMap {
                try deleteBroken(table.name, $0[0].plainText ?? "", $0[1])
            }
            return Finding(
                .brokenReferences, .problem, table: table.name,
                """
                \(table.name) has rows that refer to rows of \(parent) which are not there: a program wrote them \
                without PRAGMA foreign_keys = ON. Devices get them as they are, and list them.
                """,
                repair: .sql([show] + deletes))
        }
    }

    /// A choice for the owner: a statement that deletes rows that refer to nothing. SQLite numbers
    /// such rows only in tables with row numbers. So the statement finds them by what they refer
    /// to.
    private func deleteBroken(_ table: String, _ parent: String, _ number: Value) throws -> String?
    {
        let links = try query(
            #"SELECT "from", "to" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq"#,
            [.text(table), number])
        let key = try LocalColumn.read(parent, on: self).filter { $0.keyPosition > 0 }
            .sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
        var conditions: [String] = []
        var match: [String] = []
        for (position, link) in links.enumerated() {
            guard let from = link[0].plainText,
                let to = link[1].plainText ?? (position < key.count ? key[position] : nil)
            else { return nil }
            let column = "\(table.quoted).\(from.quoted)"
            conditions.append("\(column) IS NOT NULL")
            match.append("p.\(to.quoted) = \(column)")
        }
        return """
            -- DELETE FROM \(table.quoted) WHERE \(conditions.joined(separator: " AND ")) AND NOT EXISTS (SELECT 1 \
            FROM \(parent.quoted) AS p WHERE \(match.joined(separator: " AND ")))
            """
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
                let table = synced.first(where: { SQLText.isSameName($0.name, place) })
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

    /// The object that a statement creates. Tables and indexes are compared by name only, because
    /// older versions created them in another way.
    private static func object(_ sql: String) -> OwnObject? {
        guard let object = OwnObject(creating: SQLWords(sql)) else { return nil }
        return object.kind == .trigger ? object : OwnObject(object.kind, object.name)
    }
}
