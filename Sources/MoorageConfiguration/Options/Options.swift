#if Server
    package import ArgumentParser
    import Foundation
    import Moorage
    package import MoorageAsyncHTTP
    import MoorageServer
    import MoorageWire

    /// Where the settings come from. A flag takes precedence over the environment, and the
    /// environment over the file.
    package struct ConfigurationOptions: ParsableArguments {
        @Option(help: "The configuration file; moorage.yaml where it is there.")
        package var config: String?

        @Option(help: "A file that holds the shared secret. Else: MOORAGE_SECRET, then the file.")
        var secretFile: String?

        package init() {}

        package var environment: [String: String] { ProcessInfo.processInfo.environment }

        package func load() throws(CommandFailure) -> MoorageConfiguration {
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

    /// Whether long work reports its progress.
    package struct ProgressOptions: ParsableArguments {
        @Flag(inversion: .prefixedNo, help: "Tell how far long work is; so on a terminal.")
        var progress: Bool?

        package init() {}

        package var console: Console { Console(showsProgress: progress ?? Console.isTerminal) }
    }

    /// How to reach a hub.
    package struct HubOptions: ParsableArguments {
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

        @OptionGroup package var configuration: ConfigurationOptions

        package init() {}

        /// Whether an option says which server to trust.
        package var limitsTrust: Bool { caFile != nil || !pins.isEmpty }

        /// The address of the hub that an argument names.
        package func address(_ hub: String) throws(CommandFailure) -> HubAddress {
            try HubAddress(
                argument: hub, environment: configuration.environment,
                allowPlainHTTP: allowPlainHttp)
        }

        /// Which server to trust.
        package func trust() throws(CommandFailure) -> ServerTrust {
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
