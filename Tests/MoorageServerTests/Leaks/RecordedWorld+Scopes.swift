#if Server
    import GRDB
    import Moorage
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import Testing

    /// What belongs to whom, and whether a user got or changed anything else.
    extension RecordedWorld {
        /// Checks all that was received since the last check.
        func check(_ place: Int) throws {
            let user = users[place]
            try remember()
            let allowed = seen[user.name, default: []].union(everHeld[user.name, default: []])
            for exchange in user.transport.drain() {
                exchanges += 1
                received += exchange.received.count
                let leaked = exchange.received.subtracting(allowed).subtracting(exchange.sent)
                if !leaked.isEmpty { leaks.append("\(user.name) was told \(leaked)") }
            }
        }

        func checkWrites(
            _ place: Int, _ before: [RowName: [Value]], _ visible: Set<RowName>
        ) throws {
            let name = users[place].name
            let after = try rows()
            let visibleAfter = try self.visible(to: name)
            for (row, values) in before where !visible.contains(row) {
                #expect(after[row] == values, "\(name) changed \(row), which was not theirs")
            }
            for row in after.keys where before[row] == nil {
                #expect(visibleAfter.contains(row), "\(name) made \(row), which is not theirs")
            }
        }

        private func query(_ sql: String) throws -> [[Value]] {
            try central.perform { try $0.run(sql, []) }
        }

        private static func name(_ table: String, _ row: [Value]) -> RowName {
            let width = ["member", "seat"].contains(table) ? 2 : 1
            return RowName(table: table, key: RowKey(Array(row.prefix(width))))
        }

        func rows() throws -> [RowName: [Value]] {
            var rows: [RowName: [Value]] = [:]
            for table in Self.tables {
                for row in try query("SELECT * FROM \(table)") {
                    rows[Self.name(table, row)] = row
                }
            }
            return rows
        }

        /// The rows of each scope, without the column that nobody may see, from the rules written
        /// once more.
        private func scopes() throws -> [String: [RowName: [Value]]] {
            var scopes: [String: [RowName: [Value]]] = [:]
            func add(_ table: String, _ scope: String, _ condition: String) throws {
                let columns = table == "project" ? "id, owner, name, code" : "*"
                for row in try query("SELECT \(columns) FROM \(table) WHERE \(condition)") {
                    scopes[scope, default: [:]][Self.name(table, row)] = row
                }
            }
            for name in Self.names {
                let own = """
                    (owner = '\(name)' OR EXISTS (
                      SELECT 1 FROM member m WHERE m.project = project.id AND m.person = '\(name)'))
                    """
                try add("project", name, own)
                for table in ["task", "member"] {
                    try add(table, name, "project IN (SELECT id FROM project WHERE \(own))")
                }
                try add("seat", name, "person = '\(name)'")
            }
            for team in ["team1", "team2"] { try add("memo", team, "team = '\(team)'") }
            try add("product", "*", "1")
            return scopes
        }

        private func authorizedScopes(of name: String) throws -> [String] {
            ["*", name]
                + (try query("SELECT team FROM seat WHERE person = '\(name)'")).compactMap {
                    if case .text(let team) = $0[0] { team } else { nil }
                }
        }

        func visible(to name: String) throws -> Set<RowName> {
            let scopes = try scopes()
            return try authorizedScopes(of: name).reduce(into: []) {
                $0.formUnion((scopes[$1] ?? [:]).keys)
            }
        }

        func remember() throws {
            let scopes = try scopes()
            for (scope, rows) in scopes {
                for row in rows.keys {
                    everIn[scope, default: []].formUnion(Self.canaries(row.key.values))
                }
            }
            for name in Self.names {
                for scope in try authorizedScopes(of: name) {
                    everHeld[name, default: []].formUnion(everIn[scope] ?? [])
                    for row in (scopes[scope] ?? [:]).values {
                        seen[name, default: []].formUnion(Self.canaries(row))
                    }
                }
            }
        }

        private static func canaries(_ values: [Value]) -> Set<Canary> {
            values.reduce(into: []) { canaries, value in
                if case .text(let text) = value {
                    canaries.formUnion(Canary.all(in: Array(text.utf8)))
                }
            }
        }

        /// At the end each user has exactly what is theirs.
        func finish() async throws {
            for (place, user) in users.enumerated() {
                for _ in 0..<50 {
                    if try await user.replica.sync().isCaughtUp { break }
                }
                try check(place)
                var held: Set<RowName> = []
                for table in Self.tables {
                    let keys = ["member", "seat"].contains(table) ? 2 : 1
                    let rows = try await user.file.read { db in
                        try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { row in
                            (0..<keys).map { row[$0] as String }
                        }
                    }
                    for row in rows {
                        held.insert(
                            RowName(table: table, key: RowKey(row.map { .text($0) })))
                    }
                }
                #expect(held == (try visible(to: user.name)), "\(user.name) has what is theirs")
            }
        }
    }
#endif
