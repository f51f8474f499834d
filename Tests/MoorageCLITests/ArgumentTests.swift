#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `The command line` {
        private func exitCode(_ arguments: [String]) -> Int32? {
            do {
                _ = try MoorageCommand.parseAsRoot(arguments)
                return nil
            } catch {
                return MoorageCommand.exitCode(for: error).rawValue
            }
        }

        @Test(arguments: [
            ["attach"], ["attach", "sqlite:a.db"], ["attach", "--dry-run"],
            ["attach", "sqlite:a.db", "--table", "a", "--table", "b", "--new-epoch"],
            ["attach", "--hub", "6fa9de85-6161-4583-9060-401245a55af9"],
            [
                "attach", "--hub", "6fa9de85-6161-4583-9060-401245a55af9",
                "--copied-at", "2026-11-27T22:00:00Z",
            ],
            ["attach", "sqlite:a.db", "--from", "moorage.schema.json", "--dry-run"],
            ["restore-check"], ["restore-check", "sqlite:a.db", "--json", "--days", "30"],
            ["schema", "sqlite:a.db"], ["schema", "show", "sqlite:a.db"],
            ["schema", "--check", "f", "http://127.0.0.1:1"],
            ["schema", "app", "a.db", "--schema", "f"], ["schema", "app", "a.db", "--output", "f"],
            ["openapi"], ["openapi", "sqlite:a.db", "--subject", "ada", "--claim", "roles=sales"],
            ["generate", "swift"], ["generate", "swift", "f", "--output", "g"],
            ["generate", "swift", "--check", "g", "--access", "public", "--uuids", "blob"],
            ["doctor", "sqlite:a.db"], ["doctor", "--json", "--config", "m.yaml"],
            ["detach", "sqlite:a.db"], ["serve"], ["serve", "--print-config"],
            ["serve", "sqlite:a.db", "--listen", "127.0.0.1:0", "--log-level", "debug"],
            ["clone", "http://127.0.0.1:1", "a.db"], ["clone", "sqlite:c.db", "a.db"],
            ["clone", "http://h", "a.db", "--secret-file", "s", "--table", "t", "--progress"],
            ["sync", "a.db", "--hub", "http://127.0.0.1:1"],
            ["sync", "a.db", "--hub", "sqlite:c.db", "--watch", "--no-progress"],
            ["inspect", "a.db"], ["inspect", "a.db", "--json", "--follow", "--limit", "5"],
            ["inspect", "a.db", "--table", "t", "--row", "[1]"],
            ["status", "a.db"], ["pending", "a.db"], ["verify", "a.db", "--hub", "sqlite:c.db"],
            ["demo"], ["demo", "--folder", "x"],
            ["sample", "sqlite:a.db", "--size", "2", "--seed", "3"],
        ])
        func `reads`(arguments: [String]) { #expect(exitCode(arguments) == nil) }

        @Test(arguments: [
            ["nothing"], ["clone"], ["sync"], ["status"], ["openapi", "--claim", "a=b"],
            ["openapi", "--subject", "ada", "--claim", "=b"],
            ["attach", "--dry-run", "--new-epoch"], ["sample", "sqlite:a", "--size", "0"],
            ["attach", "--hub", "no-id"], ["attach", "--copied-at", "2026-11-27T22:00:00Z"],
            [
                "attach", "--hub", "6fa9de85-6161-4583-9060-401245a55af9",
                "--copied-at", "yesterday",
            ],
            ["attach", "--dry-run", "--hub", "6fa9de85-6161-4583-9060-401245a55af9"],
            ["restore-check", "--days", "0"], ["schema", "show"], ["schema", "app"],
            ["schema", "sqlite:a.db", "--output", "f", "--check", "f"],
            ["schema", "app", "a.db", "--output", "f", "--schema", "f"],
            ["generate", "swift", "--output", "f", "--check", "f"],
            ["generate", "swift", "--access", "open"], ["generate", "swift", "--uuids", "bytes"],
            ["serve", "--log-level", "loud"], ["serve", "--secret", "0123456789abcdef"],
            ["sync", "a.db", "--password", "x"], ["inspect"], ["inspect", "a.db", "--limit", "0"],
            ["inspect", "a.db", "--row", "1"],
        ])
        func `answers a mistake with exit code 64`(arguments: [String]) {
            #expect(exitCode(arguments) == 64)
        }

        @Test(arguments: [
            (["snyc", "a.db"], "sync"), (["atach"], "attach"), (["doctr", "--json"], "doctor"),
        ])
        func `asks which command was meant`(arguments: [String], command: String) {
            let failure = #expect(throws: CommandFailure.self) {
                try MoorageCommand.read(arguments)
            }
            #expect(failure?.exit == .usage)
            #expect(failure?.what.contains(arguments[0]) == true)
            #expect(failure?.next == "Did you mean `\(command)`?")
        }

        @Test func `shows no password of an address where a command was forgotten`() {
            let failure = #expect(throws: CommandFailure.self) {
                try MoorageCommand.read(["mysql://u:geheim@h/d"])
            }
            #expect(failure?.description.contains("geheim") == false)
        }

        @Test(arguments: [["a.db", "mysql://u:${PW}@h/d"], ["postgres.db", "sqlite:x.db"]])
        func `knows an address by its scheme`(places: [String]) {
            #expect(places.map(HubAddress.isNamed) == [false, true])
        }

        @Test(arguments: [
            ("a.db", "a.db"), ("my file.db", "'my file.db'"), ("it's", "'it'\\''s'"), ("", "''"),
            ("mysql://u:${PW}@h/d", "'mysql://u:${PW}@h/d'"),
        ])
        func `quotes what a shell would split`(word: String, quoted: String) {
            #expect(ShellWord.quoted(word) == quoted)
        }

        @Test(arguments: [["sync", "a.db"], ["help", "sync"], ["--help"], []])
        func `knows its commands`(arguments: [String]) {
            #expect(throws: Never.self) { try MoorageCommand.read(arguments) }
        }

        @Test(arguments: [
            ["clone", "http://127.0.0.1:1", "a.db", "--tables", "customers"],
            ["clone", "a.db", "--hub", "http://127.0.0.1:1", "--tables", "customers"],
            ["clone", "http://127.0.0.1:1", "a.db", "--tables"],
        ])
        func `names an option that it does not know`(arguments: [String]) throws {
            let error = try #require(
                #expect(throws: (any Error).self) { try MoorageCommand.read(arguments) })
            let message = MoorageCommand.message(for: error)
            #expect(message == "Unknown option '--tables'. Did you mean '--table'?")
        }

        @Test func `tells its exit codes in the help`() {
            let help = MoorageCommand.helpMessage()
            for status in CommandExit.allCases {
                #expect(help.contains("\(status.rawValue) "))
            }
        }
    }

    @Suite(.ownThreads) struct `A database URL` {
        private func address(_ text: String) throws -> DatabaseAddress {
            try DatabaseAddress(argument: text, environment: ["PASSWORD": "geheim"])
        }

        @Test func `names a file or a server`() throws {
            #expect(try address("sqlite:a/b.db") == .sqlite(path: "a/b.db"))
            #expect(try address("sqlite:/a.db") == .sqlite(path: "/a.db"))
            #expect(try address("sqlite:///a.db") == .sqlite(path: "/a.db"))
            #expect(try address("postgres://u@h/d") == .postgres(url: "postgres://u@h/d"))
            #expect(try address("postgresql://h:5/d") == .postgres(url: "postgresql://h:5/d"))
            #expect(try address("mysql://u@h/d") == .mysql(url: "mysql://u@h/d"))
            #expect(try address("mariadb://u@h:5/d") == .mysql(url: "mariadb://u@h:5/d"))
        }

        @Test(arguments: ["", "a.db", "sqlite:", "sqlite::memory:", "sqlserver://h", "http://h"])
        func `is refused otherwise`(text: String) throws {
            let failure = #expect(throws: CommandFailure.self) { try address(text) }
            #expect(failure?.next != nil || text.hasPrefix("sqlserver"))
            #expect(failure?.exit == .usage)
        }

        @Test(arguments: [
            "mysql://", "mysql://host", "mysql://u@host", "mysql://u@host:abc/d",
            "mysql://u@host/d?tls=some", "mariadb://u@host/d?password=x",
        ])
        func `that cannot be read is a mistake of the command line`(text: String) throws {
            let failure = #expect(throws: CommandFailure.self) {
                try CentralAccess.open(.mysql(url: text))
            }
            #expect(failure?.exit == .usage)
        }

        @Test(arguments: [
            "postgres://u:geheim@h/d", "postgres://h/d?password=geheim",
            "postgres://u:ge@heim@h/d", "postgres://h/d?a=b&password=geheim&c=d",
        ])
        func `may hold no password on a command line`(text: String) throws {
            let failure = try #require(
                #expect(throws: CommandFailure.self) { _ = try address(text) })
            #expect(failure.exit == .usage)
            #expect(!failure.description.contains("geheim"))
            #expect(!failure.description.contains("heim@"))
        }

        @Test func `takes a password from the environment`() throws {
            let found = try address("postgres://u:${PASSWORD}@h/d")
            #expect(found == .postgres(url: "postgres://u:geheim@h/d"))
            #expect(found.description == "postgres://u:***@h/d")
        }

        @Test func `keeps what stands behind it, without the password`() throws {
            let found = try address(
                "postgres://u:${PASSWORD}@h/d?schema=a%20b&password=${PASSWORD}&pooling=session")
            #expect(
                found.description
                    == "postgres://u:***@h/d?schema=a%20b&password=***&pooling=session")
            guard case .postgres(let url) = found else {
                Issue.record("it is no PostgreSQL")
                return
            }
            #expect(url.hasSuffix("?schema=a%20b&password=geheim&pooling=session"))
        }
    }

    @Suite(.ownThreads) struct `A hub's address` {
        private func address(_ text: String, plain: Bool = false) throws -> HubAddress {
            try HubAddress(argument: text, environment: [:], allowPlainHTTP: plain)
        }

        @Test func `is a server or a database`() throws {
            let url = try #require(URL(string: "http://127.0.0.1:8080"))
            #expect(try address("http://127.0.0.1:8080") == .server(url))
            #expect(try address("sqlite:a.db") == .direct(.sqlite(path: "a.db")))
        }

        @Test func `is encrypted off the loopback`() throws {
            #expect(throws: CommandFailure.self) { try address("http://example.com") }
            #expect(throws: Never.self) { try address("https://example.com") }
            #expect(throws: Never.self) { try address("http://example.com", plain: true) }
            #expect(throws: Never.self) { try address("http://[::1]:8080") }
        }

        @Test(arguments: [
            "", "http://", "http://u:p@h", "ftp://h", "http://127.0.0.1/?secret=x", "h:80",
            "https://h#x",
        ])
        func `is refused otherwise`(text: String) {
            #expect(throws: CommandFailure.self) { try address(text) }
        }

        @Test(arguments: [
            ("http://127.0.0.1:808O", "http://127.0.0.1:808O"), ("a.db", "a.db"),
            ("http://u:geheim@h", "http://***@h"), ("u:gehe@im@h/x", "***@h/x"),
            ("https://h?secret=geheim", "https://h"), ("http://u:geheim?#x@h", "http://***@h"),
        ])
        func `that is refused is repeated without secrets`(text: String, shown: String) {
            let failure = #expect(throws: CommandFailure.self) { try address(text) }
            #expect(failure?.place == shown)
        }

        @Test func `is shown without what signs in`() throws {
            #expect(try address("http://127.0.0.1:8080").description == "http://127.0.0.1:8080")
            #expect(HubAddress.shown("http://u:geheim@h:1") == "http://***@h:1")
            #expect(HubAddress.shown("mysql://u:geheim@h/d") == "mysql://u:***@h/d")
            #expect(HubAddress.shown("mysql://u:${PW}@h/d") == "mysql://u:${PW}@h/d")
            #expect(HubAddress.shown("mysql://u:${a}b}@h/d") == "mysql://u:***@h/d")
            #expect(HubAddress.shown("sqlite:a@b?.db") == "sqlite:a@b?.db")
        }
    }

    @Suite(.ownThreads) struct `A failure` {
        @Test func `says what, where and what to do next`() {
            let failure = CommandFailure("It broke.", at: "here", next: "Mend it.")
            #expect(failure.description == "moorage: It broke.\n  at: here\n  next: Mend it.")
            #expect(failure.text(of: "moorage-dev").hasPrefix("moorage-dev: It broke.\n"))
        }

        @Test(arguments: [
            (HubError.Code.unauthorized, CommandExit.unauthorized), (.unreachable, .temporary),
            (.busy, .temporary), (.databaseUnavailable, .temporary),
            (.configuration, .configuration), (.differentHub, .failure), (.notAttached, .failure),
        ])
        func `of the hub has its exit code`(code: HubError.Code, exit: CommandExit) {
            let failure = CommandFailure(explaining: HubError(code, "Why."))
            #expect(failure.exit == exit)
            #expect(failure.next != nil || code == .configuration)
        }
    }
#endif
