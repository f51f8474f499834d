#if Server
    import MoorageHub
    import MooragePostgres

    extension PostgresScratch {
        /// Makes the table of items, attaches it, and starts a server with it. Whoever calls it
        /// stops the server.
        func serve(
            _ items: [Item]
        ) async throws -> (link: PostgresLink, process: ServerProcess) {
            let link = try PostgresLink(url)
            try link.run(Item.postgresSchema)
            try link.upsert(items)
            _ = try await Hub(database: try PostgresDatabase(url: url)).attach(tables: ["item"])
            try link.run("VACUUM ANALYZE")
            return (link, try ServerProcess(database: url))
        }
    }
#endif
