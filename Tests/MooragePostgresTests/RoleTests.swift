import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MooragePostgres

/// The rights that docs/reference/security.md grants, exactly as that document lists them.
@Suite("Roles of PostgreSQL", .ownThreads, .enabled(if: PostgresServer.isAvailable))
struct RoleTests {
    /// The statements of the document.
    private static let documented: [String] = {
        let text = try? Repository.text("docs/reference/security.md")
        guard let section = text?.components(separatedBy: "## Database roles").dropFirst().first,
            let block = section.components(separatedBy: "```sql\n").dropFirst().first,
            let sql = block.components(separatedBy: "```").first
        else { return [] }
        return sql.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: " ")
            .split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    }()

    /// One right that is left out of one statement.
    struct Omission: Sendable, CustomTestStringConvertible {
        let statement: Int
        let right: String
        let rest: [String]

        var testDescription: String { "\(right) of \(RoleTests.documented[statement])" }

        static let all: [Omission] = documented.enumerated().flatMap { number, statement in
            guard let start = statement.range(of: "GRANT "),
                let end = statement.range(of: " ON ", range: start.upperBound..<statement.endIndex)
            else { return [Omission]() }
            let rights = statement[start.upperBound..<end.lowerBound].split(separator: ", ")
                .map(String.init)
            return rights.map { right in
                Omission(statement: number, right: right, rest: rights.filter { $0 != right })
            }
        }

        func applied(to statements: [String]) -> [String] {
            var statements = statements
            let statement = statements[self.statement]
            guard let start = statement.range(of: "GRANT "),
                let end = statement.range(of: " ON ", range: start.upperBound..<statement.endIndex)
            else { return statements }
            statements[self.statement] =
                rest.isEmpty
                ? "SELECT 1"
                : statement.replacingCharacters(
                    in: start.upperBound..<end.lowerBound, with: rest.joined(separator: ", "))
            return statements
        }
    }

    private static let schema = """
        CREATE TABLE item (id bigserial PRIMARY KEY, team text NOT NULL, note text);
        CREATE TABLE line (id bigint PRIMARY KEY, item bigint NOT NULL REFERENCES item ON DELETE CASCADE, n int);
        INSERT INTO item (team, note) VALUES ('a', 'old'), ('b', 'other');
        INSERT INTO line VALUES (1, 1, 1)
        """

    private static var configuration: HubConfiguration {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: [
                "item": [ScopeRule(.column(kind: "team", "team"))],
                "line": [ScopeRule(.through(["item"]))],
            ], holdings: ["team": .claim("team")])
        return configuration
    }

    /// Runs the statements with roles of this test's own, then the work with their names.
    private func withRoles(
        _ statements: [String],
        _ work: (PostgresSubject, PostgresSession, (String) -> String) async throws -> Void
    ) async throws {
        try await PostgresServer.withDatabase(schema: "sales") {
            (subject: PostgresSubject) async throws in
            let owner = try subject.session()
            func named(_ sql: String) -> String {
                sql.replacing("moorage_attach", with: subject.name + "_attach")
                    .replacing("moorage_serve", with: subject.name + "_serve")
                    .replacing("DATABASE shop", with: "DATABASE \(subject.name)")
            }
            let roles = ["moorage_attach", "moorage_serve", "clerk"].map {
                named($0).replacing("clerk", with: subject.name + "_clerk")
            }
            defer {
                for role in roles {
                    try? owner.execute("DROP OWNED BY \(role) CASCADE")
                    try? owner.execute("DROP ROLE \(role)")
                }
            }
            try owner.execute(
                """
                REVOKE ALL ON DATABASE \(subject.name) FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC;
                \(Self.schema); CREATE ROLE \(roles[2]) LOGIN PASSWORD 'secret';
                GRANT CONNECT ON DATABASE \(subject.name) TO \(roles[2]); GRANT USAGE ON SCHEMA sales TO \(roles[2]);
                GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON item, line TO \(roles[2])
                """)
            for statement in statements { try owner.execute(named(statement)) }
            for role in roles.dropLast() {
                try owner.execute("ALTER ROLE \(role) PASSWORD 'secret'")
            }
            try await work(subject, owner) { $0 == "clerk" ? roles[2] : named($0) }
        }
    }

    private func database(_ subject: PostgresSubject, _ role: String) throws -> PostgresDatabase {
        try PostgresDatabase(
            url: PostgresServer.url(database: subject.name, role: role, schema: "sales"))
    }

    private static let columns = [
        TableColumns(name: "item", columns: ["id", "team", "note"]),
        TableColumns(name: "line", columns: ["id", "item", "n"]),
    ]

    /// Attaches as one role, serves as a second, and writes as a third.
    private func flow(
        _ subject: PostgresSubject, _ owner: PostgresSession, _ role: (String) -> String
    ) async throws {
        let attaching = try database(subject, role("moorage_attach"))
        defer { attaching.close() }
        _ = try await Hub(database: attaching, configuration: Self.configuration).attach()
        let clerk = try subject.session(role: role("clerk"))
        try clerk.execute(
            """
            INSERT INTO item VALUES (10, 'a', 'clerk'); INSERT INTO line VALUES (2, 10, 1);
            UPDATE item SET team = 'b' WHERE id = 2; DELETE FROM line WHERE id = 2
            """)
        let isShut = (try? clerk.execute("SELECT * FROM moorage_track_1_item")) == nil
        #expect(isShut)

        let serving = try database(subject, role("moorage_serve"))
        defer { serving.close() }
        let hub = Hub(database: serving, configuration: Self.configuration)
        let user = hub.asSeen(by: Principal(subject: "u", claims: ["team": ["a"]]))
        func change(_ table: String, _ id: Int64, _ operation: Change.Operation) throws -> Change {
            Change(
                table: table, key: RowKey([.integer(id)]), operation: operation,
                editedAt: try serving.perform { try $0.deviceTime() })
        }
        func exchange(_ number: Int64, _ changes: [Change]) async throws {
            let now = try serving.perform { try $0.deviceTime() }
            let batch = Batch(
                number: number, nonce: "n\(number)", preparedAt: now, tables: Self.columns,
                changes: changes)
            try await user.exchange(
                ExchangeRequest(
                    replica: "11111111-2222-4333-8444-555555555555", hub: nil, sentAt: now,
                    tables: Self.columns, cursor: .start, schemaVersion: nil, batch: batch,
                    limits: PageLimits())
            ) { _ in }
        }
        try await exchange(
            1,
            [
                change("item", 50, .insert([.integer(50), .text("a"), .text("new")])),
                change("line", 51, .insert([.integer(51), .integer(50), .integer(1)])),
                change("line", 1, .delete(before: [.integer(1), .integer(1), .integer(1)])),
                change(
                    "item", 1,
                    .update([ColumnEdit(column: 2, old: .text("old"), new: .text("mine"))])),
            ])
        let stored = try owner.rows(
            "SELECT string_agg(note, ',' ORDER BY id), (SELECT string_agg(id::text, ',') FROM line) FROM item"
        )
        guard stored == [["mine,other,clerk,new", "51"]] else {
            throw TestFailure("the push was refused: \(stored)")
        }
        // A transaction whose moves the hub must derive itself.
        try clerk.execute(
            "BEGIN ISOLATION LEVEL SERIALIZABLE; UPDATE item SET team = 'b' WHERE id = 50; COMMIT")
        try await exchange(2, [])
        let moved = try owner.cell(
            "SELECT string_agg(scope, ',') FROM moorage_track_2_line WHERE live AND k0 = 51")
        guard moved == "team/b" else { throw TestFailure("nothing was derived: \(moved ?? "")") }

        let table = AttachedTable(number: 1, description: try subject.describe("item"))
        let line = AttachedTable(number: 2, description: try subject.describe("line"))
        try serving.perform { connection in
            try connection.begin(.write)
            guard try connection.reserveKeys(of: table, count: 5, above: 100) != nil else {
                throw TestFailure("no keys")
            }
            try connection.commit()
            let checkpoint = try connection.currentCheckpoint()
            try connection.begin(.write)
            let purged = try connection.purgeTombstones(line, within: checkpoint, limit: 100)
            guard purged > 0 else { throw TestFailure("nothing was purged") }
            try connection.restamp(table)
            try connection.commit()
            let scopes: Set<Scope> = [Scope("team/a")]
            guard try connection.changedScopes(table, among: scopes, beyond: checkpoint) == scopes
            else {
                throw TestFailure("no live look")
            }
        }
        // Attaches once more, beside what is there, and then detaches.
        _ = try await Hub(database: attaching, configuration: Self.configuration).attach()
        try clerk.execute("TRUNCATE item CASCADE")
        let left = try owner.cell("SELECT count(*) FROM moorage_track_1_item WHERE live")
        guard left == "0" else { throw TestFailure("TRUNCATE was missed") }
        try await Hub(database: attaching, configuration: Self.configuration).detach()
        guard try owner.cell("SELECT count(*) FROM pg_class WHERE relname LIKE 'moorage%'") == "0"
        else {
            throw TestFailure("something is left")
        }
    }

    @Test func `one role attaches, another serves, and a third writes`() async throws {
        #expect(Omission.all.count > 15)
        try await withRoles(Self.documented) { try await flow($0, $1, $2) }
    }

    @Test(arguments: Omission.all)
    func `each right that is documented is needed`(omission: Omission) async throws {
        try await withRoles(omission.applied(to: Self.documented)) { subject, owner, role in
            do {
                try await flow(subject, owner, role)
                Issue.record("it went without")
            } catch {
                #expect(Self.isOfRights(error), "\(error)")
            }
        }
    }

    /// A full or busy server also fails, but that says nothing about rights.
    private static func isOfRights(_ error: any Error) -> Bool {
        switch error {
        case let error as CentralError: error.kind != .unavailable && error.kind != .conflict
        case let error as HubError: error.code != .databaseUnavailable && error.code != .busy
        default: error is TestFailure
        }
    }

    private func problems(
        _ subject: PostgresSubject, _ role: String, _ configuration: HubConfiguration
    ) async throws -> [Finding] {
        let database = try database(subject, role)
        defer { database.close() }
        return try await Hub(database: database, configuration: configuration).doctor()
            .filter { $0.severity == .problem }
    }

    @Test func `a doctor finds both roles well, and says what either loses`() async throws {
        var configuration = Self.configuration
        configuration.rules["item"] = TableRules(keyBlock: 10)
        let settings = configuration
        try await withRoles(Self.documented) { subject, owner, role in
            let (attach, serve) = (role("moorage_attach"), role("moorage_serve"))
            for role in [attach, serve] {
                #expect(try await problems(subject, role, settings) == [])
            }
            #expect(try await !problems(subject, role("clerk"), settings).isEmpty)
            let attaching = try database(subject, attach)
            _ = try await Hub(database: attaching, configuration: settings).attach()
            attaching.close()
            for role in [attach, serve] {
                #expect(try await problems(subject, role, settings) == [])
            }
            for (right, loser, witness) in [
                ("USAGE ON SEQUENCE sales.item_id_seq", serve, serve),
                ("DELETE ON sales.line", serve, serve),
                ("EXECUTE ON FUNCTION sales.moorage_resolve_2()", serve, serve),
                ("TRIGGER ON sales.item", attach, attach), ("SELECT ON sales.item", attach, serve),
                ("UPDATE ON sales.item", attach, serve), ("USAGE ON SCHEMA sales", attach, serve),
            ] {
                try owner.execute("REVOKE \(right) FROM \(loser)")
                let found = try await problems(subject, witness, settings)
                #expect(found.allSatisfy { $0.code == .missingPrivileges }, "\(right)")
                #expect(found.contains { $0.message.contains(loser) }, "\(right)")
                for finding in found { try finding.repair.statements.forEach(owner.execute) }
                #expect(try await problems(subject, witness, settings) == [], "\(right)")
            }
        }
    }

    @Test func `a table that changes hands is told of, and so is who has to attach`() async throws {
        try await withRoles(Self.documented) { subject, owner, role in
            let (attach, clerk) = (role("moorage_attach"), role("clerk"))
            let attaching = try database(subject, attach)
            _ = try await Hub(database: attaching).attach()
            attaching.close()
            try owner.execute(
                """
                ALTER TABLE line OWNER TO \(attach); ALTER TABLE line OWNER TO \(clerk);
                REVOKE ALL ON line FROM \(attach)
                """)
            let found = try await problems(subject, role("moorage_serve"), HubConfiguration())
            #expect(found.map(\.table) == ["line"])
            #expect(found.first?.message.contains(attach) == true)
            try owner.execute(
                """
                GRANT ALL ON SCHEMA sales TO \(clerk); GRANT ALL ON ALL TABLES IN SCHEMA sales TO \(clerk)
                """)
            let other = try database(subject, clerk)
            defer { other.close() }
            for work in [
                { _ = try await Hub(database: other).attach() }, Hub(database: other).detach,
            ] {
                let error = await #expect(throws: HubError.self) { try await work() }
                #expect(error?.message.contains("GRANT \(attach) TO \(clerk)") == true)
            }
        }
    }

    @Test func `a doctor misses TRIGGER on partitions`() async throws {
        try await withRoles(Self.documented) { subject, owner, role in
            let attach = role("moorage_attach")
            try owner.execute(
                """
                CREATE TABLE log (day int, n int, PRIMARY KEY (day, n)) PARTITION BY LIST (day);
                CREATE TABLE log_1 PARTITION OF log FOR VALUES IN (1);
                GRANT SELECT, UPDATE, TRIGGER ON log TO \(attach)
                """)
            let database = try database(subject, attach)
            defer { database.close() }
            let hub = Hub(database: database)
            let found = try await hub.doctor().filter { $0.code == .missingPrivileges }
            #expect(
                found.contains {
                    $0.severity == .problem && $0.message.contains("log_1, a partition of log")
                })
            for finding in found { try finding.repair.statements.forEach(owner.execute) }
            _ = try await hub.attach()
        }
    }

    private static let policy = """
        ALTER TABLE item ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON item FOR ALL USING (team = 'a') WITH CHECK (true)
        """

    @Test func `a table whose policies hide rows from the serving role is suspended, by name`()
        async throws
    {
        try await withRoles(Self.documented) { subject, owner, role in
            let attaching = try database(subject, role("moorage_attach"))
            defer { attaching.close() }
            _ = try await Hub(database: attaching).attach()
            let serving = try database(subject, role("moorage_serve"))
            defer { serving.close() }
            func suspended() async throws -> [String] {
                try await Hub(database: serving).schema().suspended.map(\.reason)
            }
            #expect(try await suspended() == [])
            try owner.execute(Self.policy)
            #expect(try await suspended().first?.contains("BYPASSRLS") == true)
            try owner.execute("ALTER ROLE \(role("moorage_serve")) BYPASSRLS")
            #expect(try await suspended() == [])
        }
    }

    @Test func `policies that are forced on the owner himself make an attach refuse the table`()
        throws
    {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            let role = subject.name + "_owner"
            try owner.execute(
                """
                \(Self.schema); \(Self.policy); CREATE ROLE \(role) LOGIN PASSWORD 'secret';
                ALTER TABLE item OWNER TO \(role); GRANT CREATE, USAGE ON SCHEMA public TO \(role)
                """)
            defer { try? owner.execute("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
            let own = try PostgresDatabase(
                url: PostgresServer.url(database: subject.name, role: role))
            defer { own.close() }
            func isSupported() throws -> Bool {
                let tables = try own.perform { try $0.readTables() }
                guard case .supported? = tables.first(where: { $0.name == "item" })?.support else {
                    return false
                }
                return true
            }
            #expect(try isSupported())
            try owner.execute("ALTER TABLE item FORCE ROW LEVEL SECURITY")
            #expect(try !isSupported())
            #expect(throws: HubError.self) {
                try own.perform { _ = try Attachment(on: $0) { "id" }.attach(tables: ["item"]) }
            }
        }
    }
}
