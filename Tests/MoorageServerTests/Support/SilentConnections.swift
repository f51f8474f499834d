#if Server
    import MoorageCore
    import MoorageServer
    import Testing

    /// Connections that say nothing, or never finish a request, at a server that serves others
    /// meanwhile.
    ///
    /// Each takes two descriptors of this process, which has both ends.
    struct SilentConnections {
        let count: Int
        /// How many connections the server accepts.
        let limit: Int

        func run() async throws {
            try await RunningServer.run(limits: HubServer.Limits(maximumConnections: limit)) {
                server in
                var silent: [RawConnection] = []
                for number in 1...count {
                    let connection = try server.connect()
                    if number % 3 == 0 { await connection.send("GET /v1/schema HT") }
                    silent.append(connection)
                    guard number % (count / 10) == 0 else { continue }
                    #expect(try await server.ask("GET", "/v1/schema").status == 200)
                }
                let health = try await server.ask("GET", "/health", secret: nil)
                #expect(health.status == 200)
                // The server keeps no more connections than it may.
                let open = try JSON(parsing: health.body)["connections"]
                guard case .number(let text)? = open else {
                    Issue.record("The health report names no connections.")
                    return
                }
                #expect(try #require(Int(text)) <= limit)
                #expect(silent.count == count)
            }
        }
    }
#endif
