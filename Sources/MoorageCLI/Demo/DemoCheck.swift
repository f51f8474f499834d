#if Server
    import MoorageCore
    import MoorageWire

    /// Compares databases row by row, without asking the hub: the demo does not take its word.
    struct DemoCheck {
        let tables: [TableDescription]

        /// What differs between two databases, a line each.
        func differences(_ left: DemoDatabase, _ right: DemoDatabase) async throws -> [String] {
            var result: [String] = []
            for table in tables {
                let mine = try await left.rows(table)
                let theirs = try await right.rows(table)
                for key in Set(mine.keys).union(theirs.keys) {
                    switch (mine[key], theirs[key]) {
                    case (let mine?, let theirs?) where table.equal(mine, theirs): continue
                    case (.some, .some): result.append(line(table, key, "differs"))
                    case (.some, nil): result.append(line(table, key, "only in \(left.name)"))
                    default: result.append(line(table, key, "only in \(right.name)"))
                    }
                }
            }
            return result.sorted()
        }

        func rowCount(_ database: DemoDatabase) async throws -> Int {
            var count = 0
            for table in tables { count += try await database.rows(table).count }
            return count
        }

        private func line(_ table: TableDescription, _ key: RowKey, _ what: String) -> String {
            "\(table.name) \(key.values.jsonText()): \(what)"
        }
    }
#endif
