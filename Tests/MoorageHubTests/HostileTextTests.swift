import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Text that would be SQL if anybody put it into a statement, in every place where a client can send
/// text.
@Suite(.ownThreads) struct `Text that tries to be SQL` {
    static let texts = [
        "'; DROP TABLE project; --", "\"; DROP TABLE project; --", "x' OR '1'='1",
        "x\" OR \"1\"=\"1",
        "1; DELETE FROM task", "`; DROP TABLE task; `", "]; DROP TABLE task; [",
        "') UNION SELECT name FROM sqlite_master --", "\\'; DROP TABLE task; --", "?1", ":sub",
        "$1",
        "%s%n", "*", "project\0; DROP TABLE task", "main.project", "sqlite_master", "moorage_meta",
        "\u{2019}; DROP TABLE task; --", "/* */", "--", "",
    ]

    private func bench() throws -> HubBench {
        let bench = try HubBench(schema: Scopes.schema, scopes: Scopes.settings)
        try bench.sql(
            """
            INSERT INTO project VALUES (1, 'ann', 'A', 'a'), (2, 'bob', 'B', 'b');
            INSERT INTO task VALUES (10, 1, 'of ann'), (20, 2, 'of bob');
            INSERT INTO seat VALUES ('red', 'bob');
            INSERT INTO memo VALUES (1, 'red', 'secret memo');
            """)
        return bench
    }

    /// Everything but the rows that a test writes by right.
    private func state(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name")
            + bench.rows("SELECT * FROM project ORDER BY id")
            + bench.rows("SELECT * FROM task ORDER BY id")
            + bench.rows("SELECT * FROM memo ORDER BY id")
    }

    private func ann(_ bench: HubBench) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        replica.principal = Principal(subject: "ann", claims: ["name": ["ann"]])
        try replica.exchange()
        return replica
    }

    @Test(arguments: texts)
    func `is a name that is unknown, and nothing else`(text: String) throws {
        let bench = try bench()
        let before = try state(bench)
        let replica = try ann(bench)
        let strange = [
            TableColumns(name: text, columns: ["id"]),
            TableColumns(name: "project", columns: ["id", text]),
        ]
        for tables in strange {
            let change = Change(
                table: tables.name, key: RowKey([.integer(1)]),
                operation: .update([ColumnEdit(column: 1, old: .text("A"), new: .text("x"))]),
                editedAt: 1)
            let request = ExchangeRequest(
                replica: replica.id, hub: replica.hubID, sentAt: replica.now, tables: [tables],
                cursor: replica.cursor, schemaVersion: text,
                batch: Batch(
                    number: 1, nonce: text, preparedAt: 1, tables: [tables], changes: [change]),
                limits: PageLimits())
            var statuses: [Outcomes.Status] = []
            var rows = 0
            do {
                try bench.hub.exchange(request, for: replica.principal) { frame in
                    if case .outcomes(let outcomes) = frame { statuses.append(outcomes.status) }
                    if case .page(let page) = frame { rows += page.tables.count }
                }
            } catch is HubError {}
            #expect(!statuses.contains(.applied) && rows == 0)
            #expect(throws: HubError.self) {
                _ = try bench.hub.comparison(
                    CompareRequest(
                        replica: replica.id, table: tables, after: nil, maximumRows: 10,
                        cursor: .start, withValues: true), for: replica.principal)
            }
        }
        #expect(try state(bench) == before)
    }

    @Test(arguments: texts)
    func `is a value that is stored as it is`(text: String) throws {
        let bench = try bench()
        let before = try state(bench)
        let replica = try ann(bench)
        let title: Value = .text(text)
        let kinds = try replica.push(
            replica.insert("task", [.integer(11), .integer(1), title]),
            replica.update("project", .integer(1), set: ["name": (title, title)]),
            replica.delete("project", before: [.integer(9), title, title, title]))
        #expect(kinds.first == .applied)
        let stored = try bench.rows("SELECT title FROM task WHERE id = 11")
        #expect(stored == [[title]])
        try bench.sql("DELETE FROM task WHERE id = 11; UPDATE project SET name = 'A' WHERE id = 1")
        #expect(try state(bench) == before)
    }

    @Test(arguments: texts)
    func `is an id, a checkpoint, a scope or a claim that nobody has`(text: String) throws {
        let bench = try bench()
        let before = try state(bench)
        let known = try ann(bench)
        let cursors = [
            SyncCursor(
                epoch: Epoch(text), checkpoint: known.cursor.checkpoint,
                complete: known.cursor.complete),
            SyncCursor(
                epoch: known.cursor.epoch, checkpoint: Checkpoint(text),
                complete: known.cursor.complete),
            SyncCursor(
                epoch: known.cursor.epoch, checkpoint: known.cursor.checkpoint,
                complete: [.everything, Scope("person/" + text), Scope(text)]),
        ]
        for (number, cursor) in cursors.enumerated() {
            let replica = try ScriptedReplica(bench, 100 + number)
            replica.principal = Principal(subject: text, claims: ["name": [text]])
            replica.cursor = cursor
            _ = try? replica.exchange()
            #expect(replica.rows["project"]?.isEmpty != false)
            #expect(replica.rows["memo"]?.isEmpty != false)
        }
        let named = try ScriptedReplica(bench, 200)
        named.id = text
        named.hubID = text
        named.principal = Principal(subject: "ann", claims: ["name": ["ann"]])
        _ = try? named.exchange(named.batch([], nonce: text))
        #expect(try state(bench) == before)
    }
}
