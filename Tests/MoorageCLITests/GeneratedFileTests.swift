#if Server
    import Foundation
    import GRDB
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The command schema` {
        @Test func `prints the file, and writes it only where it differs`() async throws {
            try await SchemaRun.withHub { run in
                let text = try run.text(run.file)
                #expect(try await run("schema", run.hub) + "\n" == text)
                #expect(try await run("schema", "show", run.hub) + "\n" == text)
                #expect(text.split(separator: "\n").count > 7)
                let again = try await run("schema", run.hub, "--output", run.file)
                #expect(again == "unchanged  \(run.file)")
                try Data("else".utf8).write(to: URL(filePath: run.file))
                let repaired = try await run("schema", run.hub, "--output", run.file)
                #expect(repaired == "wrote  \(run.file)")
                #expect(try run.text(run.file) == text)
            }
        }

        @Test func `finds what the hub gained and lost`() async throws {
            try await SchemaRun.withHub { run in
                let equal = try await run("schema", run.hub, "--check", run.file)
                #expect(equal == "\(run.file) is as the hub's tables.")
                try await run.execute(
                    """
                    ALTER TABLE customer ADD COLUMN note TEXT;
                    CREATE TABLE region (id INTEGER PRIMARY KEY NOT NULL);
                    DROP TABLE invoice
                    """, in: "central.db")
                _ = try await run("attach", run.hub)
                let before = try run.text(run.file)
                let found = try await run.outcome("schema", run.hub, "--check", run.file)
                let lines = found.text.split(separator: "\n")
                #expect(
                    Set(lines) == [
                        "The column customer.note is new.", "The table region is new.",
                        "The table invoice is gone.",
                    ])
                #expect(found.failure?.exit == .failure)
                #expect(found.failure?.what.hasPrefix("3 differences") == true)
                #expect(found.failure?.next?.contains("--output \(run.file)") == true)
                #expect(try run.text(run.file) == before)
            }
        }

        @Test func `needs a hub with tables`() async throws {
            try await CommandRun.inFolder { run in
                try await run.database("central.db").write {
                    try $0.execute(sql: "CREATE TABLE loose(a)")
                }
                let hub = "sqlite:" + run.path("central.db")
                for isAttached in [false, true] {
                    if isAttached {
                        await #expect(throws: CommandFailure.self) { try await run("attach", hub) }
                    }
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run("schema", hub)
                    }
                    #expect(failure?.next?.contains("`moorage attach`") == true)
                }
            }
        }

        @Test func `says where it cannot write`() async throws {
            try await SchemaRun.withHub { run in
                let place = run.path("none/moorage.schema.json")
                let failure = try await run.expectFailure(
                    "schema", run.hub, "--output", place, at: place)
                #expect(failure.what == "The file cannot be written.")
                let folder = run.run.folder.path
                let other = try await run.expectFailure(
                    "generate", "swift", run.file, "--check", folder, at: folder)
                #expect(other.what == "The file cannot be read.")
            }
        }
    }

    @Suite(.ownThreads) struct `A schema file` {
        /// Each command that reads one, with the file at the end.
        private static let readers = [
            ["generate", "swift"], ["schema", "sqlite:central.db", "--check"],
            ["schema", "app", "central.db", "--schema"], ["attach", "sqlite:central.db", "--from"],
        ]

        private func failures(_ run: SchemaRun, _ file: String) async throws -> [CommandFailure] {
            var failures: [CommandFailure] = []
            for reader in Self.readers {
                let arguments =
                    reader.map {
                        $0.replacing("central.db", with: run.path("central.db"))
                    } + [file]
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run.run.run(arguments)
                }
                failures.append(try #require(failure))
            }
            for failure in failures {
                #expect(failure.place == file && failure.exit == .failure)
                #expect(failure.next?.contains("--output \(file)") == true)
            }
            return failures
        }

        @Test func `has to be there`() async throws {
            try await SchemaRun.withHub { run in
                for failure in try await failures(run, run.path("none.json")) {
                    #expect(failure.what == "There is no schema file.")
                }
            }
        }

        @Test func `has to be JSON`() async throws {
            try await SchemaRun.withHub { run in
                let file = try run.run.write("# Not JSON", to: "page.md")
                for failure in try await failures(run, file) {
                    #expect(failure.what.hasPrefix("This is no schema file"))
                }
            }
        }

        @Test func `is not changed by hand`() async throws {
            try await SchemaRun.withHub { run in
                let text = try run.text(run.file).replacing("\"city\"", with: "\"town\"")
                let file = try run.run.write(text, to: "other.schema.json")
                for failure in try await failures(run, file) {
                    #expect(failure.what.contains("changed by hand"))
                }
            }
        }

        @Test func `is of a form that this version knows`() async throws {
            try await SchemaRun.withHub { run in
                let text = try run.text(run.file)
                let later = text.replacing("\"moorage\":1,", with: "\"moorage\":2,")
                #expect(text != later)
                let file = try run.run.write(later, to: "later.schema.json")
                for failure in try await failures(run, file) {
                    #expect(failure.what.contains("form 2"))
                }
            }
        }
    }

    @Suite(.ownThreads) struct `The command generate swift` {
        @Test func `prints the source, and writes it only where it differs`() async throws {
            try await SchemaRun.withHub { run in
                let source = run.path("Models.swift")
                let printed = try await run("generate", "swift", run.file)
                #expect(printed.contains("struct Customer"))
                #expect(printed.contains("struct Invoice"))
                #expect(!printed.contains("public struct"))
                let first = try await run("generate", "swift", run.file, "--output", source)
                #expect(first == "wrote  \(source)")
                #expect(try run.text(source) == printed + "\n")
                let again = try await run("generate", "swift", run.file, "--output", source)
                #expect(again == "unchanged  \(source)")
                let open = try await run("generate", "swift", run.file, "--access", "public")
                #expect(open.contains("public struct Customer"))
            }
        }

        @Test func `finds source that was edited, or made with other options`() async throws {
            try await SchemaRun.withHub { run in
                let source = run.path("Models.swift")
                _ = try await run("generate", "swift", run.file, "--output", source)
                let equal = try await run("generate", "swift", run.file, "--check", source)
                #expect(equal == "\(source) is what \(run.file) gives.")
                let other = try await run.expectFailure(
                    "generate", "swift", run.file, "--check", source, "--access", "package",
                    at: source)
                #expect(other.next?.contains("--output \(source)") == true)
                let edited = try run.text(source) + "// Mine.\n"
                try Data(edited.utf8).write(to: URL(filePath: source))
                let failure = try await run.expectFailure(
                    "generate", "swift", run.file, "--check", source, at: source)
                #expect(failure == other)
                #expect(try run.text(source) == edited)
            }
        }

        @Test func `finds that there is no source`() async throws {
            try await SchemaRun.withHub { run in
                let source = run.path("None.swift")
                let failure = try await run.expectFailure(
                    "generate", "swift", run.file, "--check", source, at: source)
                #expect(failure.what == "The file cannot be read.")
            }
        }
    }
#endif
