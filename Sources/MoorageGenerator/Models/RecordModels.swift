import MoorageCore
import MoorageWire

/// All records of a schema file, with the associations between them.
struct RecordModels {
    private(set) var records: [RecordModel]

    init(_ file: SchemaFile, _ uuids: ModelOptions.UUIDs) {
        var taken = SwiftNames()
        let names = file.schema.tables.map { table in
            var name = SwiftWords(table.names[0]).singular.upperCamel
            if name.isEmpty || SwiftNames.types.contains(name) { name += "Record" }
            return taken.unique(name)
        }
        records = zip(file.schema.tables, names).map { table, name in
            RecordModel(
                table, name: name, details: file.details[Identifier(table.name)],
                among: Set(names), uuids: uuids)
        }
        associate()
    }

    private mutating func associate() {
        let places = Dictionary(
            records.enumerated().map { (Identifier($1.table.name), $0) },
            uniquingKeysWith: { first, _ in first })
        var inverses: [(parent: Int, child: Int, reference: RecordModel.Reference, isOne: Bool)] =
            []
        for child in records.indices {
            let table = records[child].table
            for foreign in table.foreignKeys {
                guard let parent = places[Identifier(foreign.referencedTable)],
                    let positions = foreign.positions(in: records[parent].table)
                else { continue }
                let reference = RecordModel.Reference(
                    name: records[child].members.unique(
                        referenceName(foreign, from: child, to: parent)),
                    columns: foreign.columns.map { table.columns[$0].names[0] },
                    type: records[parent].name,
                    referencedColumns: positions.map { position in
                        records[parent].table.columns[position].names[0]
                    })
                records[child].references.append(reference)
                let isOne = ([table.primaryKey] + table.uniqueKeys).contains { key in
                    Set(key).isSubset(of: foreign.columns)
                }
                inverses.append((parent, child, reference, isOne))
            }
        }
        var counts: [[Int]: Int] = [:]
        for inverse in inverses { counts[[inverse.parent, inverse.child], default: 0] += 1 }
        for (parent, child, reference, isOne) in inverses {
            let table = records[child].table
            let words = SwiftWords(table.names[0])
            let isAlone = counts[[parent, child]] == 1
            // Two foreign keys between the same tables differ by their columns.
            var name = isOne ? words.singular.lowerCamel : words.lowerCamel
            if !isAlone { name += "By" + SwiftWords(reference.name).upperCamel }
            records[parent].inverses.append(
                RecordModel.Inverse(
                    name: records[parent].members.unique(name), type: records[child].name,
                    reference: reference.name, isOne: isOne))
        }
    }

    /// The column's name without its `id`, or the name of the other table.
    private func referenceName(_ foreign: ForeignKey, from child: Int, to parent: Int) -> String {
        let column = records[child].table.columns[foreign.columns[0]].names[0]
        if foreign.columns.count == 1, let words = SwiftWords(column).withoutID {
            return words.lowerCamel
        }
        return SwiftWords(records[parent].table.names[0]).singular.lowerCamel
    }
}
