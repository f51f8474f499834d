#if Server || Tools
    import ArgumentParser

    /// The command `moorage-dev`: tools for people who work on Moorage or measure a server.
    @main
    struct DevCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "moorage-dev",
            abstract: "Simulates histories of Moorage, and puts load on its servers.",
            subcommands: subcommands)

        private static var subcommands: [any ParsableCommand.Type] {
            #if Server
                return [Simulate.self, Bench.self]
            #else
                return [Simulate.self]
            #endif
        }

        /// Simulated histories run on the main thread, which has the largest stack.
        @MainActor static func main() async {
            do {
                var command = try parseAsRoot()
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch {
                exit(withError: error)
            }
        }
    }
#endif
