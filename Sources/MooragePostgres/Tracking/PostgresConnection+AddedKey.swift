import MoorageCore
import MoorageHub

/// The column that an attach adds to a table without any key. Except behind a pooler, no step keeps
/// a writer waiting while it reads the table.
extension PostgresConnection {
    /// How the statement begins that makes an index while others write. Behind a pooler writers wait
    /// for the index: such a statement refuses to run in a transaction, and without one the session
    /// has another program's settings.
    private var uniqueIndex: String {
        link.isPooled ? "CREATE UNIQUE INDEX" : Self.concurrentIndex
    }

    /// The beginning of the one kind of step that refuses to run in a transaction.
    static let concurrentIndex = "CREATE UNIQUE INDEX CONCURRENTLY"

    private var keyColumn: String { SQLText.name(KeylessTable.addedKey) }

    /// What exists of the column.
    private struct AddedKey {
        var exists = false
        var hasDefault = false
        var isNotNull = false
        var hasCheck = false
        var hasIndex = false
        /// An attach was broken off while it made the index.
        var isIndexBroken = false
    }

    func addKeySteps(to table: AttachedTable) throws -> [String] {
        let found = try addedKey(of: table)
        let alter = "ALTER TABLE \(schema.table(table.name))"
        var steps: [String] = []
        if !found.exists { steps.append("\(alter) ADD COLUMN \(keyColumn) uuid") }
        // The default of a column that exists is not written into the existing rows.
        if !found.hasDefault {
            steps.append(
                "\(alter) ALTER COLUMN \(keyColumn) SET DEFAULT pg_catalog.gen_random_uuid()")
        }
        // No row comes between the two.
        return steps.isEmpty ? [] : [steps.joined(separator: ";\n")]
    }

    func fillKeys(of table: AttachedTable, batch: Int, progress: () throws -> Void) throws {
        let found = try addedKey(of: table)
        guard found.exists, !found.isNotNull else { return }
        let name = schema.table(table.name)
        let fill = "UPDATE \(name) SET \(keyColumn) = DEFAULT WHERE \(keyColumn) IS NULL"
        try fillRows(of: table) {
            try link.simple("SELECT count(*) FROM \(name) WHERE \(keyColumn) IS NULL").text(0, 0)
                .flatMap { Int($0) } ?? 0
        } pass: { left in
            // An update by another program can move a row to a part that is filled already. One
            // statement for the whole table finds the last such rows wherever they go.
            if left <= max(1, batch) {
                try runStep(fill)
                return try progress()
            }
            let pages = try pageCount(of: name)
            for start in stride(from: 0, to: pages, by: Self.pages(of: batch)) {
                try runStep(
                    """
                    \(fill) AND ctid >= '(\(start),0)'::tid
                      AND ctid < '(\(start + Self.pages(of: batch)),0)'::tid
                    """)
                try progress()
            }
        }
    }

    func closeKeySteps(of table: AttachedTable) throws -> [String] {
        let found = try addedKey(of: table)
        let name = schema.table(table.name)
        let alter = "ALTER TABLE \(name)"
        let check = SQLText.name(table.objectName("key_check"))
        var steps: [String] = []
        if !found.isNotNull {
            // With a valid check, the column becomes NOT NULL without a look at the rows.
            if !found.hasCheck {
                steps.append(
                    "\(alter) ADD CONSTRAINT \(check) CHECK (\(keyColumn) IS NOT NULL) NOT VALID")
            }
            steps += [
                "\(alter) VALIDATE CONSTRAINT \(check)",
                "\(alter) ALTER COLUMN \(keyColumn) SET NOT NULL",
            ]
        }
        if !found.isNotNull || found.hasCheck { steps.append("\(alter) DROP CONSTRAINT \(check)") }
        if found.isIndexBroken {
            steps.append("DROP INDEX \(schema.table(table.objectName("key")))")
        }
        if !found.hasIndex {
            let index = SQLText.name(table.objectName("key"))
            steps.append("\(uniqueIndex) \(index) ON \(name) (\(keyColumn))")
        }
        return steps
    }

    func removeKeySteps(from table: AttachedTable) throws -> [String] {
        try addedKey(of: table).exists
            ? ["ALTER TABLE \(schema.table(table.name)) DROP COLUMN \(keyColumn)"] : []
    }

    private func addedKey(of table: AttachedTable) throws -> AddedKey {
        let relation = "to_regclass(\(SQLText.literal(schema.table(table.name))))"
        let index = SQLText.literal(schema.table(table.objectName("key")))
        let answer = try link.simple(
            """
            SELECT a.attnotnull, a.atthasdef,
              (SELECT i.indisvalid FROM pg_index AS i
               WHERE i.indexrelid = to_regclass(\(index)) AND i.indrelid = a.attrelid),
              EXISTS (SELECT FROM pg_constraint AS k WHERE k.conrelid = a.attrelid
                AND k.conname = \(SQLText.literal(table.objectName("key_check"))))
            FROM pg_attribute AS a
            WHERE a.attrelid = \(relation) AND a.attname = \(SQLText.literal(KeylessTable.addedKey))
              AND NOT a.attisdropped
            """)
        guard answer.rowCount > 0 else { return AddedKey() }
        return AddedKey(
            exists: true, hasDefault: answer.text(0, 1) == "t",
            isNotNull: answer.text(0, 0) == "t", hasCheck: answer.text(0, 3) == "t",
            hasIndex: answer.text(0, 2) == "t", isIndexBroken: answer.text(0, 2) == "f")
    }

    private func pageCount(of table: String) throws -> Int {
        let answer = try link.simple(
            """
            SELECT pg_relation_size(\(SQLText.literal(table))::regclass)
              / current_setting('block_size')::bigint
            """)
        return answer.text(0, 0).flatMap { Int($0) } ?? 0
    }

    /// A page has about a hundred short rows.
    private static func pages(of batch: Int) -> Int { max(1, batch / 100) }
}
