#if Server
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import Testing

    /// A hub with notes whose server keeps answers open.
    struct LiveServerBench: Sendable {
        let central: SQLiteDatabase
        let hub: Hub

        init(_ change: (inout LivePolicy) -> Void = { _ in }) async throws {
            central = try SQLiteDatabase()
            try central.execute(
                "CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, text TEXT)")
            var configuration = HubConfiguration()
            configuration.live.interval = .milliseconds(5)
            change(&configuration.live)
            hub = Hub(database: central, configuration: configuration)
            _ = try await hub.attach()
        }

        static func body(_ number: Int, cursor: SyncCursor = .start) -> [UInt8] {
            let digits = String(String(1_000_000_000_000 + number).dropFirst())
            return ExchangeRequest(
                replica: "00000000-0000-4000-8000-" + digits, hub: nil, sentAt: 0,
                tables: [TableColumns(name: "note", columns: ["id", "text"])], cursor: cursor,
                schemaVersion: nil, batch: nil, limits: PageLimits(maximumPages: 100),
                isLive: true
            ).encoded()
        }

        /// Opens an answer on a connection of its own, and reads until it is open.
        func open(
            _ server: RunningServer, _ number: Int, cursor: SyncCursor = .start,
            secret: String = Sample.secret, receiveBuffer: Int32? = nil
        ) async throws -> RawConnection {
            let connection = try server.connect(receiveBuffer: receiveBuffer)
            await connection.send(
                RunningServer.request(
                    "POST", "/v1/exchange", secret: secret,
                    fields: ["Connection: close", "Accept-Encoding: gzip"],
                    body: Self.body(number, cursor: cursor)))
            let head = try #require(await connection.read(through: "\r\n\r\n"))
            #expect(!head.lowercased().contains("content-encoding"))
            #expect(head.lowercased().contains("x-accel-buffering: no"))
            _ = try #require(await connection.read(through: #""caughtUp":true"#))
            return connection
        }
    }
#endif
