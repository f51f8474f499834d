extension TableModel {
    private static let names = ["item", "order", "tag", "visit", "Note"]
    private static let actions = ["NO ACTION", "RESTRICT", "CASCADE", "CASCADE", "SET NULL"]

    /// - Parameter lowered: Of how many in a hundred texts the centre makes lower case.
    static func random(
        number: Int, of count: Int, lowered: Int = 10, _ random: inout SeededGenerator
    ) -> TableModel {
        let isStrict = random.chance(25)
        var table = TableModel(name: names[number % names.count], columns: [])
        table.isStrict = isStrict
        let keyKinds: [Kind] =
            isStrict
            ? [.text, .integer, .blob] : [.text, .text, .integer, .integer, .uuid, .blob]
        for index in 0..<(random.chance(30) ? 2 : 1) {
            table.columns.append(
                Column(
                    name: index == 0 ? "id" : "sub", kind: random.pick(keyKinds) ?? .text,
                    isKey: true))
        }
        table.isWithoutRowID = random.chance(25)
        for index in 0..<Int.random(in: 1...3, using: &random) {
            var column = Column(name: ["a", "b", "c"][index], kind: .text)
            column.isLowered = random.chance(lowered)
            if random.chance(15) {
                column.isNotNull = true
                column.defaultSQL = "'none'"
            }
            // At most one side lacks a column, and never the last one that both have.
            if index > 0, random.chance(8) { column.isMissingOnDevices = true }
            if index > 0, !column.isMissingOnDevices, random.chance(8) {
                column.isMissingAtCentre = true
            }
            table.columns.append(column)
        }
        if random.chance(50) {
            table.columns.append(
                Column(
                    name: "code", kind: .integer, isUnique: true))
        }
        if random.chance(40) {
            var column = Column(
                name: "n", kind: random.pick([.integer, .real, .blob]) ?? .integer)
            if column.kind == .integer, random.chance(50) { column.centralCheck = "n <> 7" }
            if random.chance(20) { column.defaultSQL = column.kind == .blob ? "x'00'" : "5" }
            table.columns.append(column)
        }
        return table
    }

    /// Refers to others, to itself, or in a circle.
    mutating func addForeignKeys(
        number: Int, in tables: [TableModel], _ random: inout SeededGenerator
    ) {
        for index in 0..<2 where random.chance(index == 0 ? 65 : 20) {
            let parent = Int.random(in: 0..<tables.count, using: &random)
            let isAhead = parent >= number
            let isNotNull = !isAhead && random.chance(35)
            var names: [String] = []
            for key in tables[parent].keys {
                let name = "ref\(index)_\(key.name)"
                names.append(name)
                columns.append(
                    Column(
                        name: name, kind: key.kind == .uuid && isStrict ? .text : key.kind,
                        isNotNull: isNotNull, foreignKey: foreignKeys.count))
            }
            let actions = isNotNull ? ["NO ACTION", "RESTRICT", "CASCADE"] : Self.actions
            foreignKeys.append(
                ForeignKey(
                    columns: names, parent: parent, onDelete: random.pick(actions) ?? "NO ACTION",
                    onUpdate: random.pick(actions) ?? "NO ACTION",
                    isDeferred: random.chance(isAhead ? 60 : 15)))
        }
    }
}
