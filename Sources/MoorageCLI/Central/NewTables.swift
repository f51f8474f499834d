#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageGenerator
    import MoorageHub
    import MoorageWire
    import SQLiteSupport

    /// The tables of a schema file that a central database does not have yet.
    ///
    /// A table that exists is never changed, also if it has other columns than the file says.
    struct NewTables {
        private let address: DatabaseAddress
        private let dialect: TableDialect
        /// In the order in which they can be made.
        let names: [String]
        /// What makes them, in this order: the tables with their indexes and foreign keys.
        let statements: [String]

        /// PostgreSQL's limit, the lowest of the databases.
        private static let maximumNameBytes = 63

        /// Finds out which tables the database lacks.
        ///
        /// - Throws: ``CommandFailure`` for a name that is too long for a database.
        init(
            of file: SchemaFile, at address: DatabaseAddress, in database: any CentralDatabase
        ) async throws {
            self.address = address
            dialect =
                switch address {
                case .sqlite: .sqlite
                case .postgres: .postgres
                case .mysql: .mysql
                }
            let existing = try await database.withConnection { connection in
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                return try connection.readTables().map(\.name)
            }
            let known = Set(existing.map { Self.identifier($0, at: address) })
            names = file.schema.tables.map(\.name).filter {
                !known.contains(Self.identifier($0, at: address))
            }
            statements =
                names.isEmpty ? [] : file.createStatements(forTables: names, in: dialect)
            // PostgreSQL would cut them, and another run would not find the table.
            for table in file.schema.tables where contains(table.name) {
                let longest = ([table.name] + table.columns.map(\.name)).map(\.utf8.count).max()
                guard let longest, longest > Self.maximumNameBytes else { continue }
                throw CommandFailure.tablesNotMade(
                    table.name,
                    "Its name, or that of a column, has more than \(Self.maximumNameBytes) bytes.",
                    made: [], in: address.description)
            }
        }

        /// SQLite ignores the case of ASCII letters in names, and so do MariaDB and MySQL on some
        /// platforms.
        private static func identifier(_ name: String, at address: DatabaseAddress) -> Identifier {
            if case .postgres = address { return Identifier(name) }
            return Identifier(SQLText.folded(name))
        }

        func contains(_ name: String) -> Bool { names.contains { $0.hasSameBytes(as: name) } }

        /// Makes the tables, all of them or none. MariaDB and MySQL commit each statement, so what
        /// was made there stays after a failure.
        func make(in database: any CentralDatabase, _ console: Console) async throws {
            if statements.isEmpty { return }
            var made: [String] = []
            for steps in dialect == .mysql ? statements.map({ [$0] }) : [statements] {
                console.progress("making \(table(of: steps[0]))")
                do {
                    try await database.withConnection { [isWhole = dialect != .mysql] in
                        try Self.run(steps, on: $0, isWhole: isWhole)
                    }
                } catch let failure as StatementFailure {
                    console.endProgress()
                    // The second run would not complete a table that is there. A server may have made
                    // one before its answer was lost.
                    let last = table(of: failure.statement)
                    if dialect == .mysql, failure.error.kind == .unavailable, !made.contains(last) {
                        made.append(last)
                    }
                    guard Self.isOfStatement(failure.error) || !made.isEmpty else {
                        throw failure.error
                    }
                    throw CommandFailure.tablesNotMade(
                        last, failure.error.message, made: made, in: address.description)
                }
                let table = table(of: steps[0])
                if !made.contains(table) { made.append(table) }
            }
            console.endProgress()
            for name in names { console.print("made  \(name)") }
        }

        private struct StatementFailure: Error {
            let statement: String
            let error: CentralError
        }

        /// - Parameter isWhole: Whether one transaction can have all of them.
        private static func run(
            _ statements: [String], on connection: any CentralConnection, isWhole: Bool
        ) throws {
            var current = statements[0]
            do {
                try connection.retryingConflicts {
                    defer { connection.rollback() }
                    if isWhole { try connection.begin(.write) }
                    for statement in statements {
                        current = statement
                        try connection.runStep(statement)
                    }
                    if isWhole { try connection.commit() }
                }
            } catch let error as CentralError {
                throw StatementFailure(statement: current, error: error)
            }
        }

        /// Whether the same statement would fail again.
        private static func isOfStatement(_ error: CentralError) -> Bool {
            switch error.kind {
            case .refused, .failed, .invalidCheckpoint: true
            case .conflict, .unavailable: false
            }
        }

        /// The table that a statement makes, or completes: the first one that it names.
        private func table(of statement: String) -> String {
            let named = names.compactMap { name in
                statement.firstRange(of: dialect.name(name))
                    .map { (name: name, place: $0.lowerBound) }
            }
            return named.min { $0.place < $1.place }?.name ?? String(statement.prefix(60))
        }
    }
#endif
