#if Server
    import ArgumentParser
    import Foundation
    import Moorage
    import MoorageAsyncHTTP
    import MoorageServer
    import MoorageWire

    /// Where the settings come from. A flag takes precedence over the environment, and the
    /// environment over the file.
    struct ConfigurationOptions: ParsableArguments {
        @Option(help: "The configuration file; moorage.yaml where it is there.")
        var config: String?

        @Option(help: "A file that holds the shared secret. Else: MOORAGE_SECRET, then the file.")
        var secretFile: String?

        var environment: [String: String] { ProcessInfo.processInfo.environment }

        func load() throws(CommandFailure) -> MoorageConfiguration {
            var result = MoorageConfiguration()
            if let config {
                result = try .load(config, environment: environment)
            } else if FileManager.default.fileExists(atPath: "moorage.yaml") {
                result = try .load("moorage.yaml", environment: environment)
            }
            if let secret = try overridingSecret() {
                do {
                    _ = try SharedSecret(secret.text)
                } catch {
                    throw CommandFailure(
                        error.message, at: secretFile ?? "MOORAGE_SECRET", exit: .configuration)
                }
                result.secret = MoorageConfiguration.SecretText(text: secret.text)
            }
            return result
        }

        private func overridingSecret() throws(CommandFailure)
            -> MoorageConfiguration.SecretText?
        {
            if let secretFile {
                guard let data = FileManager.default.contents(atPath: secretFile),
                    let text = String(bytes: data, encoding: .utf8)
                else {
                    throw CommandFailure.unreadableSecret(secretFile)
                }
                return .init(text: text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            return environment["MOORAGE_SECRET"].map { .init(text: $0) }
        }
    }

    /// The central database a command works on.
    struct DatabaseOptions: ParsableArguments {
        @Argument(
            help: """
                sqlite:path, postgres://user@host/name or mysql://user@host/name; else `database` of \
                the configuration.
                """)
        var database: String?

        @OptionGroup var configuration: ConfigurationOptions

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

    struct ProgressOptions: ParsableArguments {
        @Flag(inversion: .prefixedNo, help: "Tell how far long work is; so on a terminal.")
        var progress: Bool?

        var console: Console { Console(showsProgress: progress ?? Console.isTerminal) }
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
                if (try? HubAddress(argument: file, environment: [:], allowPlainHTTP: true)) != nil
                {
                    throw CommandFailure.hubInsteadOfFile(file)
                }
                // This throws the right error for a file that is not a replica.
                _ = try await ReplicaFile(path: file).replica(.none)
                throw CommandFailure.noHubRemembered(file)
            }
            return (try options.connect(known), known)
        }
    }

    /// How to reach the hub that a replica syncs with.
    struct HubOptions: ParsableArguments {
        @Flag(help: "Let secret and rows go unencrypted over a network that is private.")
        var allowPlainHttp = false

        @Option(
            help: ArgumentHelp(
                "Certificate authorities (PEM) to trust instead of the system's.", valueName: "file"
            ))
        var caFile: String?

        @Option(
            name: .customLong("pin"),
            help: ArgumentHelp(
                "A key of which the server must show one, as sha256/… of its public key; again for more.",
                valueName: "pin"))
        var pins: [String] = []

        @OptionGroup var configuration: ConfigurationOptions

        func connect(_ hub: String) throws -> HubAccess {
            let address = try HubAddress(
                argument: hub, environment: configuration.environment,
                allowPlainHTTP: allowPlainHttp)
            if case .direct = address, caFile != nil || !pins.isEmpty {
                throw CommandFailure.trustWithDatabase
            }
            return try HubAccess.connect(address, configuration.load(), trusting: trust())
        }

        func trust() throws(CommandFailure) -> ServerTrust {
            var authorities: [UInt8]?
            if let caFile {
                guard let data = FileManager.default.contents(atPath: caFile) else {
                    throw CommandFailure.unreadableAuthorities(caFile)
                }
                authorities = Array(data)
            }
            do {
                var keys: Set<KeyPin> = []
                for pin in pins { keys.insert(try KeyPin(pin)) }
                return try ServerTrust(authorities: authorities, pins: keys)
            } catch {
                throw CommandFailure(error.message, exit: .usage)
            }
        }
    }
#endif
