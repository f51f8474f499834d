#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageHub
    import MoorageREST

    struct OpenAPI: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "openapi",
            abstract: "Prints what a user may do by plain HTTP, as OpenAPI 3.1.",
            discussion: """
                The document is the one that the server answers to the user at /v1/openapi.json, \
                with `rest: true`. Without --subject it is that of a program without a user.
                """)

        @OptionGroup var options: DatabaseOptions

        @Option(help: "The user: `sub` of the tokens.")
        var subject: String?

        @Option(
            name: .customLong("claim"),
            help: "A claim of --subject, as name=value; repeat one name for several values.")
        var claims: [String] = []

        func validate() throws {
            guard claims.isEmpty || subject != nil else {
                throw ValidationError("--claim needs --subject.")
            }
            guard claims.allSatisfy({ $0.dropFirst().contains("=") && !$0.hasPrefix("=") }) else {
                throw ValidationError("--claim takes name=value.")
            }
        }

        func run() async throws {
            let (address, settings) = try options.load()
            let service = RESTService(hub: try CentralAccess.hub(address, settings))
            let document = try await service.openAPIDocument(for: principal)
            Console(showsProgress: false).print(String(decoding: document, as: UTF8.self))
        }

        /// `nil` for a program without a user.
        private var principal: Principal? {
            subject.map { subject in
                var values: [String: [String]] = [:]
                for claim in claims {
                    guard let equals = claim.firstIndex(of: "=") else { continue }
                    values[String(claim[..<equals]), default: []]
                        .append(String(claim[claim.index(after: equals)...]))
                }
                return Principal(subject: subject, claims: values)
            }
        }
    }
#endif
