import MoorageCore
import MoorageHub

/// A row of a request with the rows that are linked to it, as places in a list of writes.
struct RowTree: Sendable {
    /// Rows by one relation.
    struct Linked: Sendable {
        let name: String
        let isMany: Bool
        let rows: [RowTree]
    }

    let place: Int
    private(set) var linked: [Linked] = []

    /// Writes what became of the row, and of those that are linked to it.
    func write(_ outcomes: [WriteOutcome], withRows hasRows: Bool, to writer: inout JSONWriter) {
        writer.object {
            outcomes[place].write(withRow: hasRows, to: &$0)
            if linked.isEmpty { return }
            $0.name("$related")
            $0.object {
                for part in linked {
                    $0.name(part.name)
                    part.write(outcomes, withRows: hasRows, to: &$0)
                }
            }
        }
    }
}

extension RowTree.Linked {
    fileprivate func write(
        _ outcomes: [WriteOutcome], withRows hasRows: Bool, to writer: inout JSONWriter
    ) {
        if isMany {
            writer.array { for row in rows { row.write(outcomes, withRows: hasRows, to: &$0) } }
        } else if let row = rows.first {
            row.write(outcomes, withRows: hasRows, to: &writer)
        } else {
            writer.null()
        }
    }
}

/// Reads a row of a request with the rows that are linked to it. All of them are written, or none
/// is.
struct RowTreeReading {
    /// One write, or why it is refused. A link leads to the place of another in this list.
    private var writes: [Result<RowWrite, RESTProblem>] = []
    private let schema: RowSchema
    /// How many writes come before these in the request, and how many of them the hub carries out.
    private let first: (place: Int, write: Int)

    private init(_ schema: RowSchema, _ first: (place: Int, write: Int)) {
        self.schema = schema
        self.first = first
    }

    /// Adds the writes of a row and of those that are linked to it.
    ///
    /// - Parameters:
    ///   - json: The row, with or without `$related`.
    ///   - kind: Of the row itself. The others are changed where they exist, and otherwise
    ///     inserted.
    static func add(
        _ json: JSON, _ kind: RowWrite.Kind, _ name: String, to list: inout WriteList,
        _ tables: inout WrittenTables
    ) throws -> RowTree {
        var reading = RowTreeReading(tables.schema, (list.count, list.writes.count))
        let tree: RowTree
        do {
            let table = try tables.table(named: name)
            tree = try reading.add(json, kind, table, level: 0, &tables)
        } catch {
            guard let problem = RESTProblem(refusal: error), problem.status != 413 else {
                throw error
            }
            reading.writes = [.failure(problem)]
            tree = RowTree(place: list.count)
        }
        try reading.finish(into: &list)
        return tree
    }

    private mutating func finish(into list: inout WriteList) throws {
        let isRefused = writes.contains { if case .failure = $0 { true } else { false } }
        let isTree = writes.count > 1
        for write in writes {
            try list.add {
                var write = try write.get()
                if isRefused { throw RESTProblem.notWritten }
                if isTree { write.group = first.place }
                return write
            }
        }
    }

    /// - Throws: What refuses the whole row, or the whole request.
    private mutating func add(
        _ json: JSON, _ kind: RowWrite.Kind, _ table: WrittenTable, level: Int,
        _ tables: inout WrittenTables
    ) throws -> RowTree {
        let parts = try linked(json, of: table.table, level: level)
        var linked: [RowTree.Linked] = []
        var links: [RowLink] = []
        // A row comes behind those that it refers to, and before those that refer to it.
        for (relation, rows) in parts where !relation.isMany {
            let other = try tables.table(named: relation.table)
            let trees = try rows.map { try add($0, .upsert, other, level: level + 1, &tables) }
            linked.append(.init(name: relation.name, isMany: false, rows: trees))
            for tree in trees {
                links.append(RowLink(toReferenced: write(of: tree), by: relation))
            }
        }
        let tree = try append(json, kind, table, links)
        for (relation, rows) in parts where relation.isMany {
            let other = try tables.table(named: relation.table)
            let link = RowLink(toReferenced: write(of: tree), byReversed: relation)
            let trees = try rows.map { row in
                let tree = try add(row, .upsert, other, level: level + 1, &tables)
                self.link(tree, link)
                return tree
            }
            linked.append(.init(name: relation.name, isMany: true, rows: trees))
        }
        return RowTree(place: tree.place, linked: linked)
    }

    /// The place of a row among the writes of the hub. It counts where none of these is refused.
    private func write(of tree: RowTree) -> Int { tree.place - first.place + first.write }

    private mutating func link(_ tree: RowTree, _ link: RowLink) {
        let place = tree.place - first.place
        writes[place] = writes[place].map { write in
            var write = write
            write.links.append(link)
            return write
        }
    }

    private mutating func append(
        _ json: JSON, _ kind: RowWrite.Kind, _ table: WrittenTable, _ links: [RowLink]
    ) throws(RESTProblem) -> RowTree {
        let tree = RowTree(place: first.place + writes.count)
        guard tree.place < BatchBody.mostWrites else {
            throw .tooManyWrites(most: BatchBody.mostWrites)
        }
        writes.append(
            Result { () throws(RESTProblem) -> RowWrite in
                let row = WrittenRow.document(json)
                // A new row has no version yet.
                let etag = kind == .insert ? nil : try row.etag()
                var write = RowWrite(
                    kind, in: table.table, values: try row.values(of: table),
                    precondition: etag.map { .isOneOf([$0]) } ?? .none)
                write.links = links
                return write
            })
        return tree
    }

    /// The rows in `$related`, by their relations.
    private func linked(
        _ json: JSON, of table: RowTable, level: Int
    ) throws -> [(relation: RowRelation, rows: [JSON])] {
        guard let related = json["$related"], !related.isNull else { return [] }
        guard let members = related.section else {
            throw RESTProblem.noRelated(table.name, isMany: false)
        }
        guard members.isEmpty || level < RowReader.mostLevels else {
            throw RowProblem.tooDeep(most: RowReader.mostLevels)
        }
        let offered = schema.offeredRelations(of: table)
        return try members.map { name, value in
            guard let relation = offered.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw RESTProblem.unknownRelation(name, of: table.name)
            }
            if let list = value.list, relation.isMany || list.isEmpty { return (relation, list) }
            guard !relation.isMany, case .object = value else {
                throw RESTProblem.noRelated(name, isMany: relation.isMany)
            }
            return (relation, [value])
        }
    }
}
