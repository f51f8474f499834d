#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire

    struct SchemaApp: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "app",
            abstract:
                "Compares the tables of an app's SQLite file with a schema file, or makes one.",
            discussion: """
                The file is one that the app's migrations made, for example in a test. It is only \
                read. The exit code is 1 if a replica could not sync it. Tables that it lacks do \
                not count. With --output the schema file is made from the app's own tables: \
                `moorage attach --from` makes them in a central database.
                """)

        @Argument(help: "The app's SQLite file.")
        var file: String

        @Option(
            help: ArgumentHelp(
                "The schema file; else \(SchemaFile.defaultName).", valueName: "file"))
        var schema: String?

        @Option(
            help: ArgumentHelp(
                "Make this schema file from the app's tables; compare nothing.", valueName: "file"))
        var output: String?

        func validate() throws {
            if schema != nil, output != nil {
                throw ValidationError("--output compares nothing; leave out --schema.")
            }
        }

        func run() async throws {
            let console = Console(showsProgress: false)
            if let output { return try await write(GeneratedFile(path: output), console) }
            let path = schema ?? SchemaFile.defaultName
            let known = try GeneratedFile(path: path).schema()
            let differences = try await AppFile(path: file).differences(from: known.schema)
            guard !differences.isEmpty else {
                return console.print("\(file) can sync the tables of \(path).")
            }
            for difference in differences { console.print(TextTable.shown(difference)) }
            throw CommandFailure.appDiffers(
                DoctorReport.count(differences.count, "difference"), in: file)
        }

        private func write(_ output: GeneratedFile, _ console: Console) async throws {
            let answer = try await AppFile(path: file).tables()
            for table in answer.suspended {
                Console.error(TextTable.shown("left out  \(table.name): \(table.reason)"))
            }
            guard !answer.schema.tables.isEmpty else { throw CommandFailure.noTableInApp(file) }
            try output.write(SchemaFile(answer).encoded(), console)
        }
    }
#endif
