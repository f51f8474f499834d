import Foundation
import MoorageCore
import MoorageHub
import MoorageMySQL
import MooragePostgres
import MoorageWire
import TestSupport
import Testing

/// The hub's role has fewer rights than it needs.
@Suite(.ownThreads) struct `A doctor with few rights` {
    private static let schema = [
        "CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY, name TEXT)",
        "CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY, note TEXT)",
        "INSERT INTO customer VALUES ('a', 'Ann')",
    ]

    /// A hub whose role can sign in and do nothing else.
    private struct Role {
        let name: String
        let centre: any Centre
        /// The schema, quoted as PostgreSQL needs it.
        var schema = "public"
        let open: () throws -> any CentralDatabase

        func patient() throws -> Patient { Patient(centre: centre, database: try open()) }
    }

    private static func withRole(
        _ kind: CentreKind, in place: Patient.Place = .publicSchema,
        _ test: (Role) async throws -> Void
    ) async throws {
        let name = "hub_" + UUID().uuidString.lowercased().prefix(8)
        try await Patient.run(kind, schema, in: place) { patient in
            let role: Role
            let farewell: String
            switch patient.centre {
            case let centre as PostgresCentre:
                try centre.execute("CREATE ROLE \(name) LOGIN PASSWORD 'of-the-hub'")
                var url = try centre.url(user: name, password: "of-the-hub")
                if let schema = centre.schema, var parts = URLComponents(string: url) {
                    parts.queryItems = [URLQueryItem(name: "schema", value: schema)]
                    url = parts.string ?? url
                }
                let open = { [url] in try PostgresDatabase(url: url) }
                let schema = (centre.schema ?? "public").quoted(by: "\"")
                try centre.execute("GRANT USAGE ON SCHEMA \(schema) TO \(name)")
                role = Role(name: name, centre: centre, schema: schema, open: open)
                farewell = "DROP OWNED BY \(name) CASCADE; DROP ROLE \(name)"
            case let centre as MySQLCentre:
                var parts = try #require(URLComponents(string: centre.url))
                let host = try #require(
                    try centre.text("SELECT SUBSTRING_INDEX(current_user(), '@', -1)"))
                let user = "'\(name)'@'\(host)'"
                try centre.execute("CREATE USER \(user) IDENTIFIED BY 'of-the-hub'")
                // Lets the role see the database and one of its tables.
                try centre.execute("GRANT SELECT ON customer TO \(user)")
                parts.user = name
                parts.password = "of-the-hub"
                let url = try #require(parts.string)
                role = Role(name: name, centre: centre) { try MySQLDatabase(url: url) }
                farewell = "DROP USER \(user)"
            default: throw CancellationError()
            }
            do { try await test(role) } catch {
                try patient.centre.execute(farewell)
                throw error
            }
            try patient.centre.execute(farewell)
        }
    }

    /// Grants missing privileges until none is missing. The role sees tables only after it may use
    /// their schema.
    private static func grant(to role: Role) async throws {
        for _ in 0..<3 {
            let patient = try role.patient()
            let found = try await patient.findings(.missingPrivileges)
            if found.isEmpty { break }
            try await patient.repair(found)
        }
        #expect(try await role.patient().findings(.missingPrivileges) == [])
    }

    @Test(arguments: CentreKind.available.filter { $0 != .sqlite })
    func `says what to grant, and then the role can attach and serve`(kind: CentreKind) async throws
    {
        try await Self.withRole(kind, in: .anotherSchemaToo) { role in
            let found = try await role.patient().findings(.missingPrivileges)
            #expect(
                found.allSatisfy { $0.severity == .problem && $0.message.contains(role.name) })
            #expect(found.contains { $0.table == nil })
            try await Self.grant(to: role)
            let notExamined = try await role.patient().findings(.notExamined)
            #expect(notExamined.count == 1)
            try await role.patient().repair(notExamined)
            let patient = try role.patient()
            #expect(try await patient.findings(.notExamined) == [])
            let report = try await patient.hub.attach()
            #expect(report.attached.map(\.name).contains("customer"))
            #expect(try await patient.findings().worst == [])
            #expect(try await patient.hub.schema().schema.table(named: "customer") != nil)
        }
    }

    @Test(arguments: CentreKind.available.filter { $0 != .sqlite })
    func `says what a role lacks that serves what another attached`(kind: CentreKind) async throws {
        try await Self.withRole(kind) { role in
            let owner = Patient(centre: role.centre, database: try role.centre.connector())
            _ = try await owner.hub.attach()
            if kind == .mariadb {
                // A user without rights on a table does not see it.
                let host = try #require(
                    try role.centre.text("SELECT SUBSTRING_INDEX(current_user(), '@', -1)"))
                for table in ["moorage_meta", "orders"] {
                    try role.centre.execute(
                        "GRANT SELECT ON \(table) TO '\(role.name)'@'\(host)'")
                }
            }
            let before = try await role.patient().findings(.missingPrivileges)
            #expect(!before.isEmpty)
            // A role that only serves needs no rights but those on existing tables.
            if kind == .mariadb { #expect(before.allSatisfy { $0.table != nil }) }
            try await Self.grant(to: role)
            #expect(try await role.patient().findings().worst == [])
            #expect(try await role.patient().hub.schema().schema.tables.count == 2)
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `sees that row policies hide rows from the hub`() async throws {
        try await Self.withRole(.postgres, in: .anotherSchemaToo) { role in
            try role.centre.execute("ALTER TABLE orders ENABLE ROW LEVEL SECURITY")
            let found = try await role.patient().findings(.tableUnsupported)
            #expect(found.map(\.table) == ["orders"])
            try await role.patient().repair(found)
            #expect(try await role.patient().findings(.tableUnsupported) == [])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `is told why where a role may not even look into the schema`() async throws {
        try await Self.withRole(.postgres, in: .anotherSchemaToo) { role in
            try role.centre.execute(
                "REVOKE ALL ON SCHEMA \(role.schema) FROM PUBLIC, \(role.name)")
            // The connection is refused before the doctor can look.
            let error = await #expect(throws: HubError.self) {
                try await role.patient().findings(.missingPrivileges)
            }
            #expect(error?.code == .databaseError)
            #expect(error?.message.contains("Grant it USAGE") == true)
            try role.centre.execute("GRANT USAGE ON SCHEMA \(role.schema) TO \(role.name)")
            #expect(try await !role.patient().findings(.missingPrivileges).isEmpty)
        }
    }
}
