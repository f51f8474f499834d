#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import MoorageServer

    /// The command `moorage`.
    @main
    struct MoorageCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "moorage",
            abstract: "Keeps apps' SQLite databases and your own central database the same.",
            discussion: """
                Databases are URLs: sqlite:path, postgres://user@host:5432/name or, for MariaDB and \
                MySQL, mysql://user@host:3306/name. A hub is a server's URL, or a database URL to work \
                on the central database directly.

                Settings come from moorage.yaml; flags win over it. Secrets never go on a command \
                line: the shared secret or a token comes from MOORAGE_SECRET, --secret-file or the \
                configuration, a database's password from '${NAME}' in its URL.

                Exit codes: 0 done, 1 failed (also if a comparison found a difference, the doctor a \
                problem, schema usage a replica in need, restore-check a step to do first), 64 a \
                wrong command line, 69 done but for suspended tables, 75 not now, try again, 77 the \
                secret was not accepted, 78 a mistake in the configuration.
                """,
            version: HubServer.version,
            subcommands: [
                Attach.self, Detach.self, Doctor.self, RestoreCheck.self, Serve.self, Clone.self,
                Sync.self, Status.self, Pending.self, Inspect.self, Verify.self, Conflicts.self,
                Replicas.self, SchemaCommands.self, OpenAPI.self, Generate.self, Audit.self,
                Export.self, Forget.self, Token.self, Demo.self, Sample.self,
            ])

        static func main() async {
            do {
                var command = try read(Array(CommandLine.arguments.dropFirst()))
                do {
                    if var command = command as? any AsyncParsableCommand {
                        try await command.run()
                    } else {
                        try command.run()
                    }
                } catch  where Self.isOwn(error) {
                    throw error
                } catch {
                    throw CommandFailure(explaining: error)
                }
            } catch let failure as CommandFailure {
                Console.error(failure.description)
                Foundation.exit(failure.exit.rawValue)
            } catch {
                exit(withError: error)
            }
        }

        /// Reads the arguments. For the parser, an unknown command is a place too many.
        static func read(_ arguments: [String]) throws -> any ParsableCommand {
            let names = configuration.subcommands.map { $0._commandName } + ["help"]
            if let name = arguments.first, !name.hasPrefix("-"), !names.contains(name) {
                throw CommandFailure.unknownCommand(HubAddress.shown(name), among: names)
            }
            return try parseAsRoot(arguments)
        }

        /// Help, and mistakes in the command line: the argument parser explains them itself.
        private static func isOwn(_ error: any Error) -> Bool { exitCode(for: error) != .failure }
    }
#endif
