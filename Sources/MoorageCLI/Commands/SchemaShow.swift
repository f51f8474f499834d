#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageCore
    import MoorageGenerator
    import MoorageWire

    struct SchemaShow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints the schema file of a hub, or compares it with one.",
            usage: "moorage schema <hub> [--output <file> | --check <file>]",
            discussion: """
                The schema file has the hub's tables as JSON. Keep it beside the app's sources, as \
                moorage.schema.json: `moorage generate swift` makes records from it. With --check \
                the exit code is 1 if the hub's tables have changed.
                """)

        @Argument(help: "The hub, as http(s)://host:port or a database URL.")
        var hub: String

        @Option(
            help: ArgumentHelp(
                "Write the file, unless it has the same content already.", valueName: "file"))
        var output: String?

        @Option(
            help: ArgumentHelp("Say what differs from this file; write nothing.", valueName: "file")
        )
        var check: String?

        @OptionGroup var options: HubOptions

        func validate() throws {
            if output != nil, check != nil {
                throw ValidationError("--check writes nothing; leave out --output.")
            }
        }

        func run() async throws {
            let access = try options.connect(hub)
            let answer = try await access.naming { try await access.connection.schema() }
            guard !answer.schema.tables.isEmpty else { throw CommandFailure.hubWithoutTables }
            for table in answer.suspended {
                Console.error(TextTable.shown("suspended  \(table.name): \(table.reason)"))
            }
            let found = SchemaFile(answer)
            let console = Console(showsProgress: false)
            if let check { return try compare(found, with: check, console) }
            if let output {
                return try GeneratedFile(path: output).write(found.encoded(), console)
            }
            // Printing adds the last line break.
            console.print(String(decoding: found.encoded().dropLast(), as: UTF8.self))
        }

        private func compare(
            _ found: SchemaFile, with path: String, _ console: Console
        ) throws(CommandFailure) {
            let differences = try GeneratedFile(path: path).schema().differences(to: found)
            guard !differences.isEmpty else {
                return console.print("\(path) is as the hub's tables.")
            }
            for difference in differences { console.print(TextTable.shown(difference)) }
            throw CommandFailure.schemaDiffers(
                DoctorReport.count(differences.count, "difference"), from: path)
        }
    }
#endif
