import MoorageCore
import MoorageHub

/// Why a table cannot be synced, and what would fix it.
extension TableProblem {
    // MARK: The kind of table

    static func sequence(_ table: String) -> TableProblem {
        TableProblem("\(table) is a sequence, which has no rows to sync.")
    }

    /// - Parameter type: The type of table, as the server names it.
    static func versioned(_ table: String, type: String, repair: [String]) -> TableProblem {
        TableProblem(
            """
            The table \(table) is \(type), so one key can have many rows. Sync a table without \
            versions.
            """, repair: repair)
    }

    /// - Parameter alter: The beginning of a statement that alters the table.
    static func engine(_ engine: String?, of table: String, alter: String) -> TableProblem {
        let used = engine.map { "the engine \($0)" } ?? "no engine"
        return TableProblem(
            """
            The table \(table) uses \(used), which has no transactions. Run \(alter) ENGINE = \
            InnoDB.
            """, repair: ["\(alter) ENGINE = InnoDB"])
    }

    // MARK: The key

    static func partialKey(of table: String) -> TableProblem {
        TableProblem(
            """
            The primary key of \(table) contains only the beginning of a column. Make a key of \
            whole columns.
            """)
    }

    /// - Parameters:
    ///   - bytes: The most bytes that a key may have.
    ///   - limit: The most bytes that can be tracked.
    static func keyTooLong(_ bytes: Int, limit: Int, of table: String) -> TableProblem {
        TableProblem(
            """
            The table \(table) has a primary key of up to \(bytes) bytes in UTF-8, and the hub can \
            track \(limit). Make its columns shorter.
            """)
    }

    // MARK: Columns

    static func spatialColumn(_ column: String, of table: String, type: String) -> TableProblem {
        TableProblem(
            """
            The column \(table).\(column) is of the type \(type), which no device can store. Keep \
            it in a table of its own with the same key, and do not sync that one.
            """)
    }

    // MARK: Foreign keys

    /// The problem, with the tables whose rows refer to nothing on devices because of it.
    func naming(children: [String], of table: String) -> TableProblem {
        let others = Set(children.filter { !$0.hasSameBytes(as: table) }).sorted()
        guard !others.isEmpty else { return self }
        return TableProblem(
            """
            \(reason) Rows of \(others.joined(separator: ", ")) refer to rows of \(table), which \
            no device gets then.
            """, repair: repair)
    }

    static func distantActions(
        of edge: DistantEdge, on table: String, repair: [String]
    ) -> TableProblem {
        let through = edge.child.hasSameBytes(as: table) ? "" : " through \(edge.child)"
        return TableProblem(
            """
            The foreign key \(edge.name) changes rows of \(table)\(through) when those of \
            \(edge.database).\(edge.parent) change. No trigger notices changes in another \
            database. Remove its ON DELETE and ON UPDATE actions.
            """, repair: repair)
    }

    /// For a server without locking reads in recursive statements.
    static func tooManyCascades(to table: String) -> TableProblem {
        TableProblem(
            """
            Foreign-key actions reach \(table) in more than \(CascadeTree.mostChains) ways, which \
            triggers cannot follow on this server. Remove some of its ON DELETE and ON UPDATE \
            actions.
            """)
    }
}
