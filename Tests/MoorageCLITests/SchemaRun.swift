#if Server
    import Foundation
    import GRDB
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    /// A hub with two tables, its schema file, and what commands say of them.
    struct SchemaRun {
        let run: CommandRun
        let hub: String
        let file: String

        static let tables = """
            CREATE TABLE customer (
              id TEXT NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL, city TEXT);
            CREATE TABLE invoice (
              id INTEGER PRIMARY KEY NOT NULL, total DECIMAL(10,2),
              customer TEXT NOT NULL REFERENCES customer(id),
              paid BOOLEAN NOT NULL DEFAULT 0);
            """

        static func withHub(_ body: (SchemaRun) async throws -> Void) async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run.database("central.db").write { try $0.execute(sql: tables) }
                try await run("attach", hub)
                let file = run.path("moorage.schema.json")
                #expect(try await run("schema", hub, "--output", file) == "wrote  \(file)")
                try await body(SchemaRun(run: run, hub: hub, file: file))
            }
        }

        func path(_ name: String) -> String { run.path(name) }

        func text(_ path: String) throws -> String {
            try String(contentsOf: URL(filePath: path), encoding: .utf8)
        }

        /// Changes a database of the run.
        func execute(_ sql: String, in name: String) async throws {
            try await run.database(name).write { try $0.execute(sql: sql) }
        }

        func callAsFunction(_ arguments: String...) async throws -> String {
            try await run.run(arguments)
        }

        /// What a command prints, and how it fails.
        func outcome(
            _ arguments: String...
        ) async throws -> (text: String, failure: CommandFailure?) {
            let lines = PrintedLines()
            do {
                try await run.run(arguments, printing: lines)
                return (lines.text, nil)
            } catch let failure as CommandFailure {
                return (lines.text, failure)
            }
        }

        /// The command fails with this exit code, and says where.
        func expectFailure(_ arguments: String..., at place: String) async throws -> CommandFailure
        {
            let thrown = await #expect(throws: CommandFailure.self) {
                try await run.run(arguments)
            }
            let failure = try #require(thrown)
            #expect(failure.place == place)
            #expect(failure.exit == .failure && failure.next != nil)
            return failure
        }
    }
#endif
