import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// The hub's session on the central database ends at the end of a push. An administrator ends it,
/// or a server that goes down. The database has all of the batch or nothing, and the batch goes in
/// once.
///
/// `Kills` ends whole processes at night, at any moment.
@Suite(.ownThreads) struct `A session that is ended in a push` {
    private static let contents = [
        "SELECT id, body FROM item ORDER BY id", "SELECT id, item_id, body FROM detail ORDER BY id",
        "SELECT body, count(*) FROM trail GROUP BY body ORDER BY body",
    ]

    /// The rows after the batch went in. `trail` counts how often each value was written.
    private static let pushed = [
        [["1", "changed"], ["10", "new"]], [["20", "10", "detail"]],
        [["changed", "1"], ["detail", "1"], ["first", "1"], ["new", "1"], ["second", "1"]],
    ]

    @Test(arguments: CentreKind.available, SessionEnd.Moment.allCases)
    func `leaves all or nothing, and the batch goes in once`(
        kind: CentreKind, moment: SessionEnd.Moment
    ) async throws {
        let end = SessionEnd(moment)
        try await World.run(
            on: EndingCentre(base: kind.make(), end: end),
            schema: KillSchema.statements(kind) + [
                "INSERT INTO item VALUES (1, 'first', 0, 0), (2, 'second', 0, 0)"
            ], tables: KillSchema.tables
        ) { world in
            let device = try await world.clone("A")
            let owner = try world.centre.openSession()
            let before = try Self.contents.map { try owner.run($0) }
            try device.execute(
                """
                INSERT INTO item VALUES (10, 'new', 0, 0);
                INSERT INTO detail VALUES (20, 10, 'detail');
                UPDATE item SET body = 'changed' WHERE id = 1;
                DELETE FROM item WHERE id = 2;
                """)
            end.isDue = true
            let error = await #expect(throws: ReplicaError.self) {
                try await device.replica.sync()
            }
            #expect(error?.code == .hub(.databaseUnavailable))
            #expect(!end.isDue)
            let isThere = moment == .afterTheCommit
            #expect(
                try Self.contents.map { try owner.run($0) } == (isThere ? Self.pushed : before))
            // The device received no answer, so it keeps the batch and sends it again.
            #expect(try device.text("SELECT count(*) FROM _moorage_inflight") == "1")

            try await device.replica.sync()
            #expect(try Self.contents.map { try owner.run($0) } == Self.pushed)
            #expect(try await world.differences(device) == [])
            #expect(try await device.replica.refusedChanges.fetch().isEmpty)
            #expect(try await world.conflicts() == [])
        }
    }
}

/// Ends the hub's session once, in the next push.
///
/// `@unchecked Sendable`: the test changes it only while no exchange runs.
final class SessionEnd: @unchecked Sendable {
    /// In either case the answer to the batch is lost.
    enum Moment: String, CaseIterable, CustomTestStringConvertible {
        case beforeTheCommit = "before the commit"
        case afterTheCommit = "after the commit"

        var testDescription: String { rawValue }
    }

    let moment: Moment
    var isDue = false

    init(_ moment: Moment) { self.moment = moment }
}

/// A central database that may end the hub's connections.
private struct EndingCentre: Centre {
    let base: any Centre
    let end: SessionEnd

    var kind: CentreKind { base.kind }
    func connector() throws -> any CentralDatabase {
        let (base, end) = (base, end)
        return ForwardingDatabase(try base.connector()) {
            EndingConnection($0, end, on: base)
        }
    }
    func openSession() throws -> any OwnerSession { try base.openSession() }
    func execute(_ sql: String) throws { try base.execute(sql) }
    func insert(into table: String, _ columns: [String], _ values: [Value]) throws {
        try base.insert(into: table, columns, values)
    }
    func text(_ sql: String) throws -> String? { try base.text(sql) }
    func rows(_ table: TableDescription) throws -> [[Value]] { try base.rows(table) }
    func close() throws { try base.close() }
}

private final class EndingConnection: ForwardingConnection {
    private struct Failure: Error {
        let what: String
    }

    private let end: SessionEnd
    private let centre: any Centre
    private var hasInserted = false

    init(_ base: any CentralConnection, _ end: SessionEnd, on centre: any Centre) {
        self.end = end
        self.centre = centre
        super.init(base)
    }

    /// Only a push calls this.
    override func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        hasInserted = true
        try super.insert(table, columns: columns, rows: rows)
    }

    override func commit() throws {
        guard hasInserted, end.isDue else { return try super.commit() }
        end.isDue = false
        switch end.moment {
        case .beforeTheCommit:
            try endSession()
            try super.commit()
        case .afterTheCommit:
            try super.commit()
            try endSession()
            _ = try super.run("SELECT 1", [])
        }
        throw Failure(what: "The session goes on.")
    }

    /// Ends the session, and returns when it is gone with everything that it had not committed.
    private func endSession() throws {
        switch centre.kind {
        case .sqlite:
            // A file has no sessions. The program is gone, and the journal restores the file.
            throw CentralError(.unavailable, "The program is gone.")
        case .postgres:
            let process = try number(of: "pg_backend_pid()")
            let isGone = try centre.text(
                "SELECT pg_terminate_backend(\(process), 120000)")
            guard isGone == "t" else { throw Failure(what: "The session does not end.") }
        case .mariadb:
            let session = try number(of: "CAST(connection_id() AS SIGNED)")
            try centre.execute("KILL \(session)")
            let deadline = ContinuousClock.now + Hang.limit
            let left = "SELECT count(*) FROM information_schema.processlist WHERE id = \(session)"
            while try centre.count(left) > 0 {
                guard ContinuousClock.now < deadline else {
                    throw Failure(what: "The session does not end.")
                }
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    private func number(of function: String) throws -> Int64 {
        guard case .integer(let number)? = try super.run("SELECT \(function)", []).first?.first
        else { throw Failure(what: "\(function) is no number.") }
        return number
    }
}
