import MoorageCore
package import MoorageWire

/// Schemas with what tools want to know of them.
extension SeededGenerator {
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
