import MoorageCore
import MoorageHub

@testable import MoorageMySQL

/// What a device that follows every table would have. It learns of a change only from the tracking
/// tables. The tests compare it with the rows as they are.
final class Mirror {
    private struct Place: Hashable {
        let table: String
        let scope: String
    }

    private let subject: MySQLSubject
    private var checkpoint: Checkpoint?
    private var held: [Place: [RowKey: [Value]]] = [:]

    init(_ subject: MySQLSubject) throws {
        self.subject = subject
        try follow()
    }

    /// Reads what changed since the last call.
    func follow() throws {
        try subject.inConnection { connection in
            try connection.numberChanges()
            try connection.begin(.snapshot)
            defer { connection.rollback() }
            for table in try connection.attachedTables() {
                for scope in try Self.scopes(of: table, connection) {
                    try follow(table, scope, connection)
                }
            }
            checkpoint = try connection.currentCheckpoint()
        }
    }

    private static func scopes(of table: AttachedTable, _ connection: MySQLConnection) throws
        -> [String]
    {
        let answer = try connection.link.query(
            "SELECT DISTINCT CONVERT(scope USING utf8mb4) FROM \(table.objectName("track"))",
            Parameters(), [.text], isKept: false)
        return (0..<answer.rowCount).compactMap { answer.text($0, 0) }
    }

    private func follow(_ table: AttachedTable, _ scope: String, _ connection: MySQLConnection)
        throws
    {
        let query: TrackingQuery =
            checkpoint.map { .beyond(since: $0, within: nil) }
            ?? .fromNothing(copiedAt: nil, within: nil)
        let content = try connection.content(
            table, columns: Array(table.description.columns.indices), in: Scope(scope), query,
            after: nil, limit: 1_000_000)
        let place = Place(table: table.name, scope: scope)
        for index in 0..<content.count {
            let key = table.description.key(content.keys[index])
            held[place, default: [:]][key] = content.isFound[index] ? content.rows[index] : nil
        }
    }

    /// Follows, and lists what differs from the owner's tables; empty if nothing does.
    func differences() throws -> [String] {
        try follow()
        let truth = try truth()
        var found: [String] = []
        for place in Set(held.keys).union(truth.keys) {
            let (here, there) = (held[place] ?? [:], truth[place] ?? [:])
            for key in Set(here.keys).union(there.keys) where here[key] != there[key] {
                let words = here[key] == nil ? "missing" : there[key] == nil ? "too much" : "old"
                found.append("\(place.table) \(key.values) in \(place.scope) is \(words)")
            }
        }
        return found.sorted()
    }

    private func truth() throws -> [Place: [RowKey: [Value]]] {
        try subject.inConnection { connection in
            var truth: [Place: [RowKey: [Value]]] = [:]
            for table in try connection.attachedTables() {
                let shape = try connection.shape(of: table)
                for (query, hasScope) in Self.queries(table, shape) {
                    let answer = try connection.link.query(
                        query, Parameters(), shape.columnKinds + [.text], isKept: false)
                    for row in 0..<answer.rowCount {
                        let values = shape.row(answer, row, from: 0)
                        let scope =
                            hasScope ? answer.text(row, shape.columns.count) ?? "" : "*"
                        truth[Place(table: table.name, scope: scope), default: [:]][
                            table.description.key(of: values)] = values
                    }
                }
            }
            return truth
        }
    }

    private static func queries(_ table: AttachedTable, _ shape: TableShape) -> [(String, Bool)] {
        guard !table.scopes.isEmpty else {
            return [("SELECT \(shape.outputs("l0")) FROM \(shape.name) AS l0", false)]
        }
        return table.scopes.map { ScopeSQL($0, in: MySQLScopes()) }.map { path in
            (
                """
                SELECT DISTINCT \(shape.outputs("l0")), \(path.scope) AS scope FROM \(path.joined)
                WHERE \(path.condition) AND \(path.scope) IS NOT NULL
                """, true
            )
        }
    }
}

extension MySQLSubject {
    func inConnection<Result>(_ work: (MySQLConnection) throws -> Result) throws -> Result {
        try mysql.perform { connection in
            guard let connection = connection as? MySQLConnection else {
                throw TestFailure("no connection of the connector")
            }
            return try work(connection)
        }
    }

    @discardableResult
    func attach(_ tables: [String]? = nil, scopes: ScopeSettings = ScopeSettings()) throws
        -> AttachReport
    {
        try mysql.perform {
            try Attachment(on: $0, scopes: scopes, makeID: { "an id" }).attach(tables: tables)
        }
    }

    func detach() throws {
        try mysql.perform { try Attachment(on: $0, makeID: { "an id" }).detach() }
    }
}
