#if Server
    import ArgumentParser
    import Foundation
    import MoorageServer
    import MoorageWire

    /// Where the settings come from; a flag wins over the environment, that over the file.
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
                    throw CommandFailure(
                        "The secret cannot be read.", at: secretFile,
                        next: "See that the file is there and holds one line of text.",
                        exit: .configuration)
                }
                return .init(text: text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            return environment["MOORAGE_SECRET"].map { .init(text: $0) }
        }
    }

    /// The central database a command works on.
    struct DatabaseOptions: ParsableArguments {
        @Argument(
            help: "sqlite:path or postgres://user@host/name; else `database` of the configuration.")
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
                throw CommandFailure(
                    "No database was named.",
                    next: "Give its URL, or set `database` in moorage.yaml.", exit: .usage)
            }
            return (address, settings)
        }
    }

    struct ProgressOptions: ParsableArguments {
        @Flag(inversion: .prefixedNo, help: "Tell how far long work is; so on a terminal.")
        var progress: Bool?

        var console: Console { Console(showsProgress: progress ?? Console.isTerminal) }
    }

    /// The hub that a replica syncs with.
    struct HubOptions: ParsableArguments {
        @Flag(help: "Let secret and rows go unencrypted over a network that is private.")
        var allowPlainHttp = false

        @OptionGroup var configuration: ConfigurationOptions

        func address(_ text: String) throws(CommandFailure) -> HubAddress {
            try HubAddress(
                argument: text, environment: configuration.environment,
                allowPlainHTTP: allowPlainHttp)
        }
    }
#endif
