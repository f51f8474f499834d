/// Tables sorted so that parents come before children; tables that refer to each other stand in one
/// group.
struct ForeignKeyOrder {
    /// Positions in the tables given, parents first; a group of more than one is a cycle.
    private(set) var groups: [[Int]] = []

    private var parents: [[Int]]
    private var index: [Int?]
    private var low: [Int]
    private var isOnStack: [Bool]
    private var stack: [Int] = []
    private var counter = 0

    init(_ tables: [TableDescription]) {
        // Names first, so that the same tables in another order give the same schema.
        let byName = tables.indices.sorted {
            tables[$0].name.utf8.lexicographicallyPrecedes(tables[$1].name.utf8)
        }
        parents = tables.map { table in
            table.foreignKeys.compactMap { foreign in
                tables.firstIndex { $0.name.hasSameBytes(as: foreign.referencedTable) }
            }.sorted()
        }
        index = Array(repeating: nil, count: tables.count)
        low = Array(repeating: 0, count: tables.count)
        isOnStack = Array(repeating: false, count: tables.count)
        for table in byName where index[table] == nil { visit(table) }
    }

    /// Tarjan's strongly connected components: they come out parents first.
    private mutating func visit(_ table: Int) {
        index[table] = counter
        low[table] = counter
        counter += 1
        stack.append(table)
        isOnStack[table] = true
        for parent in parents[table] {
            if let known = index[parent] {
                if isOnStack[parent] { low[table] = min(low[table], known) }
            } else {
                visit(parent)
                low[table] = min(low[table], low[parent])
            }
        }
        guard low[table] == index[table] else { return }
        var group: [Int] = []
        while let member = stack.popLast() {
            isOnStack[member] = false
            group.append(member)
            if member == table { break }
        }
        groups.append(group.sorted())
    }
}
