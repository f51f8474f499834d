#if Server
    import ArgumentParser
    import MoorageConfiguration

    struct Sample: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an example: a trading company's central database.",
            discussion: """
                13 tables in the shape of the Northwind sample, with rows from a seed. A SQLite file \
                is made; a database of PostgreSQL, MariaDB or MySQL must be there, without these tables.
                """)

        @OptionGroup var options: DatabaseOptions
        @OptionGroup var progress: ProgressOptions

        @Option(help: "1 gives about 3,300 rows; customers, orders and lines grow with it.")
        var size = 1

        @Option(help: "The same seed gives the same rows.")
        var seed: UInt64 = 1

        func validate() throws {
            guard (1...10_000).contains(size) else {
                throw ValidationError("--size must be from 1 to 10000.")
            }
        }

        func run() async throws {
            let (address, settings) = try options.load()
            try await SampleDatabase(size: size, seed: seed).make(
                address, connections: settings.centralConnections, console: progress.console)
        }
    }
#endif
