/// Tables sorted so that parents come before children. Tables that refer to each other form one
/// group.
///
/// The same tables in any order give the same result: where foreign keys leave a choice, names
/// decide.
struct ForeignKeyOrder {
    /// Positions in the given tables, parents first. A group of more than one is a cycle.
    private(set) var groups: [[Int]] = []

    /// From here on, each table is numbered by its place in name order.
    private let parents: [[Int]]
    private var index: [Int?]
    private var low: [Int]
    private var isOnStack: [Bool]
    private var stack: [Int] = []
    private var counter = 0

    init(_ tables: [TableDescription]) {
        let byName = tables.indices.sorted {
            tables[$0].name.utf8.lexicographicallyPrecedes(tables[$1].name.utf8)
        }
        var ranks: [Value: Int] = [:]
        for (rank, table) in byName.enumerated() where ranks[.text(tables[table].name)] == nil {
            ranks[.text(tables[table].name)] = rank
        }
        parents = byName.map { table in
            Set(tables[table].foreignKeys.compactMap { ranks[.text($0.referencedTable)] }).sorted()
        }
        index = Array(repeating: nil, count: tables.count)
        low = Array(repeating: 0, count: tables.count)
        isOnStack = Array(repeating: false, count: tables.count)
        for table in parents.indices where index[table] == nil { visit(from: table) }
        groups = groups.map { group in group.sorted().map { byName[$0] } }
    }

    /// Tarjan's strongly connected components, which come out parents first. The path is an array,
    /// not the call stack, because the author of the schema decides its length.
    private mutating func visit(from start: Int) {
        enter(start)
        var path: [(table: Int, next: Int)] = [(start, 0)]
        while let (table, next) = path.last {
            guard next < parents[table].count else {
                path.removeLast()
                if let child = path.last?.table { low[child] = min(low[child], low[table]) }
                if low[table] == index[table] { closeGroup(at: table) }
                continue
            }
            path[path.count - 1].next += 1
            let parent = parents[table][next]
            if let known = index[parent] {
                if isOnStack[parent] { low[table] = min(low[table], known) }
            } else {
                enter(parent)
                path.append((parent, 0))
            }
        }
    }

    private mutating func enter(_ table: Int) {
        index[table] = counter
        low[table] = counter
        counter += 1
        stack.append(table)
        isOnStack[table] = true
    }

    private mutating func closeGroup(at table: Int) {
        var group: [Int] = []
        while let member = stack.popLast() {
            isOnStack[member] = false
            group.append(member)
            if member == table { break }
        }
        groups.append(group)
    }
}
