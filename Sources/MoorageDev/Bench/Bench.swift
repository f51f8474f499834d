#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageLoad
    import UnixSignals

    /// `moorage-dev bench`: puts load on a server (docs/development/performance.md).
    struct Bench: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts load on a server, and tells how it bears it.",
            discussion: """
                Devices of its own push made-up rows into one table and take what others change. It \
                changes and deletes no row but its own, and at the end, also when it is stopped, it deletes those; \
                the hub keeps their deletions, and the devices' names, for its retention time. Devices and \
                the programs of others take part in it: run it against a test system first.

                Latency counts from the time that an exchange was due. Propagation is the time from the \
                answer to an insert until the first other device has the row.

                It exits 1 when an exchange failed otherwise than by `busy`, when none was answered, or when \
                rows of its own are left, and 75 when it was stopped.
                """)

        @Argument(help: "The hub's server: http(s)://host:port.")
        var hub: String

        @Option(help: ArgumentHelp("The table to work on.", valueName: "name"))
        var table: String

        @Option(help: "How many devices, 1 to 10000.")
        var devices = 10

        @Option(help: "How long it measures, 1 to 86400.")
        var seconds = 30.0

        @Option(
            help:
                "Exchanges of each device, 1 to 1000000: it measures until all are done, instead of --seconds."
        )
        var exchanges: Int?

        @Option(help: "Exchanges a second of each device, 0.001 to 1000.")
        var rate = 1.0

        @Option(help: "Changes of an exchange, 1 to 10000.")
        var batch = 10

        @Option(help: "Inserts, updates and deletes, in percent.")
        var mix = MixArgument()

        @Option(help: "Rows that each device inserts before the measurement begins, 0 to 100000.")
        var rows = 100

        @Flag(help: "Write nothing: exchanges with nothing to push.")
        var readsOnly = false

        @Option(help: "Gives the changes and their values; keys are random in any case.")
        var seed: UInt64 = 1

        @Flag(help: "Print one JSON document.")
        var json = false

        @Flag(help: "Leave its rows where they are.")
        var keep = false

        @OptionGroup var options: HubOptions
        @OptionGroup var progress: ProgressOptions

        private var plan: BenchPlan {
            var plan = BenchPlan(table: table)
            plan.devices = devices
            plan.seconds = seconds
            plan.exchanges = exchanges
            plan.rate = rate
            plan.batch = batch
            plan.mix = mix.mix
            plan.rows = rows
            plan.readsOnly = readsOnly
            plan.seed = seed
            plan.keepsRows = keep
            return plan
        }

        func validate() throws {
            do { try plan.validate() } catch { throw ValidationError(error.what) }
        }

        func run() async throws {
            do {
                try await measure()
            } catch {
                let failure = CommandFailure(explaining: error, hub: HubAddress.shown(hub))
                Console.error(failure.text(of: "moorage-dev"))
                throw ExitCode(failure.exit.rawValue)
            }
        }

        /// - Throws: Any error of the run, and ``CommandFailure`` unless all went well.
        func measure() async throws {
            let console = progress.console
            let run = BenchRun(plan: plan, server: try options.server(hub), console: console)
            // The signals stay trapped to the end, so a second signal does not leave the run's rows
            // behind.
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            let report = try await run.run {
                for await _ in signals { return }
            }
            console.print(json ? report.json : report.text)
            try report.check()
        }
    }

    /// Three percentages, as `40/50/10`.
    struct MixArgument: ExpressibleByArgument {
        var mix = ChangeMix()

        init() {}

        init?(argument: String) {
            let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Int($0) }
            guard parts.count == 3, numbers.count == 3 else { return nil }
            mix = ChangeMix(inserts: numbers[0], updates: numbers[1], deletes: numbers[2])
        }

        var defaultValueDescription: String {
            "\(mix.inserts)/\(mix.updates)/\(mix.deletes)"
        }
    }
#endif
