#if Server
    import ArgumentParser
    import Foundation
    import GRDB
    import Logging
    import MoorageConfiguration
    import MoorageHub
    import MoorageSQLite
    import MoorageServer
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `A replica's commands` {
        @Test func `clone, sync and verify`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                #expect(try await run("verify", file, "--hub", hub) == "equal  \(file)")
                try await run.database("a.db").write { db in
                    try db.execute(sql: "UPDATE shippers SET phone = '1' WHERE shipper_id = 1")
                }
                #expect(try await run("pending", file).contains("shippers  [1]"))
                let status = try await run("status", file).split(separator: "\n")
                #expect(status.contains("pending         1"))
                #expect(status.contains("caught up       no: 1 pending"))
                #expect(status.contains { $0.hasPrefix("last caught up  20") })
                #expect(status.contains("hub             \(hub)"))
                #expect(
                    try await run("sync", file, "--hub", hub).contains("1 pushed"))
                #expect(try await run("pending", file) == "Nothing is pending.")
                #expect(try await !run("status", file).contains("no:"))
                let phone = try await run.database("central.db").read { db in
                    try String.fetchOne(
                        db, sql: "SELECT phone FROM shippers WHERE shipper_id = 1")
                }
                #expect(phone == "1")
                #expect(try await run("verify", file, "--hub", hub) == "equal  \(file)")
            }
        }

        @Test func `name the row that differs, and fail`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("a.db").write { db in
                    // Past the triggers, as nothing but a repair tool would.
                    try db.execute(
                        sql: """
                            INSERT INTO _moorage_applying VALUES (1);
                            UPDATE shippers SET phone = 'x' WHERE shipper_id = 2;
                            DELETE FROM shippers WHERE shipper_id = 3;
                            DELETE FROM _moorage_applying;
                            """)
                }
                let lines = PrintedLines()
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run.run(["verify", file, "--hub", hub], printing: lines)
                }
                #expect(failure?.exit == .failure)
                #expect(lines.text.contains("shippers  [2]  differs"))
                #expect(lines.text.contains("shippers  [3]  missingHere"))
            }
        }

        @Test func `name the rows that refer to nothing, which are no differences`() async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("own.db")
                let file = run.path("a.db")
                try await run.database("own.db").writeWithoutTransaction { db in
                    try db.execute(
                        sql: """
                            PRAGMA foreign_keys = OFF;
                            CREATE TABLE parent (id INTEGER PRIMARY KEY NOT NULL);
                            CREATE TABLE child (
                              id INTEGER PRIMARY KEY NOT NULL, parent INTEGER REFERENCES parent(id));
                            INSERT INTO child VALUES (7, 99);
                            """)
                }
                try await run("attach", hub)
                try await run("clone", hub, file)
                let line = "dangling  child  [7]  parent names no row of parent"
                let status = try await run("status", file)
                #expect(status.contains(line))
                #expect(status.contains("dangling        1"))
                let verified = try await run("verify", file, "--hub", hub)
                #expect(verified.contains(line))
                #expect(verified.contains("equal  \(file)"))
                let lines = PrintedLines()
                await #expect(throws: CommandFailure.self) {
                    try await run.run(["doctor", hub], printing: lines)
                }
                #expect(lines.text.contains("brokenReferences"))
                try await run.database("own.db").write {
                    try $0.execute(sql: "INSERT INTO parent VALUES (99)")
                }
                try await run("sync", file, "--hub", hub)
                #expect(try await run("status", file).contains("dangling") == false)
                #expect(try await run("verify", file, "--hub", hub) == "equal  \(file)")
            }
        }

        @Test func `name suspended tables, and say by the exit code that they were left out`()
            async throws
        {
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("central.db").write { db in
                    try db.execute(sql: "ALTER TABLE region RENAME TO region_before")
                }
                for syncs in [false, true] {
                    if syncs {
                        await #expect(throws: CommandFailure.self) {
                            try await run("sync", file, "--hub", hub)
                        }
                    }
                    let lines = PrintedLines()
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run.run(["verify", file, "--hub", hub], printing: lines)
                    }
                    #expect(failure?.exit == .suspended)
                    #expect(lines.text.contains("suspended  region"))
                    #expect(lines.text.contains("but for suspended tables"))
                }
            }
        }

        @Test func `tell in the health report how many tables are suspended`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                let database = try SQLiteDatabase(path: run.path("central.db"))
                let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let health = CentralHealth(
                    database: database, hub: Hub(database: database, logger: quiet), logger: quiet)
                let before = await health.report()
                #expect(before.isReachable)
                #expect(before.suspendedTables == 0)
                try await run.database("central.db").write { db in
                    try db.execute(sql: "ALTER TABLE region RENAME TO region_before")
                }
                let behind = await health.report()
                #expect(behind.isReachable)
                #expect(behind.suspendedTables == 1)
            }
        }

        @Test func `leave no empty file behind when a clone fails`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("clone", hub, run.path("b.db"), "--table", "nosuch")
                }
                #expect(failure?.what == "The hub has no table nosuch.")
                #expect(failure?.next?.contains("region") == true)
                #expect(failure?.next?.contains("shippers") == true)
                #expect(!FileManager.default.fileExists(atPath: run.path("b.db")))
            }
        }

        @Test(arguments: ["http://127.0.0.1:8080/foo", "127.0.0.1:8080", "ftp://host"])
        func `say how the address of a hub is written`(address: String) async throws {
            try await CommandRun.inFolder { run in
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("clone", address, run.path("a.db"))
                }
                #expect(failure?.exit == .usage)
                #expect(failure?.next?.contains("http://") == true)
                if address.hasSuffix("/foo") {
                    #expect(failure?.next?.contains("http://127.0.0.1:8080.") == true)
                }
            }
        }

        @Test func `say what is wrong with a file`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("plain.db").write {
                    try $0.execute(sql: "CREATE TABLE t(a)")
                }
                let text = try run.write("this is no database, but long enough to be read", to: "x")
                for name in ["none.db", "plain.db"] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run("status", run.path(name))
                    }
                    #expect(failure?.next?.contains("moorage clone") == true)
                }
                for command in [
                    ["status", text], ["pending", text], ["sync", text, "--hub", hub],
                    ["verify", text, "--hub", hub], ["clone", hub, text],
                ] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run.run(command)
                    }
                    #expect(failure?.what.contains("no SQLite database") == true)
                    #expect(failure?.place == text && failure?.exit == .failure)
                    #expect(failure?.next?.contains("Correct the path") == true)
                }
            }
        }

        @Test func `say that a file is a replica, or has the app's tables`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                for more in [[], ["--table", "region"]] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run.run(["clone", hub, file] + more)
                    }
                    #expect(failure?.what == "The file is a replica already.")
                    #expect(failure?.place == file)
                    #expect(failure?.next?.contains("`moorage sync \(file)`") == true)
                }
                try await run.database("own.db").write {
                    try $0.execute(sql: "CREATE TABLE shippers(a)")
                }
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("clone", hub, run.path("own.db"))
                }
                #expect(failure?.what.contains("a table shippers already") == true)
                #expect(failure?.place == run.path("own.db"))
                #expect(failure?.next?.contains("Replica(") == false)
            }
        }

        @Test func `ask which table was meant`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                for name in ["Region", "regon"] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run("clone", hub, run.path("b.db"), "--table", name)
                    }
                    #expect(failure?.next == "Did you mean `region`?")
                }
                let failure = await #expect(throws: (any Error).self) {
                    try await run("attach", hub, "--table", "regon")
                }
                let attach = try #require(failure.map { CommandFailure(explaining: $0) })
                #expect(attach.what.contains("no table regon"))
                #expect(!attach.what.contains("configuration"))
            }
        }

        @Test(arguments: [["a.db"], ["a.db", "b.db", "--hub", "sqlite:c.db"]])
        func `say what a clone needs`(arguments: [String]) async throws {
            try await CommandRun.inFolder { run in
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run.run(["clone"] + arguments)
                }
                #expect(failure?.exit == .usage)
                #expect(failure?.next?.contains("moorage clone <hub> <file>") == true)
            }
        }

        @Test func `say that the file came before the hub`() async throws {
            try await CommandRun.inFolder { run in
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("clone", run.path("a.db"), "http://127.0.0.1:1")
                }
                #expect(failure?.what == "This is a file, and the hub comes first.")
                #expect(failure?.exit == .usage)
            }
        }

        @Test func `need the secret of a server`() async throws {
            let nobody = try ClosedPort()
            try await CommandRun.inFolder { run in
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("clone", "http://127.0.0.1:\(nobody.number)", run.path("a.db"))
                }
                #expect(failure?.exit == .unauthorized)
            }
            withExtendedLifetime(nobody) {}
        }

        @Test func `say that a server does not answer`() async throws {
            let nobody = try ClosedPort()
            try await CommandRun.inFolder { run in
                let secret = try run.write("0123456789abcdef0123", to: "secret")
                let error = await #expect(throws: (any Error).self) {
                    try await run(
                        "clone", "http://127.0.0.1:\(nobody.number)", run.path("a.db"),
                        "--secret-file", secret)
                }
                let failure = try #require(error.map { CommandFailure(explaining: $0) })
                #expect(failure.exit == .temporary)
                #expect(failure.place == "http://127.0.0.1:\(nobody.number)")
                #expect(failure.next != nil)
            }
            withExtendedLifetime(nobody) {}
        }
    }

    @Suite(.ownThreads) struct `The demo` {
        @Test func `tells the whole story, and it is true`() async throws {
            try await CommandRun.inFolder { run in
                let printed = try await run("demo", "--folder", run.path("demo"))
                #expect(printed.contains("All three are equal"))
                #expect(printed.contains("Conflict log: orders"))
                #expect(printed.contains("Done in"))
            }
        }

        @Test func `takes a folder`() throws {
            let command = try MoorageCommand.parseAsRoot(["demo", "--folder", "there"])
            #expect((command as? Demo)?.folder == "there")
        }
    }
#endif
