import MoorageCore

/// How many of a table's integer keys are used up.
public struct KeyFact: Hashable, Sendable {
    /// The name of the table whose keys it is about.
    public let table: String
    /// The name of its only key column, which is an integer.
    public let column: String
    /// The highest key; `nil` in an empty table.
    public let highest: Int64?
    /// The highest key that the column's type allows.
    public let capacity: Int64
    /// What the sequence gives to the next row without a key; `nil` where there is no sequence, or
    /// where rows advance it by themselves.
    public let next: Int64?

    /// - Parameters:
    ///   - capacity: `Int64.max` for a type of 64 bits, whose keys do not run out.
    ///   - next: `nil` also where the role may not read the sequence.
    public init(table: String, column: String, highest: Int64?, capacity: Int64, next: Int64?) {
        self.table = table
        self.column = column
        self.highest = highest
        self.capacity = capacity
        self.next = next
    }

    /// - Parameters:
    ///   - widen: The statements that give a wider type to the column, and to those that refer to
    ///     it.
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

/// Whether devices that are offline choose the same integer keys.
enum IntegerKeys {
    /// The type of a key must have room for this many blocks. Each device takes one, and takes
    /// another before the first is used up.
    private static let fewestBlocks: Int64 = 1_000

    /// - Parameters:
    ///   - rules: The rules of the table.
    ///   - capacity: The highest integer that the key's type allows, where the type is smaller than
    ///     64 bits.
    static func finding(
        _ table: TableDescription, rules: TableRules, capacity: Int64?
    ) -> Finding? {
        guard table.direction.acceptsChanges, rules.keyBlock == nil, rules.inserts != .keepBoth,
            table.primaryKey.count == 1, let key = table.primaryKey.first,
            table.columns[key].type == .integer,
            // A key that refers to another row is chosen with that row.
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
