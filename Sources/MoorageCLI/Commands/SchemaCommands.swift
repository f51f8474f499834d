#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageHub
    import MoorageWire

    struct SchemaCommands: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Shows a hub's tables, compares them, and says what replicas need of them.",
            subcommands: [SchemaShow.self, SchemaApp.self, Usage.self],
            defaultSubcommand: SchemaShow.self)

        struct Usage: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Says which replicas still need a table or a column.",
                discussion: """
                    It reads what each device last reported. Without --table it lists the versions \
                    of the app, and the columns that some replicas lack. With --table it says \
                    whether the table, or the column of --column, is safe to drop: the exit code \
                    is 0 then, and 1 where a replica may need it.
                    """)

            @OptionGroup var options: DatabaseOptions

            @Option(help: "May this table be dropped?")
            var table: String?

            @Option(help: "May this column of --table be dropped?")
            var column: String?

            @Option(
                help: """
                    Count the replicas that were seen in the last so many days; else those within \
                    the retention time.
                    """)
            var days: Int?

            @Flag(help: "One JSON object a line.")
            var json = false

            func validate() throws {
                if column != nil, table == nil {
                    throw ValidationError("--column needs --table.")
                }
                try ListOptions.check(days: days)
            }

            func run() async throws {
                let (address, settings) = try options.load()
                let hub = try CentralAccess.hub(address, settings)
                let time = days.map { Duration.seconds($0 * 86_400) }
                let console = Console(showsProgress: false)
                guard let table else {
                    let usage = try await hub.schemaUsage(seenWithin: time)
                    let lines = json ? UsageReport.json(usage) : UsageReport.lines(usage)
                    return lines.forEach { console.print($0) }
                }
                let report = DropReport(table: table, column: column)
                let check = try await check(table, on: hub, within: time)
                let lines = json ? report.json(check) : report.lines(check)
                lines.forEach { console.print($0) }
                guard !check.isSafe else { return }
                throw CommandFailure.stillNeeded(
                    report.name, by: DoctorReport.count(check.needCount, "replica"),
                    in: address.description)
            }

            private func check(
                _ table: String, on hub: Hub, within time: Duration?
            ) async throws -> DropCheck {
                do {
                    return try await hub.checkDrop(
                        ofTable: table, column: column, seenWithin: time,
                        limit: DropReport.maximumReplicas)
                } catch let error as HubError
                    where [.unknownTable, .unknownColumn].contains(error.code)
                {
                    throw CommandFailure.nothingToDrop(error.message)
                }
            }
        }
    }
#endif
