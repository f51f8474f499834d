#if Server
    import GRDB
    import Moorage
    import MoorageConfiguration
    import MoorageCore

    /// One of the demo's databases, written with plain SQL as its owner's programs would.
    struct DemoDatabase: Sendable {
        let name: String
        let queue: DatabaseQueue

        init(name: String, path: String) throws {
            self.name = name
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            queue = try DatabaseQueue(path: path, configuration: configuration)
        }

        /// One transaction.
        func write(_ statements: String...) async throws {
            try await queue.write { db in
                for statement in statements { try db.execute(sql: statement) }
            }
        }

        /// Makes a replica's edits that were not pushed yet an hour older.
        func makeEditsOlder() async throws {
            try await queue.write { db in
                let logs = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'table' AND name GLOB '_moorage_log_*'
                        """)
                for log in logs {
                    try db.execute(
                        sql: "UPDATE \(log.quotedDatabaseIdentifier) SET at = at - 3600000")
                }
            }
        }

        func text(_ sql: String) async throws -> String {
            try await queue.read { try String.fetchOne($0, sql: sql) ?? "NULL" }
        }

        func integer(_ sql: String) async throws -> Int64 {
            try await queue.read { db in
                guard let number = try Int64.fetchOne(db, sql: sql) else {
                    throw CommandFailure.demoRowMissing(sql)
                }
                return number
            }
        }

        /// Every row of a table, by key.
        func rows(_ table: TableDescription) async throws -> [RowKey: [Value]] {
            let columns = table.columns.map { $0.name.quotedDatabaseIdentifier }
            let sql = """
                SELECT \(columns.joined(separator: ", "))
                FROM \(table.name.quotedDatabaseIdentifier)
                """
            return try await queue.read { db in
                var result: [RowKey: [Value]] = [:]
                let rows = try Row.fetchCursor(db, sql: sql)
                while let row = try rows.next() {
                    let values = row.databaseValues.map { Value($0) } as [Value]
                    result[table.key(of: values)] = values
                }
                return result
            }
        }

        /// Rows that refer to nothing.
        func brokenReferences() async throws -> Int {
            try await queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count }
        }
    }

    extension Value {
        init(_ value: DatabaseValue) {
            switch value.storage {
            case .null: self = .null
            case .int64(let number): self = .integer(number)
            case .double(let number): self = .real(number)
            case .string(let text): self = .text(text)
            case .blob(let data): self = .blob(Array(data))
            }
        }
    }
#endif
