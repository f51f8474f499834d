#if Server
    import ArgumentParser
    import MoorageConfiguration

    /// The central database a command works on.
    struct DatabaseOptions: ParsableArguments {
        @Argument(
            help: """
                sqlite:path, postgres://user@host/name or mysql://user@host/name; else `database` of \
                the configuration.
                """)
        var database: String?

        @OptionGroup var configuration: ConfigurationOptions

        /// The arguments that name the same database and configuration to another command.
        var repeated: [String] {
            (database.map { [$0] } ?? []) + (configuration.config.map { ["--config", $0] } ?? [])
        }

        func load() throws(CommandFailure) -> (DatabaseAddress, MoorageConfiguration) {
            let settings = try configuration.load()
            if let database {
                let address = try DatabaseAddress(
                    argument: database, environment: configuration.environment)
                return (address, settings)
            }
            guard let address = settings.database?.address else {
                throw CommandFailure.noDatabaseNamed
            }
            return (address, settings)
        }
    }

    /// The hub of a replica's file, which may name it.
    struct RememberedHub: ParsableArguments {
        @Option(
            name: .customLong("hub"),
            help: """
                The hub: http(s)://host:port, or a database URL. Else the one that the file was last \
                synced with.
                """)
        var address: String?

        /// - Returns: The hub, and its address as it was given.
        func connect(
            _ file: String, _ options: HubOptions
        ) async throws -> (HubAccess, address: String) {
            if let address { return (try options.connect(address), address) }
            guard let known = try await ReplicaFile(path: file).rememberedHub() else {
                if HubAddress.isNamed(by: file) { throw CommandFailure.hubInsteadOfFile(file) }
                // This throws the right error for a file that is not a replica.
                _ = try await ReplicaFile(path: file).replica(.none)
                throw CommandFailure.noHubRemembered(file)
            }
            return (try options.connect(known), known)
        }
    }

    extension HubOptions {
        /// The hub that a replica syncs with.
        func connect(_ hub: String) throws -> HubAccess {
            let address = try self.address(hub)
            if case .direct = address, limitsTrust {
                throw CommandFailure.trustWithDatabase
            }
            return try HubAccess.connect(address, configuration.load(), trusting: trust())
        }
    }
#endif
