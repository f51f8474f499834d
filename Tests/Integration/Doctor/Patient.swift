import Foundation
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import Testing

/// A central database that a doctor examines, with an owner who follows the advice.
struct Patient: Sendable {
    let centre: any Centre
    let database: any CentralDatabase
    var configuration = HubConfiguration()

    /// Where PostgreSQL has the tables that a test examines.
    enum Place {
        /// In `public`. At night as with ``anotherSchemaToo``.
        case publicSchema
        /// Runs the test once more in a schema of another name. Tables of the same names are in
        /// `public`, where the owner's client looks. For tests whose findings or repairs name
        /// objects.
        case anotherSchemaToo
    }

    /// Makes a database with this schema, and removes it at the end.
    static func run(
        _ kind: CentreKind, _ schema: [String], in place: Place = .publicSchema,
        configuration: HubConfiguration = .init(), journal: String = "WAL",
        _ test: (Patient) async throws -> Void
    ) async throws {
        let start = kind == .sqlite ? ["PRAGMA journal_mode = \(journal)"] : []
        try await run(kind.make(), start + schema, configuration, test)
        guard kind == .postgres, place == .anotherSchemaToo || isNightly else { return }
        let centre = try PostgresCentre(schema: "The owner's")
        let move = "SET search_path TO public"
        let back = "SET search_path TO \"The owner's\", public"
        try await run(centre, [move] + schema + [back] + schema, configuration, test)
    }

    private static func run(
        _ centre: any Centre, _ schema: [String], _ configuration: HubConfiguration,
        _ test: (Patient) async throws -> Void
    ) async throws {
        do {
            for statement in schema { try centre.execute(statement) }
            try await test(
                Patient(
                    centre: centre, database: try centre.connector(), configuration: configuration))
        } catch {
            try centre.close()
            throw error
        }
        try centre.close()
    }

    var kind: CentreKind { centre.kind }
    var hub: Hub { Hub(database: database, configuration: configuration) }

    /// - Parameter longTransaction: By default a day, because a doctor looks at the whole server. A
    ///   transaction of another test may be open for a minute.
    func findings(
        tables: [String]? = nil, longTransaction: Duration = .seconds(86_400)
    ) async throws -> [Finding] {
        try await hub.doctor(tables: tables, longTransaction: longTransaction)
    }

    func findings(_ code: Finding.Code, tables: [String]? = nil) async throws -> [Finding] {
        try await findings(tables: tables).filter { $0.code == code }
    }

    /// Does exactly what findings say: it runs each statement in an owner's session, and carries
    /// out our commands.
    func repair(_ findings: [Finding]) async throws {
        for finding in findings {
            switch finding.repair {
            case .sql(let statements):
                let owner = try ownersClient()
                for statement in statements where !statement.hasPrefix("--") {
                    try owner(statement)
                }
            case .command(let line):
                _ = try await hub.attach(newEpoch: line.contains("--new-epoch"))
            case .advice: Issue.record("nothing to do about: \(finding.message)")
            }
        }
    }

    /// A session with its server's default modes.
    private func ownersClient() throws -> (String) throws -> Void {
        switch centre {
        case let centre as PostgresCentre:
            let session = try PostgresSession(url: centre.url)
            try session.query("SET search_path TO public")
            return { try session.query($0) }
        case let centre as MySQLCentre:
            let session = try MySQLLink(url: centre.url)
            try session.run("SET SESSION sql_mode = DEFAULT")
            return { try session.run($0) }
        default:
            return { try centre.execute($0) }
        }
    }

    /// Expects a finding with this code, repairs it, and expects that it is gone.
    @discardableResult
    func cure(
        _ code: Finding.Code, tables: [String]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> [Finding] {
        let found = try await findings(code, tables: tables)
        #expect(!found.isEmpty, "no \(code)", sourceLocation: location)
        try await repair(found)
        let left = try await findings(code, tables: tables)
        #expect(left == [], sourceLocation: location)
        return found
    }
}

// MARK: What devices would receive

extension Patient {
    func checkpoint() throws -> Checkpoint {
        try database.perform { connection in
            defer { connection.rollback() }
            return try connection.openSnapshot().checkpoint
        }
    }

    /// Whether a pull from the checkpoint would bring a row of the first table.
    func hasChanged(since checkpoint: Checkpoint) throws -> Bool {
        try database.perform { connection in
            let table = try #require(try connection.attachedTables().first)
            _ = try connection.openSnapshot()
            defer { connection.rollback() }
            return try !connection.changedScopes(table, among: [.everything], beyond: checkpoint)
                .isEmpty
        }
    }
}

extension [Finding] {
    var codes: [Finding.Code] { map(\.code) }
    var worst: [Finding] { filter { $0.severity != .note } }
}
