import MoorageCore
import MoorageHub
import MoorageTesting

@testable import MooragePostgres

/// Why a test could not go on.
struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Short words for what the tests do with a connector.
extension PostgresSubject {
    @discardableResult
    func attach(
        _ tables: [String]? = nil, scopes: ScopeSettings = ScopeSettings()
    ) throws -> AttachReport {
        try postgres.perform { connection in
            var counter = 0
            return try Attachment(on: connection, scopes: scopes) {
                counter += 1
                return "id-\(counter)"
            }.attach(tables: tables)
        }
    }

    func table(_ name: String) throws -> AttachedTable {
        try postgres.perform { connection in
            let rows = try connection.run(
                "SELECT number FROM moorage_table WHERE name = ?", [.text(name)])
            guard case .integer(let number)? = rows.first?.first else {
                throw TestFailure("\(name) is not attached")
            }
            return AttachedTable(number: Int(number), description: try describe(name, connection))
        }
    }

    func describe(_ name: String) throws -> TableDescription {
        try postgres.perform { try describe(name, $0) }
    }

    private func describe(_ name: String, _ connection: any CentralConnection) throws
        -> TableDescription
    {
        let found = try connection.readTables().first { $0.name == name }
        guard case .supported(let description)? = found?.support else {
            throw TestFailure("\(name): \(String(describing: found?.support))")
        }
        return description
    }

    func checkpoint() throws -> Checkpoint {
        try snapshot { try $0.currentCheckpoint() }
    }

    func snapshot<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try postgres.perform { connection in
            try connection.begin(.snapshot)
            return try work(connection)
        }
    }

    func write<Result>(_ work: (any CentralConnection) throws -> Result) throws -> Result {
        try postgres.perform { connection in
            try connection.begin(.write)
            let result = try work(connection)
            try connection.commit()
            return result
        }
    }

    /// The keys that changed beyond a checkpoint, each with `+` when it lives and `-` when it is gone.
    func changes(_ table: AttachedTable, since checkpoint: Checkpoint) throws -> Set<String> {
        try tracked(table, .beyond(since: checkpoint, within: nil))
    }

    /// Every tracking row, also of rows that came and went in one transaction.
    func tracked(_ table: AttachedTable, _ query: TrackingQuery = .all) throws -> Set<String> {
        let rows = try snapshot {
            try $0.trackedRows(table, in: .everything, query, after: nil, limit: 100_000)
        }
        return Set(
            rows.map { ($0.isLive ? "+" : "-") + $0.key.values.map(\.plain).joined(separator: ",") }
        )
    }
}

extension Value {
    var plain: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
    }
}

/// The refusal that a piece of work ends with.
func refusal(_ work: () throws -> Void) throws -> Refusal {
    do {
        try work()
    } catch let error as CentralError {
        if case .refused(let refusal) = error.kind { return refusal }
        throw error
    }
    throw TestFailure("nothing was refused")
}
