#if Server
    import ArgumentParser
    import Moorage

    struct Clone: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a replica: an empty SQLite file gets the hub's tables and rows.",
            discussion: "A clone that was broken off goes on where it stood.")

        @Argument(help: "The hub: http(s)://host:port, or a database URL.")
        var hub: String

        @Argument(help: "The SQLite file to make.")
        var file: String

        @Option(
            name: .customLong("table"),
            help: ArgumentHelp("Sync this table; again for more. Else all.", valueName: "name"))
        var tables: [String] = []

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        func run() async throws {
            let access = try options.connect(hub)
            let console = progress.console
            let rows = LatestCount()
            _ = try await ReplicaFile(path: file).clone(
                from: access, tables: tables
            ) { progress in
                rows.set(progress.rows)
                console.progress("cloning: \(ReplicaReport.progress(progress))")
            }
            console.endProgress()
            console.print("cloned  \(file): \(rows.value) rows")
        }
    }

    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings a replica and its hub together, once or for as long as it runs.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        @Option(help: "The hub: http(s)://host:port, or a database URL.")
        var hub: String

        @Flag(help: "Go on until stopped: push after each change, pull by interval.")
        var watch = false

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        func run() async throws {
            let access = try options.connect(hub)
            let console = progress.console
            let replica = try await ReplicaFile(path: file).replica(
                access)
            if watch { return try await Watching.run(replica, console) }
            let summary = try await replica.sync()
            console.print("synced  \(file): \(ReplicaReport.line(summary))")
            guard summary.isCaughtUp else {
                throw CommandFailure(
                    "The replica is not caught up.", at: file,
                    next: "See `moorage status \(file)`, and sync again.")
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says how a replica stands, without asking the hub.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        func run() async throws {
            let replica = try await ReplicaFile(path: file).replica(.none)
            Console(showsProgress: false).print(
                ReplicaReport.lines(replica.currentStatus, file: file))
        }
    }

    struct Pending: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the local changes that the hub has not taken yet, and those it refused.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        @Option(help: "List no more than this of each.")
        var limit = 1_000

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
        }

        func run() async throws {
            let replica = try await ReplicaFile(path: file).replica(.none)
            let console = Console(showsProgress: false)
            let pending = try await replica.pending(limit: limit)
            let refused = try await replica.refused(limit: limit)
            if !pending.isEmpty { console.print(ReplicaReport.lines(pending)) }
            if !refused.isEmpty { console.print(ReplicaReport.lines(refused)) }
            if pending.isEmpty, refused.isEmpty { console.print("Nothing is pending.") }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compares a replica with its hub row by row; exits 1 when they differ.",
            discussion: """
                Rows that wait to be pushed, and rows that changed at the centre since the last sync, \
                may differ by right and are passed over.
                """)

        @Argument(help: "The replica's SQLite file.")
        var file: String

        @Option(help: "The hub: http(s)://host:port, or a database URL.")
        var hub: String

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        func run() async throws {
            let access = try options.connect(hub)
            let console = progress.console
            let replica = try await ReplicaFile(path: file).replica(
                access)
            console.progress("comparing")
            let differences = try await replica.verify()
            console.endProgress()
            guard !differences.isEmpty else {
                return console.print("equal  \(file)")
            }
            console.print(ReplicaReport.lines(differences))
            throw CommandFailure(
                "\(differences.count) rows differ from the hub's.", at: file,
                next: """
                    Sync and verify again; what still differs was written past the triggers: clone \
                    a new file.
                    """)
        }
    }

    struct Demo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the whole story in a few seconds: a hub, two devices, a conflict.")

        @Option(help: "A folder for the three databases; else a temporary one, removed at the end.")
        var folder: String?

        func run() async throws {
            try await DemoStory.run(folder: folder)
        }
    }
#endif
