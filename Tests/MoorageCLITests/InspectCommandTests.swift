#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `Inspecting a replica's file` {
        private static let edit = "UPDATE shippers SET phone = 'Kanarienvogel' WHERE shipper_id = 1"

        private func edit(_ run: CommandRun, _ sql: String = Self.edit) async throws {
            try await run.database("a.db").write { try $0.execute(sql: sql) }
        }

        private func decoded(_ line: some StringProtocol) throws -> ReplicaDiagnostics {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .millisecondsSince1970
            return try decoder.decode(ReplicaDiagnostics.self, from: Data(line.utf8))
        }

        // MARK: What it prints

        @Test func `shows tables, log, scopes, exchanges and what waits, with the reason`()
            async throws
        {
            try await CommandRun.withReplica { run, hub, file in
                let quiet = try await run("inspect", file).split(separator: "\n").map(String.init)
                #expect(quiet.contains { $0.hasPrefix("replica") })
                #expect(quiet.contains { $0.hasPrefix("address") && $0.hasSuffix(hub) })
                #expect(quiet.contains { $0.hasPrefix("log") && $0.hasSuffix("empty") })
                #expect(quiet.contains { $0.hasPrefix("in flight") && $0.hasSuffix("nothing") })
                #expect(quiet.contains { $0.hasPrefix("  shippers") && $0.contains("synced") })
                #expect(quiet.contains { $0.hasPrefix("  *") && $0.contains("complete") })
                #expect(quiet.contains { $0.contains("  pull  ") && $0.hasSuffix("ok") })
                #expect(quiet.contains("pending: none") && quiet.contains("refused: none"))
                #expect(quiet.contains { $0.hasPrefix("format") && $0.contains("journal mode ") })
                #expect(quiet.contains { $0.hasSuffix("keys  reason") })
                #expect(quiet.filter { $0.hasSuffix(" ") } == [])
                #expect(!quiet.contains { $0.contains("Zero") || $0.contains(" 1 pages") })
                try await edit(run)
                let text = try await run("inspect", file)
                #expect(text.contains("shippers  [1]  update"))
                #expect(text.contains("it goes with the next exchange"))
                #expect(!text.contains("Kanarienvogel"))
            }
        }

        @Test func `prints a snapshot as JSON, without keys and values`() async throws {
            try await CommandRun.withReplica { run, _, file in
                try await edit(run)
                let text = try await run("inspect", file, "--json")
                #expect(!text.contains("Kanarienvogel") && !text.contains("\n"))
                let found = try decoded(text)
                #expect(found.tables.map(\.name) == ["region", "shippers"])
                #expect(found.tables.map(\.pending) == [0, 1])
                #expect(found.log.pending == 1 && found.phase == nil)
                #expect(found.exchanges.map(\.kind) == [.pull])
            }
        }

        @Test func `says why a row waits`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                try await edit(run)
                let row = try await run("inspect", file, "--table", "shippers", "--row", "1")
                #expect(row.contains("shippers [1]") && row.contains("pending"))
                #expect(row.contains("it goes with the next exchange"))
                let json = try await run(
                    "inspect", file, "--table", "shippers", "--row", "[1]", "--json")
                #expect(json.contains(#""key":[1],"state":"pending","isHere":true"#))
                #expect(json.contains(#""reasons":[{"reason":"nextExchange"}]"#))
                let others = try await run("inspect", file, "--table", "region", "--json")
                #expect(others.isEmpty)
                let synced = try await run("inspect", file, "--table", "shippers", "--row", "2")
                #expect(synced.contains("synced") && !synced.contains("waits"))
                // A suspended table keeps its changes.
                try await run.database("central.db").write { db in
                    try db.execute(sql: "ALTER TABLE region RENAME TO region_before")
                }
                await #expect(throws: CommandFailure.self) {
                    try await run("sync", file, "--hub", hub)
                }
                try await edit(run, "DELETE FROM region WHERE region_id = 1")
                let region = try await run("inspect", file, "--table", "region")
                #expect(region.contains("region  [1]  delete"))
                #expect(region.contains("its table is suspended ("))
                #expect(try await run("inspect", file).contains("suspended"))
            }
        }

        @Test func `reads a key as the lists show it`() {
            func key(_ text: String, isText: Bool = false) -> [Value] {
                Inspect.key(text, isText: isText).values
            }
            #expect(key("7") == [.integer(7)] && key("007") == [.integer(7)])
            #expect(key("a b") == [.text("a b")])
            #expect(key(#"[7,"a"]"#) == [.integer(7), .text("a")])
            #expect(key("[no json") == [.text("[no json")])
            #expect(key("007", isText: true) == [.text("007")])
            #expect(key(#"["007"]"#, isText: true) == [.text("007")])
        }

        @Test func `takes a number as the key's column has it`() async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run.database("central.db").write {
                    try $0.execute(
                        sql: "CREATE TABLE part(id TEXT NOT NULL PRIMARY KEY, name TEXT)")
                }
                try await run("attach", hub, "--table", "part")
                try await run("clone", hub, run.path("a.db"))
                try await edit(run, "INSERT INTO part VALUES('007', 'a'), ('10248', 'b')")
                for key in ["007", "10248", #"["007"]"#] {
                    let text = try await run(
                        "inspect", run.path("a.db"), "--table", "part", "--row", key)
                    #expect(text.contains("pending"), "\(key): \(text)")
                }
                let other = await #expect(throws: CommandFailure.self) {
                    try await run("inspect", run.path("a.db"), "--table", "part", "--row", "7")
                }
                #expect(other?.what == #"The file has no row part ["7"], and knows nothing of it."#)
                #expect(other?.exit == .failure)
            }
        }

        private static let inCapitals = "00112233-4455-6677-8899-AABBCCDDEEFF"

        /// The same key in forms that a file of lower-case texts does not have.
        enum OtherForm: CaseIterable {
            case capitals, bytes

            var sql: String {
                switch self {
                case .capitals: "'00112233-4455-6677-8899-AABBCCDDEEFF'"
                case .bytes: "x'00112233445566778899aabbccddeeff'"
                }
            }
        }

        private func withParts(
            _ body: (CommandRun, _ hub: String, _ file: String) async throws -> Void
        ) async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run.database("central.db").write {
                    try $0.execute(
                        sql: """
                            CREATE TABLE part(id UUID NOT NULL PRIMARY KEY, name TEXT);
                            INSERT INTO part VALUES('abcdef33-4455-6677-8899-aabbccddeeff', 'hub');
                            """)
                }
                try await run("attach", hub, "--table", "part")
                try await run("clone", hub, run.path("a.db"))
                try await body(run, hub, run.path("a.db"))
            }
        }

        @Test(arguments: OtherForm.allCases)
        func `finds a row whose key has another form than the file's keys`(
            key: OtherForm
        ) async throws {
            try await withParts { run, hub, file in
                try await edit(
                    run, "INSERT INTO part VALUES('11112233-4455-6677-8899-aabbccddeeff', 'a')")
                try await run("sync", file, "--hub", hub)
                try await edit(run, "INSERT INTO part VALUES(\(key.sql), 'b')")
                let printed = #"["00112233-4455-6677-8899-aabbccddeeff"]"#
                let list = try await run("inspect", file, "--table", "part")
                #expect(list.contains(printed) && list.contains("its key has another form"))
                for row in [printed, Self.inCapitals] {
                    let text = try await run("inspect", file, "--table", "part", "--row", row)
                    #expect(text.contains("pending") && !text.contains("synced"), "\(text)")
                    #expect(text.contains("stored in another form") && text.contains("waits"))
                    #expect(text.contains("in the table  yes"))
                    #expect(text.contains("its key has another form than the file's keys (type)"))
                }
            }
        }

        @Test(arguments: OtherForm.allCases)
        func `says that the first key goes with the next exchange, whatever form it has`(
            key: OtherForm
        ) async throws {
            try await withParts { run, hub, file in
                try await edit(
                    run, "INSERT INTO part VALUES(\(key.sql), 'b'); UPDATE part SET name = 'c'")
                let printed = #"["00112233-4455-6677-8899-aabbccddeeff"]"#
                let list = try await run("inspect", file, "--table", "part")
                #expect(list.components(separatedBy: "goes with the next exchange").count == 3)
                let text = try await run("inspect", file, "--table", "part", "--row", printed)
                #expect(text.contains("pending") && text.contains("goes with the next exchange"))
                #expect(text.contains("in the table  yes"))
                try await run("sync", file, "--hub", hub)
                #expect(try await run("inspect", file, "--table", "part").contains("pending: none"))
                let sent = try await run("inspect", file, "--table", "part", "--row", printed)
                #expect(sent.contains("synced") && !sent.contains("another form"))
            }
        }

        // MARK: The file

        @Test func `reads beside a program that writes, and changes nothing`() async throws {
            try await CommandRun.withReplica { run, _, file in
                let before = try Data(contentsOf: URL(filePath: file))
                _ = try await run("inspect", file)
                #expect(try Data(contentsOf: URL(filePath: file)) == before)
                let pool = try DatabasePool(path: file)
                try await pool.write { try $0.execute(sql: Self.edit) }
                let isWriting = LatestCount()
                let goesOn = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    try? pool.write { db in
                        try db.execute(sql: "DELETE FROM shippers")
                        isWriting.add(1)
                        goesOn.wait()
                        throw CancellationError()
                    }
                }
                defer { goesOn.signal() }
                try await eventually("the program writes") { isWriting.value == 1 }
                // The last commit counts, and not what is being written.
                let text = try await run("inspect", file)
                #expect(text.contains("wal") && text.contains("[1]  update"))
                #expect(!text.contains("delete"))
            }
        }

        @Test func `reads the file of a process that was killed`() async throws {
            try await CommandRun.withReplica { run, _, file in
                let pool = try DatabasePool(path: file)
                try await pool.write { try $0.execute(sql: Self.edit) }
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(
                        atPath: file + suffix, toPath: run.path("dead.db") + suffix)
                }
                let text = try await run("inspect", run.path("dead.db"))
                #expect(text.contains("shippers  [1]  update"))
                // Through a link, too.
                let link = run.path("link.db")
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: run.path("dead.db"))
                let linked = try await run("inspect", link)
                #expect(linked.contains("shippers  [1]  update"))
                #expect(linked.contains("write-ahead log"))
                try pool.close()
            }
        }

        @Test func `reads a copy where the last write broke off`() async throws {
            try await CommandRun.withReplica { run, _, file in
                try await edit(run)
                let queue = try DatabaseQueue(path: file)
                let copied = ["", "-journal"].map { run.path("broken.db") + $0 }
                try await queue.writeWithoutTransaction { db in
                    // More than the cache takes, so that half of it is in the file.
                    try db.execute(
                        sql: """
                            PRAGMA cache_size = 5; BEGIN IMMEDIATE; CREATE TABLE more(a);
                            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
                            INSERT INTO more SELECT zeroblob(1000) FROM n;
                            """)
                    for (suffix, copy) in zip(["", "-journal"], copied) {
                        try FileManager.default.copyItem(atPath: file + suffix, toPath: copy)
                    }
                    try db.execute(sql: "ROLLBACK")
                }
                let before = try copied.map { try Data(contentsOf: URL(filePath: $0)) }
                let text = try await run("inspect", copied[0], "--follow")
                #expect(text.contains("shippers  [1]  update"))
                #expect(try copied.map { try Data(contentsOf: URL(filePath: $0)) } == before)
                // A link has no journal beside it.
                let link = run.path("link.db")
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: copied[0])
                let linked = try await InspectedFile(link)
                let changes = try await linked.read { try $0.waiting(in: nil, limit: 9) }
                #expect(changes.map(\.change.table) == ["shippers"])
                #expect(!linked.mayBeTorn)
                // The copy is for nobody else.
                let folder = try #require(linked.folder)
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
            }
        }

        @Test func `says what is wrong with a file`() async throws {
            try await CommandRun.withReplica { run, _, file in
                func failure(_ arguments: String...) async -> CommandFailure? {
                    do {
                        _ = try await run.run(["inspect"] + arguments)
                        return nil
                    } catch { return CommandFailure(explaining: error) }
                }
                try await run.database("plain.db").write {
                    try $0.execute(sql: "CREATE TABLE t(a)")
                }
                let text = try run.write("this is no database, but long enough to be read", to: "x")
                #expect(await failure(run.path("none.db"))?.what == "There is no such file.")
                #expect(!FileManager.default.fileExists(atPath: run.path("none.db")))
                #expect(await failure(run.path("plain.db"))?.what == "The file is no replica.")
                #expect(await failure(text)?.what.contains("no SQLite database") == true)
                let table = await failure(file, "--table", "regon")
                #expect(table?.next == "Did you mean `region`?")
                let key = await failure(file, "--table", "region", "--row", "[1,2]")
                #expect(key?.exit == .usage && key?.what.contains("region_id") == true)
                try await edit(run, "UPDATE _moorage_meta SET value = 2 WHERE name = 'version'")
                #expect(await failure(file)?.what.contains("earlier version") == true)
                try await edit(run, "UPDATE _moorage_meta SET value = 99 WHERE name = 'version'")
                #expect(await failure(file)?.what.contains("newer") == true)
            }
        }

        // MARK: Following

        @Test func `follows a file, and prints what changed`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                let lines = PrintedLines()
                let following = Task {
                    try await run.run(["inspect", file, "--follow"], printing: lines)
                }
                try await eventually("the report is there") { lines.text.contains("pending: none") }
                let first = lines.text
                try await edit(run)
                try await eventually("the change is there") {
                    lines.text.contains("shippers  [1]  update")
                }
                let news = lines.text.dropFirst(first.count)
                // Other tables did not change.
                #expect(!news.contains("region") && news.contains("log"))
                #expect(news.contains("  table     state"))
                try await run("sync", file, "--hub", hub)
                try await eventually("the push is there") { lines.text.contains("  push  ") }
                following.cancel()
                try await following.value
            }
        }

        @Test func `follows as JSON, one snapshot a line`() async throws {
            try await CommandRun.withReplica { run, _, file in
                let lines = PrintedLines()
                let following = Task {
                    try await run.run(["inspect", file, "--follow", "--json"], printing: lines)
                }
                try await eventually("the snapshot is there") { !lines.text.isEmpty }
                try await edit(run)
                try await eventually("another one is there") { lines.text.contains("\n") }
                following.cancel()
                try await following.value
                let snapshots = try lines.text.split(separator: "\n").map { try decoded($0) }
                #expect(snapshots.first?.log.pending == 0 && snapshots.last?.log.pending == 1)
            }
        }
    }
#endif
