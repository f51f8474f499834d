#if Server
    import MoorageConfiguration
    import MoorageHub
    import NorthwindSample

    /// Fills a central database with the example's rows.
    struct SampleDatabase {
        let size: Int
        let seed: UInt64

        /// All of it in one transaction: a database that has these tables already is left alone. (MySQL
        /// keeps the tables that a broken attempt made, without rows.)
        func make(_ address: DatabaseAddress, connections: Int, console: Console) async throws {
            let dialect: NorthwindSample.Dialect =
                switch address {
                case .sqlite: .sqlite
                case .postgres: .postgres
                case .mysql: .mysql
                }
            console.progress("making rows")
            let sample = NorthwindSample(seed: seed, size: size)
            let schema = NorthwindSample.schema(for: dialect)
            let tables = sample.tables
            let database = try CentralAccess.open(
                address, connections: connections, missing: .isMade)
            do {
                try await database.withConnection { connection in
                    try connection.begin(.write)
                    for statement in schema { try connection.runStep(statement) }
                    for table in tables {
                        console.progress("filling \(table.table)")
                        for statement in table.statements(for: dialect) {
                            try connection.runStep(statement)
                        }
                    }
                    try connection.commit()
                }
            } catch let error as CentralError where error.kind == .failed {
                console.endProgress()
                throw CommandFailure.exampleFailed(error.message, in: address.description)
            }
            console.endProgress()
            console.print(
                """
                made  \(address.description): \(sample.rowCount) rows in \
                \(NorthwindSample.tableNames.count) tables
                """)
        }
    }
#endif
