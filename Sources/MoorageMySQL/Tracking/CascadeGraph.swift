import MoorageCore
import MoorageHub

/// The chains of a ``CascadeTree`` in one recursive statement, for where they are too many to write
/// one by one. That happens where a table refers to itself, or tables refer to each other, more
/// than once. The statement collects rows as the actions do (docs/decisions/0040).
struct CascadeGraph {
    /// What happens to a table's row in a chain.
    struct State: Hashable {
        let table: String
        /// Otherwise some of its columns change.
        let isDeleted: Bool
        let changed: [String]
    }

    /// From a row to one that refers to it. A `from` of `nil` is the row where the actions begin.
    private struct Step: Hashable {
        let from: State?
        let edge: ForeignEdge
        let to: State
    }

    /// The table where the actions begin.
    let root: String
    let isDelete: Bool
    private let target: String
    private let steps: [Step]

    /// One graph for each table from which actions reach `table`, for a delete and for an update.
    static func all(to table: String, edges: [ForeignEdge]) -> [CascadeGraph] {
        let roots = Set(edges.filter(\.acts).map(\.parent)).sorted()
        return roots.flatMap { root in
            [true, false].compactMap { isDelete in
                CascadeGraph(from: root, isDelete: isDelete, to: table, edges: edges)
            }
        }
    }

    /// - Returns: `nil` where no chain leads to the target.
    private init?(from root: String, isDelete: Bool, to target: String, edges: [ForeignEdge]) {
        var steps: [Step] = []
        var known: Set<State> = []
        var open: [State?] = [nil]
        while let state = open.popLast() {
            let table = state?.table ?? root
            for edge in edges where edge.parent.hasSameBytes(as: table) {
                let changed =
                    state.map(edge.changed(by:))
                    ?? (isDelete ? edge.changedByDelete : edge.changedByUpdate)
                guard let changed else { continue }
                let isDeleted = (state?.isDeleted ?? isDelete) && changed.isEmpty
                let next = State(table: edge.child, isDeleted: isDeleted, changed: changed)
                steps.append(Step(from: state, edge: edge, to: next))
                if known.insert(next).inserted { open.append(next) }
            }
        }
        // Keeps only the steps that lead to the target.
        var leading = known.filter { $0.table.hasSameBytes(as: target) }
        guard !leading.isEmpty else { return nil }
        var isGrowing = true
        while isGrowing {
            let more = steps.filter { leading.contains($0.to) }.compactMap(\.from)
            isGrowing = !leading.isSuperset(of: more)
            leading.formUnion(more)
        }
        self.root = root
        self.isDelete = isDelete
        self.target = target
        self.steps = steps.filter { leading.contains($0.to) }
    }

    /// The states in which the statement collects rows, in the order of their numbers.
    private var states: [State] {
        var states: [State] = []
        for step in steps where !states.contains(step.to) { states.append(step.to) }
        return states
    }

    /// The columns of the root that decide whether an update of its row starts actions.
    var referenced: [String] {
        Set(steps.filter { $0.from == nil }.flatMap(\.edge.referenced)).sorted()
    }

    /// Whether an update changes one of the columns in rows of the target.
    func changes(_ columns: [String]) -> Bool {
        states.contains { $0.isRenaming(columns, in: target) }
    }

    /// The rows that the actions reach, as ``CascadeTree/Chain/rows(below:_:where:_:)`` reads them.
    ///
    /// - Parameters:
    ///   - columns: The columns of the target that the outputs need.
    ///   - renaming: If set, only rows in which one of these columns changes.
    ///   - condition: Which rows to select, by the name of the target.
    func rows(
        below row: String, _ lock: CascadeTree.Chain.RowLock, columns: [String],
        renaming: [String]?, where condition: (String) -> String, _ outputs: (String) -> String
    ) -> String {
        let states = states
        var carried = columns.map { Carried(table: target, column: $0) }
        for step in steps {
            for name in step.edge.referenced {
                guard let from = step.from else { continue }
                let column = Carried(table: from.table, column: name)
                if !carried.contains(column) { carried.append(column) }
            }
        }
        func place(_ table: String, _ column: String) -> Int {
            carried.firstIndex(of: Carried(table: table, column: column)) ?? 0
        }
        // Gives the carried columns their own types and collations, and allows NULL, so that
        // comparisons use the indexes.
        let tables = Set(carried.map(\.table)).sorted()
        var arms = [
            """
            SELECT 0 AS state, \(carried.indices.map { place in
                let column = carried[place]
                return "t\(tables.firstIndex(of: column.table) ?? 0).\(SQLText.name(column.column)) AS c\(place)"
            }.joined(separator: ", "))
            FROM (SELECT 1 AS one) AS o\(tables.enumerated().map {
                " LEFT JOIN \(SQLText.name($1)) AS t\($0) ON 1 = 0"
            }.joined()) WHERE 1 = 0
            """
        ]
        for step in steps.filter({ $0.from == nil }) + steps.filter({ $0.from != nil }) {
            let number = (states.firstIndex(of: step.to) ?? 0) + 1
            let values = carried.map {
                $0.table.hasSameBytes(as: step.to.table) ? "c.\(SQLText.name($0.column))" : "NULL"
            }
            var conditions = zip(step.edge.columns, step.edge.referenced).map {
                column, referenced in
                let value =
                    step.from.map { "w.c\(place($0.table, referenced))" }
                    ?? "\(row).\(SQLText.name(referenced))"
                return "c.\(SQLText.name(column)) = \(value)"
            }
            var source = "\(SQLText.name(step.edge.child)) AS c"
            if let from = step.from {
                source = "w STRAIGHT_JOIN \(source)"
                conditions.append("w.state = \((states.firstIndex(of: from) ?? 0) + 1)")
            } else if !isDelete {
                conditions.append("NOT (\(Self.same(step.edge.referenced)))")
            }
            arms.append(
                """
                (SELECT \(number), \(values.joined(separator: ", ")) FROM \(source)
                 WHERE \(conditions.joined(separator: " AND ")) \(lock.rawValue))
                """)
        }
        let reached = states.enumerated().filter { _, state in
            renaming.map { state.isRenaming($0, in: target) }
                ?? state.table.hasSameBytes(as: target)
        }.map { String($0.offset + 1) }
        let names = columns.map { "w.c\(place(target, $0)) AS \(SQLText.name($0))" }
        return """
            WITH RECURSIVE w AS (
            \(arms.joined(separator: "\n UNION ")))
            SELECT \(outputs("r")) FROM (
              SELECT \(names.joined(separator: ", ")) FROM w WHERE w.state IN (\(reached.joined(separator: ", ")))
            ) AS r WHERE \(condition("r"))
            """
    }

    /// The condition that these columns of the root's row stay the same, by bytes.
    static func same(_ columns: [String]) -> String {
        columns.map(SQLText.name).map { "CAST(OLD.\($0) AS BINARY) <=> CAST(NEW.\($0) AS BINARY)" }
            .joined(separator: " AND ")
    }

    /// A column that the collected rows have.
    private struct Carried: Hashable {
        let table: String
        let column: String
    }
}

extension CascadeGraph.State {
    fileprivate func isRenaming(_ columns: [String], in target: String) -> Bool {
        table.hasSameBytes(as: target)
            && columns.contains { name in changed.contains { $0.hasSameBytes(as: name) } }
    }
}

extension ForeignEdge {
    /// The child's columns that change with what happens to the parent's row. Empty where the
    /// child's row is deleted; `nil` where nothing happens to it.
    fileprivate func changed(by state: CascadeGraph.State) -> [String]? {
        if state.isDeleted { return changedByDelete }
        let isAffected = referenced.contains { name in
            state.changed.contains { $0.hasSameBytes(as: name) }
        }
        return isAffected ? changedByUpdate : nil
    }
}
