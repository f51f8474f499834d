import MoorageCore

/// How far the integer keys of a table have come.
public struct KeyFact: Hashable, Sendable {
    public let table: String
    public let column: String
    /// The highest there is; `nil` in an empty table.
    public let highest: Int64?
    /// The highest that the column's type holds.
    public let capacity: Int64
    /// What the sequence gives to the next row without a key; `nil` where there is none, or where rows move it
    /// by themselves.
    public let next: Int64?

    public init(table: String, column: String, highest: Int64?, capacity: Int64, next: Int64?) {
        self.table = table
        self.column = column
        self.highest = highest
        self.capacity = capacity
        self.next = next
    }

    /// - Parameters:
    ///   - widen: The statements that give the column, and those that refer to it, a wider type.
    ///   - advance: The statement that moves the sequence behind the highest key.
    public func findings(widen: [String], advance: [String]) -> [Finding] {
        var findings: [Finding] = []
        if let highest, let next, next <= highest {
            findings.append(
                Finding(
                    .sequenceBehind, .warning, table: table,
                    """
                    The sequence of \(table).\(column) gives out \(next) next, and there are keys up to \
                    \(highest): inserts without a key will meet keys that are taken.
                    """, repair: .sql(orAdvice: advance)))
        }
        let used = max(highest ?? 0, (next ?? 1) - 1)
        if capacity < Int64.max, used > capacity / 2 {
            findings.append(
                Finding(
                    .keyRunsOut, .warning, table: table,
                    """
                    The keys of \(table) have come to \(used), and \(table).\(column) holds \(capacity) at most. \
                    Devices use keys up faster than one program does: blocks of them are given out ahead.
                    """, repair: .sql(orAdvice: widen)))
        }
        return findings
    }
}

/// Whether devices that are offline will choose the same integer keys.
enum IntegerKeys {
    /// So many blocks must fit into the type of a key: each device takes one, and takes another before it is used up.
    private static let fewestBlocks: Int64 = 1_000

    /// - Parameters:
    ///   - rules: The rules of the table.
    ///   - capacity: The highest integer that the key's type holds, where that is less than 64 bits do.
    static func finding(
        _ table: TableDescription, rules: TableRules, capacity: Int64?
    ) -> Finding? {
        guard table.direction.acceptsChanges, rules.keyBlock == nil, rules.inserts != .keepBoth,
            table.primaryKey.count == 1, let key = table.primaryKey.first,
            table.columns[key].type == .integer,
            // A key that is another row's is chosen with that one.
            !table.foreignKeys.contains(where: { $0.columns == [key] })
        else { return nil }
        let block = [1_000, 100, 10].first {
            capacity.map { $0 / Self.fewestBlocks } ?? .max >= Int64($0)
        }
        let advice =
            block.map { "Set `keyBlock: \($0)` for it in the configuration, or use uuid keys." }
                ?? """
                The type of its key holds \(capacity ?? 0) at most, too few to give each device some of its own. Let \
                rows be inserted at the centre alone, or use uuid keys.
                """
        return Finding(
            .integerKeyCollides, .warning, table: table.name,
            """
            Devices that are offline choose the same integer keys for different rows of \(table.name). \(advice)
            """)
    }
}
