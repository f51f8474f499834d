#if Server
    import Foundation
    import GRDB
    import MoorageConfiguration
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `The command conflicts` {
        /// A device's name for a shipper met the office's, and lost.
        func disagree(_ run: CommandRun) async throws -> String {
            let url = "sqlite:" + run.path("central.db")
            let config = try run.write(
                "tables: {shippers: {rule: server}, region: {}}", to: "moorage.yaml")
            try await run("sample", url)
            try await run("attach", url, "--config", config)
            try await run("clone", url, run.path("app.db"), "--config", config)
            try await run.database("app.db").write {
                try $0.execute(
                    sql: "UPDATE shippers SET company_name = 'Mine' WHERE shipper_id = 1")
            }
            try await run.database("central.db").write {
                try $0.execute(
                    sql: "UPDATE shippers SET company_name = 'Theirs' WHERE shipper_id = 1")
            }
            try await run("sync", run.path("app.db"), "--hub", url, "--config", config)
            return url
        }

        func name(_ run: CommandRun, in file: String) async throws -> String? {
            try await run.database(file).read {
                try String.fetchOne(
                    $0, sql: "SELECT company_name FROM shippers WHERE shipper_id = 1")
            }
        }

        @Test func `lists, shows and decides`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await disagree(run)
                let list = try await run("conflicts", "list", url)
                #expect(list.contains("shippers"))
                #expect(list.contains("updateUpdate"))
                #expect(list.contains("open"))
                let id = try #require(list.split(separator: " ").last.map(String.init))
                let shown = try await run("conflicts", "show", id, url)
                #expect(shown.contains(#"{"company_name":"Mine"}"#))
                #expect(shown.contains(#"{"company_name":"Theirs"}"#))
                let kept = try await run("conflicts", "keep-mine", id, url)
                #expect(kept.contains("mine, 20"))
                #expect(try await name(run, in: "central.db") == "Mine")
                let config = run.path("moorage.yaml")
                try await run("sync", run.path("app.db"), "--hub", url, "--config", config)
                #expect(try await name(run, in: "app.db") == "Mine")
                #expect(try await run("conflicts", url) == "No conflicts.")
                let all = try await run("conflicts", "list", url, "--all")
                #expect(all.contains("mine"))
                let failure = await #expect(throws: (any Error).self) {
                    try await run("conflicts", "keep-theirs", id, url)
                }
                let what = CommandFailure(explaining: try #require(failure)).what
                #expect(what.contains("already"))
            }
        }

        @Test func `prints JSON, a line for each`() async throws {
            try await CommandRun.inFolder { run in
                let url = try await disagree(run)
                let line = try await run("conflicts", "list", url, "--json")
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(object["table"] as? String == "shippers")
                #expect(object["key"] as? [Int] == [1])
                #expect((object["mine"] as? [String: String]) == ["company_name": "Mine"])
                #expect((object["theirs"] as? [String: String]) == ["company_name": "Theirs"])
                #expect(object["decision"] is NSNull)
                let id = try #require(object["id"] as? String)
                let decided = try await run("conflicts", "dismiss", id, url, "--json")
                #expect(decided.contains(#""decision":"dismissed""#))
                #expect(try await name(run, in: "central.db") == "Theirs")
            }
        }

        @Test(arguments: [
            ["--limit", "0"], ["--days", "0"], ["--kind", "quarrel"],
        ])
        func `refuses what makes no sense`(arguments: [String]) async throws {
            try await CommandRun.inFolder { run in
                _ = await #expect(throws: (any Error).self) {
                    try await run.run(["conflicts", "list", "sqlite:x.db"] + arguments)
                }
            }
        }
    }
#endif
