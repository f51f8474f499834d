#if Server
    import Foundation
    import GRDB
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `The command doctor` {
        private func make(_ run: CommandRun, _ sql: String) async throws -> String {
            let database = try run.database("central.db")
            try await database.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL")
                try db.execute(sql: sql)
            }
            try database.close()
            return "sqlite:" + run.path("central.db")
        }

        private static let well = "CREATE TABLE note(id TEXT NOT NULL PRIMARY KEY, body TEXT);"
        private static let tree = """
            CREATE TABLE child(id TEXT NOT NULL PRIMARY KEY, note TEXT REFERENCES note(id));
            """

        @Test func `says what there is to say, and ends well without a problem`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await make(run, Self.well + Self.tree)
                let printed = try await run("doctor", url)
                let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.first?.hasPrefix("warning: child.note refers to note") == true)
                #expect(lines.first?.hasSuffix("[foreignKeyWithoutIndex]") == true)
                #expect(
                    lines.dropFirst().first
                        == "    CREATE INDEX \"child_note_idx\" ON \"child\" (\"note\");")
                #expect(lines.contains("    $ moorage attach \(url)"))
                #expect(lines.last == "0 problems, 1 warning, 1 note")
            }
        }

        @Test func `fails with a problem, which it tells first`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await make(
                    run, Self.well + Self.tree + "CREATE TABLE loose(a INTEGER);")
                let config = try run.write(
                    "tables: {note: {}, child: {}, loose: {}}", to: "m.yaml")
                let lines = PrintedLines()
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run.run(["doctor", url, "--config", config], printing: lines)
                }
                #expect(failure?.exit == .failure)
                #expect(failure?.what == "1 problem found.")
                #expect(lines.text.hasPrefix("problem: The table loose has no primary key, so"))
                #expect(lines.text.hasSuffix("\n1 problem, 1 warning, 1 note"))
            }
        }

        @Test func `prints one object a line`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await make(run, Self.well + Self.tree)
                let objects = try await run("doctor", url, "--json").split(separator: "\n").map {
                    try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                }
                #expect(
                    objects.map { $0?["code"] as? String } == [
                        "foreignKeyWithoutIndex", "notAttached",
                    ])
                #expect(objects.map { $0?["severity"] as? String } == ["warning", "note"])
                #expect(objects.first??["table"] as? String == "child")
                #expect((objects.first??["sql"] as? [String])?.count == 1)
                #expect(objects.last??["command"] as? String == "moorage attach \(url)")
                #expect(objects.last??["sql"] as? [String] == [])
            }
        }

        @Test func `prints neither what rows hold nor what a terminal would obey`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await make(
                    run,
                    """
                    CREATE TABLE "a\u{1B}[31m"(x INTEGER);
                    INSERT INTO "a\u{1B}[31m" VALUES (4711);
                    """)
                let printed = try await run("doctor", url)
                #expect(!printed.contains("\u{1B}"))
                #expect(!printed.contains("4711"))
                #expect(printed.contains("no primary key"))
            }
        }

        @Test func `prints commands that a shell can run`() {
            let finding = Finding(.notAttached, .note, "None.", repair: .attach)
            let report = DoctorReport(arguments: ["mysql://u:${PASSWORD}@h/d", "--config", "it's"])
            #expect(
                report.text([finding]).contains(
                    #"$ moorage attach 'mysql://u:${PASSWORD}@h/d' --config 'it'\''s'"#))
        }

        @Test func `leaves the file as it was`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await make(run, Self.well + Self.tree)
                func state() throws -> [String] {
                    try run.database("central.db").read { db in
                        try String.fetchAll(
                            db, sql: "SELECT coalesce(sql, name) FROM sqlite_master ORDER BY name")
                            + [String(try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? 0)]
                    }
                }
                let before = try state()
                try await run("doctor", url)
                #expect(try state() == before)
            }
        }
    }
#endif
