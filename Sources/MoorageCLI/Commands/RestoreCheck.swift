#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageHub
    import MoorageWire

    struct RestoreCheck: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore-check",
            abstract: "Says what happens when devices come back to a restored or moved database.",
            discussion: """
                Run it while the server is stopped, after you restored, moved or copied the central \
                database. It changes nothing. It says what the database last knew, what devices \
                have to do, and what you have to do first: with such a step the exit code is 1.
                """)

        @OptionGroup var options: DatabaseOptions

        @Option(help: "Count replicas that came, reported and pushed in the last so many days.")
        var days = 7

        @Flag(help: "One JSON object a line.")
        var json = false

        func validate() throws { try ListOptions.check(days: days) }

        func run() async throws {
            let (address, settings) = try options.load()
            let found = try await check(
                CentralAccess.hub(address, settings), at: address.description)
            let report = RestoreLines(arguments: options.repeated)
            let console = Console(showsProgress: false)
            let lines = json ? report.json(found) : report.text(found)
            lines.forEach { console.print($0) }
            guard !found.mayComeBack else { return }
            throw CommandFailure.restoreNeeds(
                DoctorReport.count(found.steps.count, "step"), in: address.description)
        }

        private func check(_ hub: Hub, at address: String) async throws -> RestoreReport {
            do {
                return try await hub.restoreCheck(seenWithin: .seconds(days * 86_400))
            } catch let error as HubError where error.code == .notAttached {
                throw CommandFailure.notAttachedAfterRestore(error.message, at: address)
            }
        }
    }
#endif
