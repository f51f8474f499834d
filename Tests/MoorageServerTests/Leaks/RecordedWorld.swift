#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import MoorageTesting
    import MoorageWire
    import Testing

    @testable import MoorageServer

    /// An office, three users with their replicas, and a second device of each user that sends what
    /// no honest one would. All files have one clock, which moves with each step: a seed gives the
    /// same history each time.
    actor RecordedWorld {
        nonisolated let hub: Hub
        let central: SQLiteDatabase
        private let disk: SimulatedDisk
        private var random: SeededGenerator
        private(set) var users: [User] = []
        private var canaries = 0
        var exchanges = 0
        var leaks: [String] = []
        private var forged = 0
        /// Forged batches that were taken, and forged questions that were answered.
        private(set) var accepted = 0
        private(set) var compared = 0
        var received = 0
        /// Canaries of values of rows that a user could see at some time.
        var seen: [String: Set<Canary>] = [:]
        /// Canaries of keys by scope: those that were in the scope at any time.
        var everIn: [String: Set<Canary>] = [:]
        /// Canaries of keys by user: those that were in a scope before or while the user had it.
        /// The hub may have to tell the user to drop them.
        var everHeld: [String: Set<Canary>] = [:]

        struct User {
            let name: String
            let connection: HTTPHubConnection
            let transport: RecordingTransport
            let replica: Replica
            let file: DatabaseQueue
            var forgedBatches: Int64 = 0
            /// All cursors that the hub ever made for it.
            var forgedCursors: [SyncCursor] = []
        }

        static let names = ["ann", "bob", "carl"]
        static let tables = ["project", "task", "member", "seat", "memo", "product"]

        static func signIn() throws -> SignIn {
            SignIn(
                apiKeys: try names.map {
                    APIKey(
                        name: $0, key: try SharedSecret("key-of-\($0)-0123456789"), subject: $0,
                        claims: ["name": [$0]])
                })
        }

        /// - Parameter open: A table whose rule is left out, so that everyone gets its rows.
        init(seed: UInt64, leaving open: String? = nil) async throws {
            random = SeededGenerator(seed: seed)
            disk = try SimulatedDisk(seed: seed)
            disk.clock = 1_700_000_000_000
            var memory = Configuration()
            memory.foreignKeysEnabled = true
            central = SQLiteDatabase(queue: try disk.memory(configuration: memory))
            try central.execute(
                """
                CREATE TABLE project (
                  id TEXT NOT NULL PRIMARY KEY, owner TEXT, name TEXT NOT NULL, code TEXT UNIQUE,
                  secret TEXT);
                CREATE TABLE task (
                  id TEXT NOT NULL PRIMARY KEY,
                  project TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE, title TEXT);
                CREATE TABLE member (
                  project TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
                  person TEXT NOT NULL, PRIMARY KEY (project, person));
                CREATE TABLE seat (
                  team TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (team, person));
                CREATE TABLE memo (id TEXT NOT NULL PRIMARY KEY, team TEXT, body TEXT);
                CREATE TABLE product (id TEXT NOT NULL PRIMARY KEY, name TEXT);
                """)
            var configuration = HubConfiguration()
            configuration.scopes = ScopeSettings(
                rules: [
                    "project": [
                        ScopeRule(.column(kind: "person", "owner")),
                        ScopeRule(.members(of: "member", kind: "person", "person")),
                    ],
                    "task": [ScopeRule(.through(["project"]))],
                    "member": [ScopeRule(.through(["project"]))],
                    "seat": [ScopeRule(.column(kind: "person", "person"))],
                    "memo": [ScopeRule(.column(kind: "team", "team"))],
                ],
                holdings: [
                    "person": .claim("name"),
                    "team": .query(ScopeQuery("SELECT team FROM seat WHERE person = :sub")),
                ])
            if let open { configuration.scopes.rules[open] = nil }
            configuration.columns["project"] = ColumnSettings(hidden: ["secret"])
            configuration.directions["seat"] = .down
            hub = Hub(database: central, configuration: configuration)
            _ = try await hub.attach()
        }

        var figures: String {
            """
            \(exchanges) exchanges, \(forged) of them forged (\(accepted) taken, \(compared) comparisons), \(received) marks received of \(canaries)
            """
        }

        func open(_ port: Int) async throws {
            for _ in 0..<20 { try office() }
            let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
            for name in Self.names {
                let transport = RecordingTransport()
                let connection = HTTPHubConnection(
                    url: url, secret: "key-of-\(name)-0123456789", transport: transport)
                let file = try disk.memory()
                var options = ReplicaOptions()
                options.pageLimits = PageLimits(maximumRows: 20, maximumPages: 3)
                let replica = try await Replica.clone(
                    into: file, from: .direct(connection), tables: Self.tables, options: options,
                    clock: DiskClock(disk: disk))
                users.append(
                    User(
                        name: name, connection: connection, transport: transport,
                        replica: replica, file: file))
                try check(users.count - 1)
            }
        }

        func step() async throws {
            tick()
            let place = Int.random(in: 0..<users.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: try office()
            case 3..<7: try await honest(place)
            default: try await forge(place)
            }
        }

        /// Makes the next step later than the last.
        private func tick() { disk.clock += 1 }

        // MARK: Who writes

        private func canary() -> String {
            canaries += 1
            return "\(Canary(number: canaries))"
        }

        private func person() -> String { Self.names.randomElement(using: &random) ?? "" }

        private func team() -> String { random.chance(50) ? "team1" : "team2" }

        /// A key of some row of a table, whoever may see it; rarely a key that no row has.
        private func key(_ table: String) throws -> String {
            let keys = try central.perform { try $0.run("SELECT id FROM \(table) ORDER BY id", []) }
            guard !random.chance(10), let row = keys.randomElement(using: &random),
                case .text(let key) = row[0]
            else { return canary() }
            return key
        }

        private func office() throws {
            tick()
            let owner = random.chance(20) ? "NULL" : "'\(person())'"
            let project = try key("project")
            let statement =
                switch Int.random(in: 0...14, using: &random) {
                case 0, 1:
                    """
                    INSERT INTO project VALUES (
                      '\(canary())', \(owner), '\(canary())', '\(canary())', '\(canary())')
                    """
                case 2: "UPDATE project SET owner = \(owner) WHERE id = '\(project)'"
                case 3:
                    """
                    UPDATE project SET name = '\(canary())', secret = '\(canary())'
                    WHERE id = '\(project)'
                    """
                case 4: "DELETE FROM project WHERE id = '\(project)'"
                case 5, 6: "INSERT INTO task VALUES ('\(canary())', '\(project)', '\(canary())')"
                case 7:
                    "UPDATE task SET project = '\(project)' WHERE id = '\(try key("task"))'"
                case 8: "UPDATE task SET title = '\(canary())' WHERE id = '\(try key("task"))'"
                case 9: "INSERT INTO member VALUES ('\(project)', '\(person())')"
                case 10: "DELETE FROM member WHERE project = '\(project)'"
                case 11: "INSERT INTO memo VALUES ('\(canary())', '\(team())', '\(canary())')"
                case 12: "UPDATE memo SET team = '\(team())' WHERE id = '\(try key("memo"))'"
                case 13:
                    random.chance(50)
                        ? "INSERT INTO seat VALUES ('\(team())', '\(person())')"
                        : "DELETE FROM seat WHERE person = '\(person())'"
                default: "INSERT INTO product VALUES ('\(canary())', '\(canary())')"
                }
            // A duplicate key, or no such parent.
            do { try central.execute(statement) } catch {
                #expect("\(error)".contains("onstraint"), "\(error)")
            }
            try remember()
        }

        /// What an app does: edits to its file, and a sync.
        private func honest(_ place: Int) async throws {
            let user = users[place]
            let before = try rows()
            let visible = try visible(to: user.name)
            var statements: [String] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let project =
                    "(SELECT id FROM project ORDER BY id LIMIT 1 OFFSET \(Int.random(in: 0...4, using: &random)))"
                switch Int.random(in: 0...6, using: &random) {
                case 0:
                    statements.append(
                        """
                        INSERT INTO project (id, owner, name)
                        VALUES ('\(canary())', '\(person())', '\(canary())')
                        """)
                case 1:
                    statements.append(
                        "UPDATE project SET name = '\(canary())' WHERE id = \(project)")
                case 2:
                    statements.append(
                        "UPDATE project SET owner = '\(person())' WHERE id = \(project)")
                case 3:
                    statements.append(
                        """
                        INSERT INTO task SELECT '\(canary())', id, '\(canary())' FROM project
                        WHERE id = \(project)
                        """)
                case 4: statements.append("DELETE FROM project WHERE id = \(project)")
                case 5: statements.append("UPDATE memo SET body = '\(canary())'")
                default:
                    statements.append(
                        """
                        INSERT OR IGNORE INTO member SELECT id, '\(person())' FROM project
                        WHERE id = \(project)
                        """)
                }
            }
            let work = statements
            try await user.file.write { db in for sql in work { try db.execute(sql: sql) } }
            tick()
            _ = try await user.replica.sync()
            try check(place)
            try checkWrites(place, before, visible)
        }

        /// What no honest device would send, from a second device of the user's.
        private func forge(_ place: Int) async throws {
            let user = users[place]
            forged += 1
            let before = try rows()
            let visible = try visible(to: user.name)
            let schema = try await user.connection.schema()
            if random.chance(20) {
                let table = Self.tables.randomElement(using: &random) ?? ""
                let columns = schema.schema.table(named: table)?.columns.map(\.name) ?? []
                // The hub may refuse it. The transport records the answer.
                let answer = try? await user.connection.compare(
                    CompareRequest(
                        replica: Self.device(place),
                        table: TableColumns(
                            name: table, columns: columns + (random.chance(20) ? ["secret"] : [])),
                        after: nil, maximumRows: 1_000, cursor: forgedCursor(user),
                        withValues: true))
                if answer != nil { compared += 1 }
                return try check(place)
            }
            users[place].forgedBatches += 1
            let tables = schema.schema.tables.map {
                TableColumns(name: $0.name, columns: $0.columns.map(\.name))
            }
            let batch = Batch(
                number: users[place].forgedBatches, nonce: "forged-\(place)-\(forged)",
                preparedAt: 0, tables: tables,
                changes: try (0..<Int.random(in: 1...4, using: &random)).map { _ in try change() })
            let request = ExchangeRequest(
                replica: Self.device(place), hub: schema.hub, sentAt: now, tables: tables,
                cursor: forgedCursor(user), schemaVersion: nil, batch: batch,
                limits: PageLimits(maximumRows: 50, maximumPages: 2))
            let cursors = Locked<[SyncCursor]>([])
            let isAccepted = Locked(false)
            try? await user.connection.exchange(request) { frame in
                switch frame {
                case .page(let page): cursors.withLock { $0.append(page.cursor) }
                case .outcomes(let outcomes) where outcomes.status != .notAccepted:
                    isAccepted.withLock { $0 = true }
                default: break
                }
            }
            if isAccepted.withLock({ $0 }) {
                accepted += 1
            } else {
                users[place].forgedBatches -= 1
            }
            users[place].forgedCursors += cursors.withLock { $0 }
            try check(place)
            try checkWrites(place, before, visible)
        }

        private static func device(_ place: Int) -> String {
            "00000000-0000-4000-8000-00000000000\(place)"
        }

        private var now: DeviceTime { DeviceTime(milliseconds: disk.clock) }

        private func forgedCursor(_ user: User) -> SyncCursor {
            if random.chance(40) { return .start }
            if random.chance(50), let last = user.forgedCursors.last { return last }
            // An older cursor, or one of another user, which the hub does not accept whoever lent
            // it.
            let lender = random.chance(80) ? user : users.randomElement(using: &random) ?? user
            let cursor = lender.forgedCursors.randomElement(using: &random) ?? .start
            // A client may change what the signature does not cover.
            if random.chance(30) { return cursor.breakingOff(readingAgain: "project") }
            if random.chance(60) { return cursor }
            let names = Self.names.map { "person/\($0)" } + ["team/team1", "team/team2", "*"]
            // In a fixed order, because each filter draws random numbers.
            let complete = names.filter { _ in random.chance(50) }.map(Scope.init)
            let partial = names.filter { _ in random.chance(30) }.map(Scope.init)
            return SyncCursor(
                epoch: cursor.epoch, checkpoint: cursor.checkpoint,
                complete: cursor.complete.union(complete), partial: Set(partial),
                tables: cursor.tables,
                signature: cursor.signature)
        }

        /// Any change of any row: its key was guessed, or read over somebody's shoulder.
        private func change() throws -> Change {
            let project = try key("project")
            func change(_ table: String, _ key: [String], _ operation: Change.Operation) -> Change {
                Change(
                    table: table, key: RowKey(key.map { .text($0) }), operation: operation,
                    editedAt: now)
            }
            func edit(_ column: Int, _ value: String) -> Change.Operation {
                .update([ColumnEdit(column: column, old: .text(canary()), new: .text(value))])
            }
            switch Int.random(in: 0...9, using: &random) {
            case 0:
                return change(
                    "project", [project],
                    .insert([.text(project), .text(person()), .text(canary()), .null]))
            case 1: return change("project", [project], edit(1, person()))
            case 2: return change("project", [project], edit(2, canary()))
            case 3:
                return change(
                    "project", [project],
                    .delete(before: [.text(project), .text(person()), .text(canary()), .null]))
            case 4:
                let task = canary()
                return change(
                    "task", [task], .insert([.text(task), .text(project), .text(canary())]))
            case 5: return change("task", [try key("task")], edit(1, project))
            case 6: return change("task", [try key("task")], edit(2, canary()))
            case 7:
                let person = person()
                return change(
                    "member", [project, person], .insert([.text(project), .text(person)]))
            case 8: return change("memo", [try key("memo")], edit(1, team()))
            default:
                let (team, person) = (team(), person())
                return change("seat", [team, person], .insert([.text(team), .text(person)]))
            }
        }
    }

    /// The clock of a replica's file.
    private struct DiskClock: ReplicaClock {
        let disk: SimulatedDisk

        func now() -> Date { DeviceTime(milliseconds: disk.clock).date }
        func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
    }
#endif
