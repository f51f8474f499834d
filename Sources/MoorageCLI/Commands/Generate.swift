#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageGenerator
    import MoorageWire

    struct Generate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes source code from a schema file.", subcommands: [GenerateSwift.self])
    }

    struct GenerateSwift: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "swift",
            abstract: "Makes a record of GRDB for each table of a schema file.",
            discussion: """
                `moorage schema` makes the file. The same file and options give the same source, \
                byte for byte. With --check the exit code is 1 if the source is not the same.
                """)

        @Argument(help: ArgumentHelp("The schema file.", valueName: "file"))
        var file: String = SchemaFile.defaultName

        @Option(
            help: ArgumentHelp(
                "Write this source file, unless it has the same content already.",
                valueName: "file"))
        var output: String?

        @Option(
            help: ArgumentHelp(
                "Compare with this source file; write nothing.", valueName: "file"))
        var check: String?

        @Option(help: "Who may use the records.")
        var access = ChoiceArgument(ModelOptions.Access.internal)

        @Option(help: "How the records store UUIDs: as text, as the hub does, or as 16 bytes.")
        var uuids = ChoiceArgument(ModelOptions.UUIDs.text)

        func validate() throws {
            if output != nil, check != nil {
                throw ValidationError("--check writes nothing; leave out --output.")
            }
        }

        func run() throws {
            let schema = try GeneratedFile(path: file).schema()
            let source = schema.swiftModels(
                ModelOptions(access: access.choice, uuids: uuids.choice))
            let bytes = Array(source.utf8)
            let console = Console(showsProgress: false)
            if let output { return try GeneratedFile(path: output).write(bytes, console) }
            guard let check else {
                // Printing adds the last line break.
                return console.print(String(source.dropLast()))
            }
            guard try GeneratedFile(path: check).read() == bytes else {
                throw CommandFailure.sourceDiffers(check)
            }
            console.print("\(check) is what \(file) gives.")
        }
    }
#endif
