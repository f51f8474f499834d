import MoorageCore
import MoorageHub

/// A table whose rows a request writes. It finds columns by any of their names at once.
struct WrittenTable: Sendable {
    let table: RowTable
    private let places: [Identifier: Int]

    init(_ table: RowTable) {
        self.table = table
        var places: [Identifier: Int] = [:]
        let columns = table.description.columns
        for (place, column) in columns.enumerated() { places[Identifier(column.name)] = place }
        for (place, column) in columns.enumerated() {
            for name in column.appNames.configured where places[Identifier(name)] == nil {
                places[Identifier(name)] = place
            }
        }
        self.places = places
    }

    func column(named name: String) throws(RESTProblem) -> Int {
        guard let place = places[Identifier(name)] else {
            throw .unknownColumn(name, of: table.name)
        }
        return place
    }
}

/// The tables of one request, each found once.
struct WrittenTables {
    let schema: RowSchema
    private var known: [Identifier: WrittenTable] = [:]

    init(_ schema: RowSchema) { self.schema = schema }

    /// - Throws: ``RESTProblem`` or ``RowProblem`` for a table that the user may not see, or that is
    ///   suspended.
    mutating func table(named name: String) throws -> WrittenTable {
        if let table = known[Identifier(name)] { return table }
        let table = WrittenTable(try schema.offeredTable(named: name))
        known[Identifier(name)] = table
        return table
    }
}
