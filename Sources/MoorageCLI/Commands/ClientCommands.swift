#if Server
    import ArgumentParser
    import Moorage
    import MoorageConfiguration
    import MoorageWire

    struct Clone: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a replica: an empty SQLite file gets the hub's tables and rows.",
            usage: "moorage clone <hub> <file> | moorage clone <file> --hub <hub>",
            discussion: """
                A clone that was broken off goes on where it stood. The file remembers the hub's address, \
                without secrets: `moorage sync <file>` needs no more.
                """)

        // Not an array: it would take the value of an unknown option for one more place.
        @Argument(
            help: ArgumentHelp(
                "The hub, as http(s)://host:port or a database URL; with --hub the file.",
                valueName: "hub"))
        var first: String

        @Argument(help: ArgumentHelp("The SQLite file to make.", valueName: "file"))
        var second: String?

        @Option(name: .customLong("hub"), help: "The hub, in place of the first argument.")
        var option: String?

        @Option(
            name: .customLong("table"),
            help: ArgumentHelp("Sync this table; again for more. Else all.", valueName: "name"))
        var tables: [String] = []

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        // Not in `validate()`, which runs before the parser tells of an unknown option.
        private func places() throws(CommandFailure) -> (hub: String, file: String) {
            switch (option, second) {
            case (let hub?, nil): return (hub, first)
            case (nil, let file?):
                if !HubAddress.isNamed(by: first), HubAddress.isNamed(by: file) {
                    throw CommandFailure.fileInsteadOfHub(HubAddress.shown(first))
                }
                return (first, file)
            default: throw CommandFailure.cloneWithoutPlaces
            }
        }

        func run() async throws {
            let (hub, file) = try places()
            let access = try options.connect(hub)
            let console = progress.console
            let rows = LatestCount()
            let replica = ReplicaFile(path: file)
            _ = try await access.naming {
                try await replica.clone(from: access, at: hub, tables: tables) { progress in
                    rows.set(progress.rows)
                    console.progress("cloning: \(ReplicaReport.progress(progress))")
                }
            }
            console.endProgress()
            try await replica.remember(hub: hub)
            console.print("cloned  \(file): \(rows.value) rows")
        }
    }

    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Brings a replica and its hub together, once or for as long as it runs.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        @OptionGroup var hub: RememberedHub

        @Flag(help: "Go on until stopped: push after each change, pull by interval.")
        var watch = false

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        func run() async throws {
            let console = progress.console
            let (access, address) = try await hub.connect(file, options)
            let place = ReplicaFile(path: file)
            let replica = try await place.replica(
                access, watch ? ReplicaOptions() : ReplicaFile.quietly)
            if watch {
                let service = WatchService(
                    replica: replica, file: place, access: access, address: address,
                    console: console)
                return try await access.naming { try await service.runUntilStopped() }
            }
            let summary = try await access.naming { try await replica.sync() }
            // Only now it is certain that this is the file's own hub.
            try await place.remember(hub: address)
            let suspended = replica.status.suspendedTables
            console.print(
                "synced  \(file): \(ReplicaReport.line(summary, suspended: suspended.count))")
            try Self.checkNoneSuspended(suspended, file, console)
            guard summary.isCaughtUp else { throw CommandFailure.notCaughtUp(file) }
        }

        /// - Throws: An exit code of its own, once the tables were named.
        static func checkNoneSuspended(
            _ suspended: [SuspendedReplicaTable], _ file: String, _ console: Console
        ) throws {
            guard !suspended.isEmpty else { return }
            console.print(ReplicaReport.lines(suspended))
            let waiting = suspended.reduce(0) { $0 + $1.pendingCount }
            throw CommandFailure.tablesSuspended(suspended.count, changes: waiting, in: file)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says how a replica stands, without asking the hub.")

        @Argument(help: "The replica's SQLite file.")
        var file: String

        func run() async throws {
            let place = ReplicaFile(path: file)
            let replica = try await place.replica(.none)
            let console = Console(showsProgress: false)
            console.print(
                ReplicaReport.lines(
                    replica.status, file: file, hub: try await place.rememberedHub()))
            let dangling = try await replica.danglingRows.fetch(limit: 20)
            if !dangling.isEmpty { console.print(ReplicaReport.lines(dangling)) }
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
            let pending = try await replica.pendingChanges.fetch(limit: limit)
            let refused = try await replica.refusedChanges.fetch(limit: limit)
            if !pending.isEmpty { console.print(ReplicaReport.lines(pending)) }
            if !refused.isEmpty { console.print(ReplicaReport.lines(refused)) }
            if pending.isEmpty, refused.isEmpty { console.print("Nothing is pending.") }
            let status = replica.status
            // Counted, an edit may turn out to change nothing: only a list that is full was cut.
            let more = [
                (pending.count, status.pendingCount, "pending"),
                (refused.count, status.refusedCount, "refused"),
            ].filter { $0.0 == limit && $0.1 > limit }
            if !more.isEmpty {
                let counts = more.map { "\($0.1 - $0.0) more \($0.2)" }.joined(separator: ", ")
                console.print("… \(counts): --limit <n> lists more.")
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compares a replica with its hub row by row; exits 1 when they differ.",
            discussion: """
                Exits 69 when tables are suspended and the others are equal. \
                Rows that wait to be pushed, and rows that changed at the centre since the last sync, \
                may differ by right and are passed over. Rows that refer to rows which neither side has are \
                listed as dangling; they are no differences.
                """)

        @Argument(help: "The replica's SQLite file.")
        var file: String

        @OptionGroup var hub: RememberedHub

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        func run() async throws {
            let console = progress.console
            let (access, address) = try await hub.connect(file, options)
            let place = ReplicaFile(path: file)
            let replica = try await place.replica(access)
            console.progress("comparing")
            let (differences, answer) = try await access.naming {
                (try await replica.verify(), try await access.connection.schema())
            }
            console.endProgress()
            if try await place.belongs(to: answer.hub) {
                try await place.remember(hub: address)
            }
            let dangling = try await replica.danglingRows.fetch()
            if !dangling.isEmpty { console.print(ReplicaReport.lines(dangling)) }
            let suspended = SkippedTables.all(
                of: replica, among: try await place.tableNames(), at: answer)
            guard !differences.isEmpty else {
                guard suspended.isEmpty else {
                    console.print("equal  \(file), but for suspended tables: not compared")
                    return try Sync.checkNoneSuspended(suspended, file, console)
                }
                return console.print("equal  \(file)")
            }
            if !suspended.isEmpty { console.print(ReplicaReport.lines(suspended)) }
            console.print(ReplicaReport.lines(differences))
            throw CommandFailure.rowsDiffer(differences.count, in: file)
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
