import MoorageCore
import MoorageHub

/// The tools of the checks: a small schema, attached, and short words for what they look at.
final class ConformanceBench {
    let subject: any ConformanceSubject
    let owner: any OwnerSession

    init(_ subject: any ConformanceSubject) throws {
        self.subject = subject
        owner = try subject.openSession()
    }

    /// Parents and children with what a schema can have: text keys, a unique column, a check, a
    /// foreign key.
    static let schema = """
        CREATE TABLE parent (
          id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, code INTEGER UNIQUE, price DECIMAL(10,2),
          CHECK (price >= 0));
        CREATE TABLE child (
          a INTEGER NOT NULL, b TEXT NOT NULL, parent TEXT REFERENCES parent(id), note TEXT,
          PRIMARY KEY (a, b));
        """

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(description: message()) }
    }

    func connection<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try subject.database.perform(work)
    }

    @discardableResult
    func attach(
        _ tables: [String]? = nil, scopes: ScopeSettings = ScopeSettings(),
        keys: [String: [String]] = [:]
    ) throws -> AttachReport {
        try connection { connection in
            var counter = 0
            return try Attachment(on: connection, scopes: scopes, keys: keys) {
                counter += 1
                return "id-\(counter)"
            }.attach(tables: tables, unscoping: true)
        }
    }

    /// Attaches with two existing rows in each transaction.
    func attachInBatches(
        addingKeysTo keyless: [String] = [], _ afterBatch: @escaping () throws -> Void
    ) throws {
        try connection { connection in
            var attachment = Attachment(on: connection, makeID: { "id" })
            attachment.batchRows = 2
            attachment.afterBatch = afterBatch
            _ = try attachment.attach(tables: nil, addingKeysTo: keyless)
        }
    }

    func insertParents(_ numbers: ClosedRange<Int>) throws {
        let rows = numbers.map { "('p\($0)', 'n')" }.joined(separator: ", ")
        try owner.execute("INSERT INTO parent (id, name) VALUES \(rows)")
    }

    /// Every parent that is there is tracked as live, and no other.
    func expectTrackedAsStored() throws {
        let table = try table("parent")
        try connection { connection in
            try connection.numberChanges()
            try Self.inSnapshot(connection) {
                let live = try connection.trackedRows(
                    table, in: .everything, .fromNothing(copiedAt: nil, within: nil), after: nil,
                    limit: 10_000
                ).map(\.key)
                let stored = try connection.run("SELECT id FROM parent", []).map { RowKey($0) }
                try expect(
                    Set(live) == Set(stored) && live.count == stored.count,
                    "\(live.count) rows are tracked, \(stored.count) are there")
            }
        }
    }

    func detach() throws { try connection { try Attachment(on: $0, makeID: { "id" }).detach() } }

    /// The usual beginning: the schema, attached, nothing in it.
    func prepare() throws {
        try owner.execute(Self.schema)
        try attach()
    }

    func table(_ name: String) throws -> AttachedTable {
        let rows = try connection { connection in
            try connection.run("SELECT number FROM moorage_table WHERE name = ?", [.text(name)])
        }
        guard case .integer(let number)? = rows.first?.first else {
            throw ConformanceFailure(description: "\(name) is not in moorage_table")
        }
        return AttachedTable(number: Int(number), description: try describe(name))
    }

    /// A table as it is attached.
    func attached(_ name: String) throws -> AttachedTable {
        guard
            let table = try connection({ try $0.attachedTables() }).first(where: { $0.name == name }
            )
        else { throw ConformanceFailure(description: "\(name) is not attached") }
        return table
    }

    /// What can be the key of a table without a primary key.
    func keyless(_ name: String) throws -> KeylessTable {
        let found = try connection { try $0.readTables() }.first { $0.name == name }
        guard let keyless = found?.keyless else {
            throw ConformanceFailure(
                description: "\(name) should lack a key alone: \(String(describing: found))")
        }
        return keyless
    }

    func describe(_ name: String) throws -> TableDescription {
        let found = try connection { try $0.readTables() }.first { $0.name == name }
        guard case .supported(let description)? = found?.support else {
            throw ConformanceFailure(
                description: "\(name) should be supported: \(String(describing: found))")
        }
        return description
    }

    func key(_ table: AttachedTable, _ values: Value...) -> RowKey { table.description.key(values) }

    /// The checkpoint after everything that is committed was numbered.
    func checkpoint() throws -> Checkpoint {
        try connection { connection in
            try connection.numberChanges()
            return try Self.inSnapshot(connection) { try connection.currentCheckpoint() }
        }
    }

    static func inSnapshot<Result>(
        _ connection: any CentralConnection, _ work: () throws -> Result
    ) throws -> Result {
        try connection.begin(.snapshot)
        defer { connection.rollback() }
        return try work()
    }

    func tracked(_ table: AttachedTable, _ query: TrackingQuery, limit: Int = 1000) throws
        -> [TrackedRow]
    {
        try connection { connection in
            try Self.inSnapshot(connection) {
                try connection.trackedRows(table, in: .everything, query, after: nil, limit: limit)
            }
        }
    }

    func changes(_ table: AttachedTable, since checkpoint: Checkpoint) throws -> [TrackedRow] {
        try connection { try $0.numberChanges() }
        return try tracked(table, .beyond(since: checkpoint, within: nil))
    }

    func compared(_ table: AttachedTable, beyond checkpoint: Checkpoint) throws
        -> [ComparedCentralRow]
    {
        try connection { connection in
            try Self.inSnapshot(connection) {
                try connection.rows(
                    table, after: nil, limit: 1000, in: ComparedScopes([.everything]),
                    beyond: checkpoint)
            }
        }
    }

    func rows(_ table: AttachedTable, _ keys: [RowKey]) throws -> [[Value]] {
        try connection { connection in
            try Self.inSnapshot(connection) {
                try connection.rows(table, keys: keys, in: [.everything])
            }
        }
    }

    /// Runs work in a write transaction that is committed.
    func write<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try connection { connection in
            try connection.begin(.write)
            do {
                let result = try work(connection)
                try connection.commit()
                return result
            } catch {
                connection.rollback()
                throw error
            }
        }
    }

    /// The code with which one piece of work is refused, undone by its savepoint.
    func refusal(_ work: (any CentralConnection) throws -> Void) throws -> Refusal.Code? {
        try write { connection in
            try connection.savepoint()
            do {
                try connection.deferConstraints()
                try work(connection)
                try connection.releaseSavepoint()
                return nil
            } catch let error as CentralError {
                try connection.rollbackToSavepoint()
                guard case .refused(let refusal) = error.kind else { throw error }
                return refusal.code
            }
        }
    }
}
