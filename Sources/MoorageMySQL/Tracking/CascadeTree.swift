import MoorageCore
import MoorageHub

/// How foreign-key actions reach a table. InnoDB fires no triggers for the rows that an action
/// changes. So the triggers on the table where the actions begin must record those rows
/// (docs/reference/hub.md, MariaDB and MySQL).
struct CascadeTree {
    /// The foreign keys from a table whose row is deleted or updated to the table that is watched.
    struct Chain: Hashable {
        /// The foreign keys of the chain, from the root down.
        var edges: [ForeignEdge]
        let isDelete: Bool
        /// The columns of the last table that change; empty where its row is deleted.
        var changed: [String]

        var root: String { edges[0].parent }
    }

    /// InnoDB follows actions no further.
    static let mostLevels = 15
    static let mostChains = 200
    /// The most chains of a tree that is not whole.
    private static let mostSpare = 30

    let chains: [Chain]
    /// Whether these are all chains. Otherwise they are the shortest ones, and a ``CascadeGraph``
    /// has all.
    let isWhole: Bool

    init(to table: String, edges: [ForeignEdge]) {
        if let chains = Self.chains(
            to: table, edges, levels: Self.mostLevels, most: Self.mostChains)
        {
            (self.chains, isWhole) = (chains, true)
            return
        }
        let short = (1..<Self.mostLevels).reversed().lazy.compactMap {
            Self.chains(to: table, edges, levels: $0, most: Self.mostSpare)
        }
        (chains, isWhole) = (short.first ?? [], false)
    }

    /// - Returns: `nil` where there are too many.
    private static func chains(
        to table: String, _ edges: [ForeignEdge], levels: Int, most: Int
    ) -> [Chain]? {
        // Only tables from which actions reach the watched one.
        var reaching: Set<[UInt8]> = [Array(table.utf8)]
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for edge in edges where reaching.contains(Array(edge.child.utf8)) && edge.acts {
                if reaching.insert(Array(edge.parent.utf8)).inserted { isGrowing = true }
            }
        }
        let useful = edges.filter { reaching.contains(Array($0.child.utf8)) && $0.acts }
        var found: [Chain] = []
        var open: [Chain] = useful.flatMap { edge -> [Chain] in
            var chains: [Chain] = []
            if let changed = edge.changedByDelete {
                chains.append(Chain(edges: [edge], isDelete: true, changed: changed))
            }
            if let changed = edge.changedByUpdate {
                chains.append(Chain(edges: [edge], isDelete: false, changed: changed))
            }
            return chains
        }
        while let chain = open.popLast() {
            guard let last = chain.edges.last else { continue }
            if last.child.hasSameBytes(as: table) { found.append(chain) }
            guard found.count <= most, open.count <= most * 4 else { return nil }
            guard chain.edges.count < levels else { continue }
            for edge in useful where edge.parent.hasSameBytes(as: last.child) {
                let isDeleted = chain.isDelete && chain.changed.isEmpty
                let changed: [String]?
                if isDeleted {
                    changed = edge.changedByDelete
                } else {
                    let isAffected = edge.referenced.contains { name in
                        chain.changed.contains { $0.hasSameBytes(as: name) }
                    }
                    changed = isAffected ? edge.changedByUpdate : nil
                }
                guard let changed else { continue }
                // A chain of an update follows each foreign key only once.
                if !isDeleted, chain.edges.contains(edge) { continue }
                open.append(
                    Chain(
                        edges: chain.edges + [edge], isDelete: chain.isDelete, changed: changed))
            }
        }
        return found
    }
}

extension ForeignEdge {
    var acts: Bool { changedByDelete != nil || changedByUpdate != nil }

    /// The child's columns that change when the parent's row is deleted. Empty where the child's
    /// row is deleted, too; `nil` where nothing happens to it.
    var changedByDelete: [String]? {
        switch onDelete {
        case .cascade: []
        case .setNull, .setDefault: columns
        case .noAction, .restrict: nil
        }
    }

    var changedByUpdate: [String]? {
        switch onUpdate {
        case .cascade, .setNull, .setDefault: columns
        case .noAction, .restrict: nil
        }
    }
}

extension CascadeTree.Chain {
    enum RowLock: String {
        /// The lock that the action itself takes next.
        case exclusive = "FOR UPDATE"
        /// The only possible lock on a table that the statement which fired the trigger also uses.
        case shared = "LOCK IN SHARE MODE"
    }

    /// A query for the rows at the end of the chain, below a row of the root. Its tables are `c1`,
    /// `c2`, … from the root down. It reads the rows as they are now, whatever the transaction's
    /// snapshot shows, because the action does so, too.
    ///
    /// - Parameters:
    ///   - row: `OLD` or `NEW`.
    ///   - lock: The lock on the rows that are read.
    ///   - condition: Which rows to select, by the name of the last table.
    ///   - outputs: What to select, by the name of the last table.
    func rows(
        below row: String, _ lock: RowLock, where condition: (String) -> String,
        _ outputs: (String) -> String
    ) -> String {
        let last = "c\(edges.count)"
        var source = "\(SQLText.name(edges[0].child)) AS c1"
        for (place, edge) in edges.enumerated().dropFirst() {
            source +=
                " STRAIGHT_JOIN \(SQLText.name(edge.child)) AS c\(place + 1) ON "
                + Self.equal("c\(place + 1)", edge.columns, "c\(place)", edge.referenced)
        }
        return """
            SELECT \(outputs(last)) FROM \(source)
            WHERE \(Self.equal("c1", edges[0].columns, row, edges[0].referenced))
              AND \(condition(last)) \(lock.rawValue)
            """
    }

    private static func equal(
        _ left: String, _ leftColumns: [String], _ right: String, _ rightColumns: [String]
    ) -> String {
        zip(leftColumns, rightColumns).map {
            "\(left).\(SQLText.name($0)) = \(right).\(SQLText.name($1))"
        }.joined(separator: " AND ")
    }
}
