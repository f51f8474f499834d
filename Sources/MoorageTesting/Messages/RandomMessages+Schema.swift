package import MoorageCore
package import MoorageWire

/// Schemas with what tools want to know of them.
extension SeededGenerator {
    package mutating func schema() -> SchemaDescription {
        let names = (0..<(below(4) + 1)).map { "\($0)" + text() }
        let actions: [ForeignKey.Action] = [.noAction, .restrict, .cascade, .setNull, .setDefault]
        return SchemaDescription(
            tables: names.map { name in
                let count = below(4) + 1
                let columns = (0..<count).map { index in
                    var column = ColumnDescription(
                        name: "\(index)" + text(), type: columnType(), isNullable: flag(),
                        defaultValue: one(of: [.none, .central, .value(value())]),
                        isGenerated: flag())
                    column.appNames = appNames()
                    return column
                }
                func positions() -> [Int] {
                    Array((0..<count).shuffled(using: &self).prefix(below(count) + 1))
                }
                var table = TableDescription(
                    name: name, columns: columns, primaryKey: positions(),
                    uniqueKeys: (0..<below(3)).map { _ in positions() },
                    foreignKeys: (0..<below(3)).map { _ in
                        let columns = positions()
                        return ForeignKey(
                            columns: columns, referencedTable: one(of: names),
                            referencedColumns: columns.map { "\($0)" + text() },
                            onDelete: one(of: actions), onUpdate: one(of: actions),
                            isDeferrable: flag())
                    }, direction: one(of: TableDirection.allCases),
                    granularity: one(of: TableRules.Granularity.allCases),
                    keyBlock: maybe { $0.below(1_000_000) })
                table.appNames = appNames()
                return table
            })
    }

    private mutating func appNames() -> AppNames {
        AppNames(
            name: maybe { $0.text() }, renamedFrom: (0..<below(3)).map { "\($0)" + text() })
    }

    package mutating func schemaAnswer() -> SchemaAnswer {
        let schema = schema()
        var details: [Identifier: TableDetails] = [:]
        for table in schema.tables where flag() {
            details[Identifier(table.name)] = tableDetails(columns: table.columns.count)
        }
        return SchemaAnswer(
            hub: text(), schema: schema, suspended: suspended(), details: details)
    }

    private mutating func tableDetails(columns count: Int) -> TableDetails {
        var columns: [Int: ColumnDetails] = [:]
        for position in 0..<count where flag() { columns[position] = columnDetails() }
        return TableDetails(
            comment: maybe { $0.text() }, checks: list { $0.text() },
            indexes: list { random in
                Array((0..<count).shuffled(using: &random).prefix(random.below(count) + 1))
            }, columns: columns)
    }

    private mutating func columnDetails() -> ColumnDetails {
        ColumnDetails(
            original: maybe { $0.text() }, comment: maybe { $0.text() }, labels: list { $0.text() },
            isFile: flag())
    }
}
