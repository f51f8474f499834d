import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire

@testable import MoorageHub

/// A program that reads changes and replays them into a dictionary.
struct FeedProgram {
    let hub: Hub
    var principal: Principal?
    /// `nil` for all tables.
    var tables: [String]?
    var limit = 1_000
    var maximumBytes = 1_000_000
    private(set) var position: String?
    private(set) var rows: [RowName: [Value]] = [:]
    /// How often it had to begin again.
    private(set) var beginnings = 0

    init(_ hub: Hub, as principal: Principal? = nil, tables: [String]? = nil, limit: Int = 1_000) {
        self.hub = hub
        self.principal = principal
        self.tables = tables
        self.limit = limit
    }

    func request(_ start: ChangeRequest.Start) -> ChangeRequest {
        var request = ChangeRequest(from: start, limit: limit) { [tables] schema in
            try tables?.map { try schema.table(named: $0) } ?? schema.tables
        }
        request.maximumBytes = maximumBytes
        return request
    }

    /// Reads a page without replaying it.
    func page(_ start: ChangeRequest.Start) async throws -> ChangePage {
        try await hub.changes(for: principal, request(start))
    }

    /// Reads the next page. Where the position has expired, it begins again.
    @discardableResult
    mutating func read() async throws -> ChangePage {
        do {
            let page = try await page(position.map { .after($0) } ?? .beginning)
            replay(page.changes)
            position = page.next
            return page
        } catch let problem as RowProblem where problem.kind == .expired && position != nil {
            beginnings += 1
            position = nil
            rows = [:]
            return try await read()
        }
    }

    /// Reads until there is nothing more.
    ///
    /// - Returns: The changes as texts, such as `insert line 1,2`.
    @discardableResult
    mutating func readAll() async throws -> [String] {
        var texts: [String] = []
        var isAtEnd = false
        while !isAtEnd {
            let page = try await read()
            texts += page.changes.map(\.text)
            isAtEnd = !page.hasMore
        }
        return texts
    }

    private mutating func replay(_ changes: [RowChange]) {
        for change in changes {
            rows[RowName(table: change.table.name, key: change.key)] = change.row?.values
        }
    }

    /// The rows that the user may see now.
    func visible() async throws -> [RowName: [Value]] {
        let tables = tables
        return try await hub.readRows(for: principal) { reader in
            var rows: [RowName: [Value]] = [:]
            for table in try tables?.map({ try reader.schema.table(named: $0) })
                ?? reader.schema.tables
            {
                for row in try reader.page(of: RowList(of: table, limit: 10_000)).rows {
                    let key = table.description.key(of: row.values)
                    rows[RowName(table: table.name, key: key)] = row.values
                }
            }
            return rows
        }
    }
}

extension RowChange {
    /// `insert line 1,2`
    var text: String {
        let values = key.values.map { value in
            switch value {
            case .integer(let number): "\(number)"
            case .text(let text): text
            default: "\(value)"
            }
        }
        return "\(kind.rawValue) \(table.name) \(values.joined(separator: ","))"
    }
}

extension HubBench {
    /// Gives a number to what was written. What follows has a later one.
    func number() throws { try database.perform { try $0.numberChanges() } }

    /// Statements, each as a transaction with a number of its own.
    func steps(_ statements: String...) throws {
        for statement in statements {
            try sql(statement)
            try number()
        }
    }
}
