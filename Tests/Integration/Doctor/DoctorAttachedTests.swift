import Foundation
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Tables that were attached and then damaged.
@Suite(.ownThreads) struct `A doctor after an attach` {
    private static let schema = [
        "CREATE TABLE note (id TEXT NOT NULL PRIMARY KEY, code TEXT, body TEXT)",
        "INSERT INTO note VALUES ('a', 'x', 'first'), ('b', 'y', 'second')",
    ]

    private static func attached(
        _ kind: CentreKind, _ more: [String] = [], in place: Patient.Place = .publicSchema,
        _ test: (Patient) async throws -> Void
    ) async throws {
        try await Patient.run(kind, schema + more, in: place) { patient in
            _ = try await patient.hub.attach()
            #expect(try await patient.findings().worst == [])
            try await test(patient)
            #expect(try await patient.findings().worst == [])
        }
    }

    private static func dropTrigger(_ kind: CentreKind, _ name: String) -> String {
        "DROP TRIGGER \(name)" + (kind == .postgres ? " ON note" : "")
    }

    @Test(arguments: CentreKind.available)
    func `misses a trigger of ours`(kind: CentreKind) async throws {
        try await Self.attached(kind, in: .anotherSchemaToo) { patient in
            try patient.centre.execute(Self.dropTrigger(kind, "moorage_update_1_note"))
            let found = try await patient.cure(.ownTriggerMissing)
            #expect(found.map(\.table) == ["note"])
            #expect(found.first?.message.contains("moorage_update_1_note") == true)
            #expect(found.map(\.severity) == [.problem])
        }
    }

    @Test(arguments: CentreKind.available)
    func `sees that a trigger of ours was altered`(kind: CentreKind) async throws {
        try await Self.attached(kind, in: .anotherSchemaToo) { patient in
            switch kind {
            case .sqlite:
                try patient.centre.execute("DROP TRIGGER moorage_update_1_note")
                try patient.centre.execute(
                    "CREATE TRIGGER moorage_update_1_note AFTER UPDATE ON note BEGIN SELECT 1; END")
            case .postgres:
                try patient.centre.execute(
                    """
                    CREATE OR REPLACE FUNCTION moorage_update_1_note() RETURNS trigger LANGUAGE plpgsql
                    SECURITY DEFINER AS 'BEGIN RETURN NULL; END'
                    """)
            case .mariadb:
                try patient.centre.execute(
                    """
                    CREATE OR REPLACE TRIGGER moorage_update_1_note AFTER UPDATE ON note
                    FOR EACH ROW BEGIN END
                    """)
            }
            let found = try await patient.cure(.ownTriggerAltered)
            #expect(found.map(\.table) == ["note"])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `sees that a trigger of ours no longer runs with its owner's rights, or for other events`()
        async throws
    {
        try await Self.attached(.postgres, in: .anotherSchemaToo) { patient in
            try patient.centre.execute("ALTER FUNCTION moorage_insert_1_note() SECURITY INVOKER")
            try await patient.cure(.ownTriggerAltered)
            for setting in ["SET search_path TO public", "SET enable_seqscan TO on", "RESET ALL"] {
                try patient.centre.execute("ALTER FUNCTION moorage_insert_1_note() \(setting)")
                try await patient.cure(.ownTriggerAltered)
            }
            try patient.centre.execute(
                """
                DROP TRIGGER moorage_truncate_1_note ON note;
                CREATE TRIGGER moorage_truncate_1_note AFTER DELETE ON note FOR EACH STATEMENT
                EXECUTE FUNCTION moorage_truncate_1_note()
                """)
            try await patient.cure(.ownTriggerAltered)
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere), arguments: ["DISABLE", "ENABLE REPLICA"])
    func `sees that a trigger of ours is disabled`(how: String) async throws {
        try await Self.attached(.postgres, in: .anotherSchemaToo) { patient in
            try patient.centre.execute("ALTER TABLE note \(how) TRIGGER moorage_delete_1_note")
            let found = try await patient.cure(.ownTriggerDisabled)
            #expect(found.first?.message.contains("moorage_delete_1_note") == true)
        }
    }

    @Test(arguments: CentreKind.available)
    func `misses tables of ours`(kind: CentreKind) async throws {
        try await Self.attached(kind, in: .anotherSchemaToo) { patient in
            for table in ["moorage_conflict", "moorage_track_1_note"] {
                try patient.centre.execute("DROP TABLE \(table)")
            }
            let found = try await patient.cure(.ownObjectMissing)
            #expect(Set(found.map(\.table)) == [nil, "note"])
        }
    }

    @Test func `sees that a column that was unique cannot go before the next attach`() async throws
    {
        try await Self.attached(.sqlite) { patient in
            try patient.centre.execute("CREATE UNIQUE INDEX note_code ON note (code)")
            _ = try await patient.hub.attach()
            try patient.centre.execute("DROP INDEX note_code")
            #expect(throws: (any Error).self) {
                try patient.centre.execute("ALTER TABLE note DROP COLUMN code")
            }
            try await patient.cure(.ownTriggerAltered)
            try patient.centre.execute("ALTER TABLE note DROP COLUMN code")
            try await patient.cure(.schemaChanged)
        }
    }

    @Test(arguments: [CentreKind.sqlite])
    func `sees that a new unique key is not watched yet`(kind: CentreKind) async throws {
        try await Self.attached(kind) { patient in
            try patient.centre.execute("CREATE UNIQUE INDEX note_code ON note (code)")
            let found = try await patient.findings().filter { $0.severity == .problem }
            #expect(found.contains { $0.table == "note" && $0.repair == .attach })
            try await patient.repair(found)
        }
    }

    @Test(.enabled(if: MariaDBFixture.isThere))
    func `sees that a new foreign key's actions are not watched yet`() async throws {
        try await Self.attached(
            .mariadb, ["CREATE TABLE folder (id TEXT NOT NULL PRIMARY KEY)"]
        ) { patient in
            try patient.centre.execute(
                """
                UPDATE note SET code = NULL;
                ALTER TABLE note ADD FOREIGN KEY (code) REFERENCES folder(id) ON DELETE CASCADE
                """)
            try await patient.cure(.ownTriggerMissing)
        }
    }

    @Test(arguments: CentreKind.available)
    func `sees that a table has moved`(kind: CentreKind) async throws {
        try await Self.attached(kind) { patient in
            try patient.centre.execute("ALTER TABLE note ADD COLUMN extra INTEGER")
            let grown = try await patient.findings()
            #expect(grown.codes == [.schemaChanged])
            #expect(grown.map(\.severity) == [.note])
            try await patient.cure(.schemaChanged)
            try patient.centre.execute("ALTER TABLE note DROP COLUMN extra")
            let moved = try await patient.cure(.schemaChanged)
            #expect(moved.map(\.severity) == [.problem])
        }
    }

    @Test(arguments: CentreKind.available)
    func `sees that a configured table is not attached`(kind: CentreKind) async throws {
        try await Self.attached(kind) { patient in
            try patient.centre.execute("CREATE TABLE late (id TEXT NOT NULL PRIMARY KEY)")
            let tables = ["note", "late"]
            let found = try await patient.cure(.schemaChanged, tables: tables)
            #expect(found.map(\.table) == ["late"])
        }
    }

    @Test(arguments: CentreKind.available)
    func `sees that an attach was broken off`(kind: CentreKind) async throws {
        try await Self.attached(kind) { patient in
            try patient.centre.execute("CREATE TABLE late (id TEXT NOT NULL PRIMARY KEY)")
            try patient.centre.execute("INSERT INTO late VALUES ('a'), ('b')")
            try patient.database.perform { connection in
                var attachment = Attachment(on: connection, makeID: Hub.randomID)
                attachment.batchRows = 1
                attachment.afterBatch = { throw CancellationError() }
                #expect(throws: CancellationError.self) { try attachment.attach(tables: nil) }
            }
            let found = try await patient.cure(.attachUnfinished)
            #expect(found.map(\.table) == ["late"])
        }
    }

    @Test(arguments: CentreKind.available)
    func `sees that the database is another than the one that was attached`(kind: CentreKind)
        async throws
    {
        try await Self.attached(kind) { patient in
            try patient.centre.execute(
                "UPDATE moorage_meta SET value = 'elsewhere' WHERE name = 'identity'")
            try await patient.cure(.identityChanged)
        }
    }

    @Test(arguments: CentreKind.available)
    func `sees that an older version attached it, or a newer one`(kind: CentreKind) async throws {
        try await Self.attached(kind) { patient in
            let format = try #require(
                try patient.centre.text("SELECT value FROM moorage_meta WHERE name = 'format'"))
            try patient.centre.execute("UPDATE moorage_meta SET value = '1' WHERE name = 'format'")
            try await patient.cure(.attachOutdated)
            try patient.centre.execute("UPDATE moorage_meta SET value = '99' WHERE name = 'format'")
            let found = try await patient.findings(.attachOutdated)
            #expect(found.map(\.repair) == [.advice])
            try patient.centre.execute(
                "UPDATE moorage_meta SET value = '\(format)' WHERE name = 'format'")
        }
    }

    /// Devices receive rows that changed while the trigger was missing, once the owner follows the
    /// advice.
    @Test(arguments: CentreKind.available)
    func `sends what was missed once its advice was taken`(kind: CentreKind) async throws {
        try await Self.attached(kind) { patient in
            try patient.database.perform { try $0.numberChanges() }
            let before = try patient.checkpoint()
            #expect(try !patient.hasChanged(since: before))
            try patient.centre.execute(Self.dropTrigger(kind, "moorage_update_1_note"))
            try patient.centre.execute("UPDATE note SET body = 'missed' WHERE id = 'a'")
            try await patient.cure(.ownTriggerMissing)
            try patient.database.perform { try $0.numberChanges() }
            #expect(try patient.hasChanged(since: before))
        }
    }
}
