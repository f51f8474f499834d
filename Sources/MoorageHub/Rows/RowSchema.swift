package import MoorageCore
import MoorageWire

/// The tables that a user may read, and what the user may do with each.
package struct RowSchema: Sendable {
    /// Changes with the tables.
    package let version: String
    /// In foreign-key order.
    package let tables: [RowTable]
    private let suspended: [Identifier: String]

    init(_ attached: AttachedSchema, _ rights: UserRights) {
        version = attached.schema.version
        suspended = attached.suspended
        let visible = attached.tables.filter {
            rights.mayRead($0.name) && $0.description.direction.isReceived
        }
        tables = visible.map { table in
            RowTable(
                table, rights, among: visible,
                isSuspended: attached.suspended[Identifier(table.name)] != nil)
        }
    }

    /// - Parameter name: The name in the central database, or one that apps use.
    /// - Throws: ``RowProblem`` for a table that the user may not see, or that is suspended.
    package func table(named name: String) throws -> RowTable {
        guard let table = tables.first(where: { $0.description.isKnown(as: name) }) else {
            throw RowProblem.unknownTable(name)
        }
        if let reason = suspended[Identifier(table.name)] { throw RowProblem.suspended(reason) }
        return table
    }
}

/// A table as a user may see and write it.
package struct RowTable: Sendable {
    /// The columns that users see. Columns are numbered as here.
    package var description: TableDescription { attached.description }
    /// How other tables are related to this one.
    package let relations: [RowRelation]
    /// Whether its rows can neither be read nor written, until the owner has attached it again.
    package let isSuspended: Bool
    let attached: AttachedTable
    private let rights: UserRights

    init(
        _ attached: AttachedTable, _ rights: UserRights, among tables: [AttachedTable],
        isSuspended: Bool
    ) {
        self.attached = attached
        self.rights = rights
        self.isSuspended = isSuspended
        relations = RowRelation.all(of: attached, among: tables)
    }

    package var name: String { attached.name }

    /// Whether a user may insert rows, with which columns beside the key's.
    package var insertable: [Int]? {
        guard description.direction.acceptsChanges, rights.mayInsert(name) else { return nil }
        return written { rights.mayInsert($0, of: name) }
    }

    /// The columns that a user may change in a row; empty where the user may change none.
    package var updatable: [Int] {
        guard description.direction.acceptsChanges else { return [] }
        return written { rights.refusal(ofUpdating: [$0], name) == nil }
    }

    /// Whether a user may delete rows.
    package var mayDelete: Bool { description.direction.acceptsChanges && rights.mayDelete(name) }

    /// Why a user may not write at all as a request asks; `nil` where it depends on the row.
    func refusal(of kind: RowWrite.Kind) -> Refusal? {
        guard description.direction.acceptsChanges else {
            return Refusal.tableFromHubAlone(name)
        }
        switch kind {
        case .insert: return rights.mayInsert(name) ? nil : Refusal.mayNotInsert(into: name)
        case .update: return rights.refusal(ofUpdating: [], name)
        case .upsert, .replace:
            return rights.mayInsert(name) ? nil : rights.refusal(ofUpdating: [], name)
        case .delete: return rights.mayDelete(name) ? nil : Refusal.mayNotDelete(from: name)
        }
    }

    private func written(_ isAllowed: (String) -> Bool) -> [Int] {
        description.columns.indices.filter { column in
            !description.isKey(column) && !description.columns[column].isGenerated
                && isAllowed(description.columns[column].name)
        }
    }

    package func column(named name: String) throws -> Int {
        guard let column = description.column(knownAs: name) else {
            throw RowProblem.unknownColumn(name, of: self.name)
        }
        return column
    }

    func relation(named name: String) throws -> RowRelation {
        guard let relation = relations.first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw RowProblem.unknownRelation(name, of: self.name, known: relations.map(\.name))
        }
        return relation
    }

    /// The names of the key's columns.
    var keyNames: [String] { description.primaryKey.map { description.columns[$0].name } }
}

/// How rows of another table belong to a row.
package struct RowRelation: Hashable, Sendable {
    /// For a row that this one refers to: the columns of the foreign key, joined by `+`. For rows
    /// that refer to this one: their table. `:` and the columns of their foreign key follow where it
    /// has several, or where the other kind of relation has the same name.
    package let name: String
    /// The other table.
    package let table: String
    /// Whether a row has several of them.
    package let isMany: Bool
    /// The columns of this table.
    let own: [Int]
    /// The columns of the other table that have the same values.
    let other: [Int]

    /// Databases report foreign keys in different orders, so the relations are in that of their
    /// names: first those to rows that a row refers to.
    static func all(of table: AttachedTable, among tables: [AttachedTable]) -> [RowRelation] {
        let parents = table.description.foreignKeys.compactMap { foreign -> RowRelation? in
            guard let parent = tables.first(where: { foreign.refers(to: $0) }),
                let columns = foreign.positions(in: parent.description)
            else { return nil }
            return RowRelation(
                name: table.names(of: foreign), table: parent.name, isMany: false,
                own: foreign.columns, other: columns)
        }
        let children = tables.flatMap { child -> [RowRelation] in
            let keys = child.description.foreignKeys.filter { $0.refers(to: table) }
            return keys.compactMap { foreign in
                guard let columns = foreign.positions(in: table.description) else { return nil }
                let isTaken = parents.contains { $0.name.hasSameBytes(as: child.name) }
                let suffix = keys.count > 1 || isTaken ? ":" + child.names(of: foreign) : ""
                return RowRelation(
                    name: child.name + suffix, table: child.name, isMany: true, own: columns,
                    other: foreign.columns)
            }
        }
        return [parents, children].flatMap { relations in
            relations.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }
}

extension ForeignKey {
    fileprivate func refers(to table: AttachedTable) -> Bool {
        referencedTable.hasSameBytes(as: table.name)
    }
}

extension AttachedTable {
    fileprivate func names(of foreign: ForeignKey) -> String {
        foreign.columns.map { description.columns[$0].name }.joined(separator: "+")
    }
}
