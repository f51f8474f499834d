import Moorage
import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Tables that have no primary key (docs/decisions/0104).
@Suite(.ownThreads) struct `A table without a primary key` {
    private static let entries = [
        "CREATE TABLE entry (code INTEGER NOT NULL, line INTEGER NOT NULL, note VARCHAR(20))",
        "CREATE UNIQUE INDEX entry_key ON entry (code, line)",
        """
        CREATE TABLE part (id INTEGER NOT NULL PRIMARY KEY, code INTEGER, line INTEGER,
          FOREIGN KEY (code, line) REFERENCES entry (code, line))
        """,
        "INSERT INTO entry VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c')",
        "INSERT INTO part VALUES (1, 1, 1)",
    ]

    private static func keyed(_ key: [String]) -> HubConfiguration {
        var configuration = HubConfiguration()
        configuration.keys["entry"] = key
        return configuration
    }

    private static func dropIndex(_ kind: CentreKind) -> String {
        "DROP INDEX entry_key" + (kind == .mariadb ? " ON entry" : "")
    }

    @Test(arguments: CentreKind.available)
    func `syncs both ways by a unique key`(kind: CentreKind) async throws {
        try await World.run(
            kind, schema: Self.entries, configuration: Self.keyed(["line", "code"])
        ) { world in
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            #expect(try await world.differences(a, b) == [])
            try a.execute(
                """
                INSERT INTO entry VALUES (5, 5, 'from A');
                UPDATE entry SET note = 'by A' WHERE code = 1 AND line = 2;
                INSERT INTO part VALUES (2, 5, 5)
                """)
            try world.centre.execute(
                """
                INSERT INTO entry VALUES (6, 6, 'own');
                UPDATE entry SET line = 7 WHERE code = 2;
                """)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.text("SELECT note FROM entry WHERE code = 5") == "from A")
            #expect(try b.text("SELECT note FROM entry WHERE code = 1 AND line = 2") == "by A")
            #expect(try b.text("SELECT line FROM entry WHERE code = 2") == "7")
            try b.execute("DELETE FROM part WHERE id = 2; DELETE FROM entry WHERE code = 5")
            try world.centre.execute("DELETE FROM entry WHERE code = 6")
            try await world.converge(b, a)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT count(*) FROM entry") == 3)
            #expect(try await world.conflicts() == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `is suspended while its unique key is gone`(kind: CentreKind) async throws {
        try await World.run(
            kind, schema: Array(Self.entries.prefix(2)) + [Self.entries[3]],
            configuration: Self.keyed(["code", "line"])
        ) { world in
            let a = try await world.clone("A")
            try world.centre.execute(Self.dropIndex(kind))
            try world.centre.execute("UPDATE entry SET note = 'own' WHERE code = 2")
            let suspended = try await world.hub.schema().suspended
            #expect(suspended.map(\.name) == ["entry"])
            #expect(suspended.first?.reason.contains("(code, line)") == true)
            try a.execute("UPDATE entry SET note = 'kept' WHERE code = 1 AND line = 1")
            try await a.replica.sync()
            #expect(try world.centre.count("SELECT count(*) FROM entry WHERE note = 'kept'") == 0)
            let error = await #expect(throws: HubError.self) {
                _ = try await world.hub.attach(tables: ["entry"])
            }
            #expect(error?.code == .configuration)
            try world.centre.execute(Self.entries[1])
            _ = try await world.hub.attach(tables: ["entry"])
            #expect(try await world.hub.schema().suspended == [])
            try await world.converge(a)
            #expect(try await world.differences(a) == [])
            #expect(try world.centre.count("SELECT count(*) FROM entry WHERE note = 'kept'") == 1)
        }
    }

    @Test(arguments: CentreKind.available)
    func `keeps its key when the configuration names none any more`(
        kind: CentreKind
    ) async throws {
        try await World.run(
            kind, schema: Self.entries, configuration: Self.keyed(["code", "line"])
        ) { world in
            let a = try await world.clone("A")
            let other = Hub(database: try world.centre.connector())
            let report = try await other.attach()
            #expect(report.attached.map(\.name).sorted() == ["entry", "part"])
            try world.centre.execute("UPDATE entry SET note = 'own' WHERE code = 2")
            try await world.converge(a)
            #expect(try await world.differences(a) == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `is refused with a key that it does not have`(kind: CentreKind) async throws {
        try await World.run(kind, schema: Self.entries, attaches: false) { world in
            func refusal(
                _ key: [String: [String]], addingKeysTo keyless: [String] = [],
                tables: [String]? = nil
            ) async throws -> HubError? {
                var configuration = HubConfiguration()
                configuration.keys = key
                let hub = Hub(
                    database: try world.centre.connector(), configuration: configuration)
                return await #expect(throws: HubError.self) {
                    _ = try await hub.attach(tables: tables, addingKeysTo: keyless)
                }
            }
            let none = try await refusal(["entry": ["code"]])
            #expect(none?.code == .configuration)
            #expect(none?.message.contains("(code, line)") == true)
            let other = try await refusal(["entry": ["code", "line"], "part": ["code"]])
            #expect(other?.message.contains("primary key is (id)") == true)
            let unnamed = try await refusal([:], tables: ["entry"])
            #expect(unnamed?.code == .tableUnsupported)
            #expect(unnamed?.message.contains("`key: [code, line]`") == true)
            let needless = try await refusal([:], addingKeysTo: ["entry"])
            #expect(needless?.message.contains("(code, line)") == true)
            let primary = try await refusal([:], addingKeysTo: ["part"])
            #expect(primary?.message.contains("(id)") == true)
            let unknown = try await refusal([:], addingKeysTo: ["nothing"])
            #expect(unknown?.code == .unknownTable)
            let findings = try await world.hub.doctor(tables: ["entry"])
            #expect(
                findings.first { $0.code == .tableUnsupported }?.message
                    .contains("`key: [code, line]`") == true)
        }
    }

    private static let loose = [
        "CREATE TABLE loose (a INTEGER, note VARCHAR(20))",
        "INSERT INTO loose VALUES (1, 'a'), (1, 'a'), (2, NULL)",
    ]

    @Test(arguments: CentreKind.available)
    func `syncs both ways by a key that an attach adds`(kind: CentreKind) async throws {
        try await World.run(kind, schema: Self.loose, attaches: false) { world in
            let refused = await #expect(throws: HubError.self) {
                _ = try await world.hub.attach(tables: ["loose"])
            }
            #expect(refused?.message.contains("moorage attach --add-key loose") == true)
            let columns = try await world.hub.attach(addingKeysTo: ["loose"]).attached.first
            #expect(columns?.columns.map(\.name) == ["a", "note", "moorage_key"])
            let (a, b) = (try await world.clone("A"), try await world.clone("B"))
            try a.execute(
                """
                INSERT INTO loose (a, note, moorage_key)
                VALUES (3, 'from A', '00000000-0000-4000-8000-000000000003')
                """)
            try world.centre.execute(
                """
                INSERT INTO loose (a, note) VALUES (4, 'own');
                UPDATE loose SET note = 'both' WHERE a = 1;
                DELETE FROM loose WHERE a = 2;
                """)
            try await world.converge(a, b)
            #expect(try await world.differences(a, b) == [])
            #expect(try b.text("SELECT count(*) FROM loose WHERE note = 'both'") == "2")
            #expect(try world.centre.text("SELECT note FROM loose WHERE a = 3") == "from A")
            try b.execute("DELETE FROM loose WHERE a = 4; UPDATE loose SET note = 'B' WHERE a = 3")
            try await world.converge(b, a)
            #expect(try await world.differences(a, b) == [])
            #expect(try world.centre.count("SELECT count(*) FROM loose WHERE a = 4") == 0)

            try await world.hub.detach()
            #expect(try world.centre.count("SELECT count(*) FROM loose") == 3)
            // Without a list of columns: there is no other column any more.
            try world.centre.execute("INSERT INTO loose VALUES (5, 'later')")
        }
    }

    @Test(arguments: CentreKind.available)
    func `loses an added key when it is not synced any more`(kind: CentreKind) async throws {
        let other = "CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY)"
        try await World.run(kind, schema: Self.loose + [other], attaches: false) { world in
            _ = try await world.hub.attach(addingKeysTo: ["loose"])
            let again = try await world.hub.attach(tables: ["loose", "other"])
            #expect(again.attached.count == 2)
            let report = try await world.hub.attach(tables: ["other"])
            #expect(report.removed == ["loose"])
            try world.centre.execute("INSERT INTO loose VALUES (5, 'later')")
        }
    }

    @Test(arguments: CentreKind.available)
    func `gets no added key over a column of that name`(kind: CentreKind) async throws {
        let schema = ["CREATE TABLE loose (a INTEGER, moorage_key VARCHAR(40))"]
        try await World.run(kind, schema: schema, attaches: false) { world in
            let error = await #expect(throws: HubError.self) {
                _ = try await world.hub.attach(addingKeysTo: ["loose"])
            }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("moorage_key") == true)
        }
    }
}
