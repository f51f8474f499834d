#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageWire

    struct Attach: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begins to track a central database, so that replicas can sync with it.",
            discussion: """
                Adds tables, functions and triggers named moorage…, and changes nothing of yours except \
                with --add-key. With --from it makes tables first. Run it again after a change of \
                the tables; it only does what is missing.
                """)

        @OptionGroup var options: DatabaseOptions
        @OptionGroup var progress: ProgressOptions

        @Option(
            name: .customLong("table"),
            help: ArgumentHelp(
                "Sync this table; again for more. Else those of the configuration, else all.",
                valueName: "name"))
        var tables: [String] = []

        @Option(
            name: .customLong("add-key"),
            help: ArgumentHelp(
                """
                Add a column moorage_key to this table, which has neither a primary key nor a unique \
                one; again for more. A detach removes it.
                """, valueName: "name"))
        var addKey: [String] = []

        @Option(
            help: ArgumentHelp(
                """
                Make the tables of this schema file that are not there, then attach. Tables that \
                exist stay as they are. A SQLite file is made where it is missing.
                """, valueName: "file"))
        var from: String?

        @Flag(help: "Print the SQL and do nothing.")
        var dryRun = false

        @Flag(
            help: """
                Begin a new epoch: after the database was restored from a backup, so that replicas \
                offer again what it lost.
                """)
        var newEpoch = false

        @Flag(
            help: """
                Give tables that had scopes, and have none in the configuration any more, to everyone.
                """)
        var unscope = false

        @OptionGroup var moving: MoveOptions

        func validate() throws {
            if dryRun, newEpoch || moving.hub != nil {
                throw ValidationError(
                    "--new-epoch and --hub change the database; leave out --dry-run.")
            }
        }

        func run() async throws {
            let (address, settings) = try options.load()
            let names = tables.isEmpty ? settings.tables?.map(\.name) : tables
            let file = try from.map { try GeneratedFile(path: $0).schema() }
            let database = try CentralAccess.open(
                address, connections: settings.centralConnections,
                missing: file == nil ? .fails : dryRun ? .isEmpty : .isMade)
            let hub = Hub(database: database, configuration: settings.hub)
            let console = progress.console
            var new: NewTables?
            if let file { new = try await NewTables(of: file, at: address, in: database) }
            if dryRun { return try await printPlan(names, of: hub, after: new, console) }
            try await new?.make(in: database, console)
            let report = try await attach(names, to: hub, at: address.description, console)
            console.endProgress()
            for table in report.attached { console.print("attached  \(table.name)") }
            for name in report.removed { console.print("detached  \(name)") }
            for table in report.unsupported {
                console.print("left out  \(table.name): \(table.reason)")
            }
            if !report.unsupported.isEmpty {
                console.print(
                    "`moorage doctor` prints the SQL that mends this, where there is any.")
            }
            try checkRules(settings, attached: report.attached)
            guard !report.attached.isEmpty else {
                throw CommandFailure.noTableToSync(address.description)
            }
            // Columns and rights that do not fit would stop every exchange.
            _ = try await hub.schema()
            if newEpoch || moving.hub != nil {
                console.print("A new epoch has begun: every replica reconciles.")
            }
        }

        /// Prints what the command would do. The statements that track a table depend on the table
        /// itself, so with new tables there is no plan yet.
        private func printPlan(
            _ names: [String]?, of hub: Hub, after new: NewTables?, _ console: Console
        ) async throws {
            if let new, !new.statements.isEmpty {
                for statement in new.statements { console.print(statement + ";") }
                return console.print(
                    "-- Once these tables exist, the same command prints how they are tracked.")
            }
            let plan = try await hub.attachPlan(tables: names, addingKeysTo: addKey)
            for step in plan { console.print(step + ";") }
        }

        private func attach(
            _ names: [String]?, to hub: Hub, at address: String, _ console: Console
        ) async throws -> AttachReport {
            do {
                return try await hub.attach(
                    tables: names, newEpoch: newEpoch, unscoping: unscope, addingKeysTo: addKey,
                    continuing: moving.move
                ) {
                    console.progress($0)
                }
            } catch let error as HubError where error.code == .differentHub {
                throw CommandFailure.attachedAsOtherHub(error.message, at: address)
            }
        }

        /// A rule for a column that does not exist is a slip of the pen, and one that does not fit would
        /// stop every exchange.
        private func checkRules(
            _ settings: MoorageConfiguration, attached: [TableDescription]
        ) throws {
            for table in settings.tables ?? [] {
                guard let found = attached.first(where: { $0.name == table.name }) else { continue }
                for column in table.rules.columns.keys.sorted()
                where found.column(named: column) == nil {
                    throw CommandFailure.ruleWithoutColumn(
                        column, of: table.name,
                        next: NearestName.question(
                            for: column, among: found.columns.map(\.name)))
                }
                if let problem = table.rules.problem(in: found) {
                    throw CommandFailure(problem, exit: .configuration)
                }
            }
        }
    }

    struct Detach: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes every trace of Moorage from a central database.",
            discussion: """
                Replicas cannot sync with it afterwards, not even when it is attached again. Your \
                tables and their rows stay as they are. Columns that --add-key added are removed.
                """)

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let (address, settings) = try options.load()
            try await CentralAccess.hub(address, settings).detach()
            Console(showsProgress: false).print("detached  \(address.description)")
        }
    }
#endif
