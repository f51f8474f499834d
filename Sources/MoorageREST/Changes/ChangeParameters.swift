import MoorageCore
import MoorageHub

/// What a request for changes asks (docs/reference/changes.md), before the hub knows its tables.
struct ChangeParameters: Sendable {
    /// Changes of a page.
    static let limits = 1...1_000
    static let usualLimit = 100
    /// More tables than any request needs.
    static let mostTables = 1_000
    /// `since` for whoever wants only what comes from now on.
    private static let now = "now"

    private let start: ChangeRequest.Start
    private let limit: Int
    /// `nil` for all tables.
    private let tables: [String]?

    /// - Parameter readsLastID: Whether the header of a stream that goes on counts.
    init(_ request: RESTRequest, readsLastID: Bool) throws(RESTProblem) {
        let parameters = try QueryParameters(request.query, [.since, .tables, .limit])
        limit = try parameters.limit(Self.limits) ?? Self.usualLimit
        if let text = parameters[.tables] { tables = try Self.names(text) } else { tables = nil }
        let lastID = readsLastID ? try Self.lastID(request) : nil
        start =
            switch lastID ?? parameters[.since] {
            case nil: .beginning
            case Self.now: .now
            case let position?: .after(position)
            }
    }

    /// - Returns: `nil` where the request has none, or an empty one, which names no event.
    private static func lastID(_ request: RESTRequest) throws(RESTProblem) -> String? {
        let values = request.values(of: "Last-Event-ID")
        guard values.count <= 1 else { throw .twoLastIDs }
        return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func names(_ text: String) throws(RESTProblem) -> [String] {
        var names: [String] = []
        var reading = NameReading(text)
        repeat {
            guard names.count < mostTables, let name = reading.name(before: [","]) else {
                throw .badTables
            }
            names.append(name)
        } while reading.skip(",")
        return names
    }

    var changes: ChangeRequest {
        ChangeRequest(from: start, limit: limit) { [tables] schema in
            let names = tables ?? schema.offered.map(\.name)
            return try names.map { try schema.offeredTable(named: $0) }
        }
    }
}
