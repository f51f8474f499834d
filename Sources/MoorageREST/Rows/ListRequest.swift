import MoorageCore
import MoorageHub
import MoorageWire

/// What a request asks to read, before the hub knows its table.
struct ListRequest: Sendable {
    /// Rows of a page.
    static let limits = 1...1_000
    static let usualLimit = 100
    /// More columns than any order is made of.
    static let mostSorted = 16
    /// More columns than any table has.
    private static let mostColumns = 4_096

    private var filter: RowFilter?
    private var order: [(column: String, isDescending: Bool)] = []
    private var limit = Self.usualLimit
    private var after: String?
    private(set) var isCounted = false
    private(set) var columns: [String]?
    private(set) var related: [RelatedTree] = []

    /// - Parameter parameters: Of a list, or those of them that a single row has.
    init(_ parameters: QueryParameters) throws(RESTProblem) {
        if let text = parameters[.columns] { columns = try Self.names(text) }
        if let text = parameters[.related] { related = try RelatedTree.all(of: text) }
        if let text = parameters[.filter] { filter = try Self.filter(text) }
        if let text = parameters[.sort] { order = try Self.order(text) }
        if let limit = try parameters.limit(Self.limits) { self.limit = limit }
        after = parameters[.after]
        isCounted = try parameters.flag(.count) ?? false
    }

    func list(of table: RowTable) -> RowList {
        var list = RowList(of: table, limit: limit)
        list.filter = filter
        list.order = order
        list.after = after
        list.related = related
        list.isCounted = isCounted
        return list
    }

    private static func filter(_ text: String) throws(RESTProblem) -> RowFilter {
        do throws(HubError) {
            return try RowFilter(text)
        } catch {
            throw .wrongFilter(error.message)
        }
    }

    private static func order(
        _ text: String
    ) throws(RESTProblem) -> [(column: String, isDescending: Bool)] {
        var order: [(column: String, isDescending: Bool)] = []
        var reading = NameReading(text)
        repeat {
            guard order.count < mostSorted else { throw .tooManySorted(most: mostSorted) }
            reading.skipSpaces()
            let isDescending = reading.skip("-")
            guard let name = reading.name(before: [","]) else { throw .badSort }
            order.append((name, isDescending))
        } while reading.skip(",")
        return order
    }

    private static func names(_ text: String) throws(RESTProblem) -> [String] {
        var names: [String] = []
        var reading = NameReading(text)
        repeat {
            guard names.count < mostColumns, let name = reading.name(before: [","]) else {
                throw .badColumns
            }
            names.append(name)
        } while reading.skip(",")
        return names
    }
}
