import MoorageCore
import MoorageHub

/// What REST offers. Members whose names begin with `$` are not columns, so it does not offer a
/// table that has such a column.
extension RowSchema {
    var offered: [RowTable] { tables.filter(\.isOffered) }

    /// - Throws: ``RESTProblem`` or ``RowProblem`` for a table that the user may not see, or that is
    ///   suspended.
    func offeredTable(named name: String) throws -> RowTable {
        let table = try table(named: name)
        guard table.isOffered else { throw RESTProblem.unknownTable(name) }
        return table
    }

    /// The relations to other tables that are offered.
    func offeredRelations(of table: RowTable) -> [RowRelation] {
        table.relations.filter { relation in
            tables.first { $0.name.hasSameBytes(as: relation.table) }?.isOffered ?? false
        }
    }

    /// Throws for related rows of tables that are not offered.
    func check(_ related: [RelatedTree], of table: RowTable) throws {
        for tree in related {
            // The hub refuses a name that it does not know, and says which ones there are.
            guard
                let relation = table.relations.first(where: { $0.name.hasSameBytes(as: tree.name) })
            else { continue }
            guard let other = tables.first(where: { $0.name.hasSameBytes(as: relation.table) }),
                other.isOffered
            else { throw RESTProblem.unknownRelation(tree.name, of: table.name) }
            try check(tree.children, of: other)
        }
    }
}

extension RowTable {
    fileprivate var isOffered: Bool {
        !description.columns.contains { $0.name.utf8.first == UInt8(ascii: "$") }
    }
}

extension TableDescription {
    /// The names of the key's columns.
    var keyNames: [String] { primaryKey.map { columns[$0].name } }
}
