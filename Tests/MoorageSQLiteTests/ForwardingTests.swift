import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import TestSupport
import Testing

/// What test doubles of a connection are made of.
@Suite(.ownThreads) struct `A forwarding connection` {
    /// The connector with a forwarding connection before each of its own.
    private struct ForwardedSubject: ConformanceSubject {
        let subject: SQLiteSubject

        var database: any CentralDatabase {
            ForwardingDatabase(subject.database) { ForwardingConnection($0) }
        }
        func openSession() throws -> any OwnerSession { try subject.openSession() }
    }

    /// Says which of the functions were called that a connector may leave to their defaults.
    private final class Recorder: ForwardingConnection {
        private(set) var calls: [String] = []
        var state: DatabaseState?

        override func leftSteps() throws -> [String] {
            calls.append("leftSteps")
            return ["DROP TABLE left"]
        }
        override func addKeySteps(to table: AttachedTable) throws -> [String] {
            calls.append("addKeySteps")
            return []
        }
        override func fillKeys(
            of table: AttachedTable, batch: Int, progress: () throws -> Void
        ) throws {
            calls.append("fillKeys")
        }
        override func closeKeySteps(of table: AttachedTable) throws -> [String] {
            calls.append("closeKeySteps")
            return []
        }
        override func removeKeySteps(from table: AttachedTable) throws -> [String] {
            calls.append("removeKeySteps")
            return []
        }
        override func databaseState() throws -> DatabaseState {
            calls.append("databaseState")
            let read = try super.databaseState()
            state = read
            return read
        }
        override func details(of tables: [String]) throws -> [CentralTableDetails] {
            calls.append("details")
            return tables.map { CentralTableDetails(name: $0) }
        }
        override func openSnapshot() throws -> SnapshotState {
            calls.append("openSnapshot")
            throw CentralError(.unavailable, "no snapshot")
        }
    }

    @Test(arguments: ConnectorConformance.checks)
    func `is as good as the connection behind it`(check: ConnectorConformance.Check) throws {
        try TemporaryFile.with { path in
            try check.run(against: ForwardedSubject(subject: SQLiteSubject(path: path)))
        }
    }

    @Test func `forwards what has a default too`() throws {
        try TemporaryFile.with { path in
            try SQLiteDatabase(path: path).perform { connection throws in
                let recorder = Recorder(connection)
                let forwarding = ForwardingConnection(recorder)
                #expect(try forwarding.leftSteps() == ["DROP TABLE left"])
                // The clock is a part of it, so another reading would be another state.
                #expect(try forwarding.databaseState() == recorder.state)
                #expect(throws: CentralError.self) { try forwarding.openSnapshot() }
                #expect(try forwarding.details(of: ["a"]) == [CentralTableDetails(name: "a")])
                let table = AttachedTable(
                    number: 1,
                    description: TableDescription(name: "a", columns: [], primaryKey: []))
                _ = try forwarding.addKeySteps(to: table)
                try forwarding.fillKeys(of: table, batch: 1) {}
                _ = try forwarding.closeKeySteps(of: table)
                _ = try forwarding.removeKeySteps(from: table)
                #expect(
                    recorder.calls == [
                        "leftSteps", "databaseState", "openSnapshot", "details", "addKeySteps",
                        "fillKeys", "closeKeySteps", "removeKeySteps",
                    ])
            }
        }
    }

    @Test func `hands an error of the double to whoever asked`() throws {
        struct Refused: Error {}
        try TemporaryFile.with { path in
            let broken = ForwardingDatabase(try SQLiteDatabase(path: path)) { _ in throw Refused() }
            #expect(throws: Refused.self) { try broken.perform { _ in } }
        }
    }
}
