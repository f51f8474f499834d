#if Server
    import ArgumentParser

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
            let address = try options.address(hub)
            let settings = try options.configuration.load()
            try await ReplicaFile(path: file, console: progress.console)
                .clone(from: HubAccess.connect(address, settings), tables: tables)
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
            let address = try options.address(hub)
            let settings = try options.configuration.load()
            let replica = ReplicaFile(path: file, console: progress.console)
            let connection = try HubAccess.connect(address, settings)
            if watch {
                try await replica.watch(connection)
            } else {
                try await replica.sync(connection)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says how a replica stands, without asking the hub.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        func run() async throws {
            try await ReplicaFile(path: file, console: Console(showsProgress: false)).status()
        }
    }

    struct Pending: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the local changes that the hub has not taken yet, and those it refused.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        func run() async throws {
            try await ReplicaFile(path: file, console: Console(showsProgress: false)).pending()
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
            let address = try options.address(hub)
            let settings = try options.configuration.load()
            try await ReplicaFile(path: file, console: progress.console)
                .verify(HubAccess.connect(address, settings))
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
