/// A table that can be synced: it has a primary key, and every column a portable type.
///
/// Columns are addressed by position in `columns`; names are compared by bytes.
public struct TableDescription: Hashable, Sendable {
    /// The table's name, without a schema.
    public let name: String
    /// The columns that are exchanged. A row lists its values in this order.
    public private(set) var columns: [ColumnDescription]
    /// The key's columns, in the key's order; never empty.
    public private(set) var primaryKey: [Int]
    /// Every other unique key, each as its columns.
    public private(set) var uniqueKeys: [[Int]]
    /// The foreign keys to tables of the same database. The hub leaves out those to tables that it
    /// does not sync, and those that devices do not enforce.
    public private(set) var foreignKeys: [ForeignKey]
    /// Which way the table's rows travel.
    public private(set) var direction: TableDirection
    /// In a table merged by row, an update also names the columns that it leaves as they are.
    package private(set) var granularity: TableRules.Granularity
    /// How many keys a hub hands out at a time; `nil` where devices choose the keys.
    public private(set) var keyBlock: Int?
    /// The names by which apps may have the table.
    package var appNames = AppNames()
    /// The table's name in the central database, where `name` is another one of its names.
    package internal(set) var centralName: String?

    /// - Parameters:
    ///   - name: Without a schema.
    ///   - columns: No two have the same name.
    ///   - primaryKey: At least one position in `columns`, in the key's order.
    ///   - uniqueKeys: The other unique keys, each as positions in `columns`.
    ///   - foreignKeys: Those to tables of the same database, this one included.
    ///   - direction: Which way rows travel. The hub sets it from its configuration.
    ///   - granularity: Whether columns or whole rows are merged. The hub sets it, too.
    ///   - keyBlock: How many keys a hub hands out at a time; `nil` where devices choose the keys.
    public init(
        name: String, columns: [ColumnDescription], primaryKey: [Int], uniqueKeys: [[Int]] = [],
        foreignKeys: [ForeignKey] = [], direction: TableDirection = .both,
        granularity: TableRules.Granularity = .column, keyBlock: Int? = nil
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.uniqueKeys = uniqueKeys
        self.foreignKeys = foreignKeys
        self.direction = direction
        self.granularity = granularity
        self.keyBlock = keyBlock
    }

    /// The same table with this direction, and with the rules that devices need to know.
    package func travelling(
        _ direction: TableDirection, ruledBy rules: TableRules
    ) -> TableDescription {
        var table = self
        table.direction = direction
        table.granularity = rules.granularity
        table.keyBlock = direction.acceptsChanges ? rules.keyBlock : nil
        return table
    }

    /// The same table with these foreign keys.
    package func holding(_ foreignKeys: [ForeignKey]) -> TableDescription {
        var table = self
        table.foreignKeys = foreignKeys
        return table
    }

    /// The same table with another description of each column.
    public func with(columns: [ColumnDescription]) -> TableDescription {
        var table = self
        table.columns = columns
        return table
    }

    /// The position of a column; `nil` when the table has no column of this name.
    public func column(named name: String) -> Int? {
        columns.firstIndex { $0.name.hasSameBytes(as: name) }
    }

    /// Whether the column at this position is part of the primary key.
    public func isKey(_ column: Int) -> Bool { primaryKey.contains(column) }

    /// The columns of keys, unique keys and foreign keys. A device compares them by bytes, so equal
    /// values must reach it in one form.
    public var keyedColumns: Set<Int> {
        Set(primaryKey + uniqueKeys.joined() + foreignKeys.flatMap(\.columns))
    }

    /// The key of a whole row.
    public func key(of row: [Value]) -> RowKey { key(primaryKey.map { row[$0] }) }

    /// A key from its values in the key's order, each in the one form that equal values share.
    public func key(_ values: [Value]) -> RowKey {
        RowKey(zip(primaryKey, values).map { columns[$0].type.normalized($1) })
    }

    /// Whether two whole rows mean the same.
    public func equal(_ left: [Value], _ right: [Value]) -> Bool {
        left.count == right.count
            && columns.indices.allSatisfy { columns[$0].type.equal(left[$0], right[$0]) }
    }

    /// The fingerprint of a row by meaning: equal rows have equal fingerprints, on every database.
    package func fingerprint(of row: [Value]) -> String {
        var fingerprint = Fingerprint()
        for (column, value) in zip(columns, row) {
            if case .json = column.type, case .text(let text) = value,
                let json = try? JSON(parsing: text)
            {
                json.addStructure(to: &fingerprint)
            } else {
                fingerprint.add(column.type.normalized(value))
            }
        }
        return fingerprint.hex
    }

    /// What a page of this table depends on. A replica that read the table under another signature
    /// reads it again. It has the central names, so it is the same under each name in apps.
    package var signature: String {
        var fingerprint = Fingerprint()
        fingerprint.add((centralName ?? name).utf8)
        fingerprint.add(UInt64(columns.count))
        for column in columns {
            fingerprint.add((column.centralName ?? column.name).utf8)
            fingerprint.add(column.type.name.utf8)
        }
        for column in primaryKey { fingerprint.add(UInt64(column)) }
        return fingerprint.hex
    }

    /// The same table with these columns only, in this order; `nil` when a key column is missing.
    ///
    /// Unique keys and foreign keys that lose a column are left out.
    package func restricted(to names: [String]) -> TableDescription? {
        let kept = names.compactMap { column(named: $0) }
        return kept.count == names.count ? restricted(to: kept) : nil
    }

    /// The same by the columns' positions; `nil` also when one of them is there twice.
    package func restricted(to kept: [Int]) -> TableDescription? {
        guard Set(kept).count == kept.count else { return nil }
        func newPosition(_ column: Int) -> Int? { kept.firstIndex(of: column) }
        func all(_ columns: [Int]) -> [Int]? {
            let result = columns.compactMap(newPosition)
            return result.count == columns.count ? result : nil
        }
        guard let key = all(primaryKey) else { return nil }
        var table = self
        table.columns = kept.map { columns[$0] }
        table.primaryKey = key
        table.uniqueKeys = uniqueKeys.compactMap(all)
        table.foreignKeys = foreignKeys.compactMap { foreign in
            all(foreign.columns).map {
                ForeignKey(
                    columns: $0, referencedTable: foreign.referencedTable,
                    referencedColumns: foreign.referencedColumns, onDelete: foreign.onDelete,
                    onUpdate: foreign.onUpdate, isDeferrable: foreign.isDeferrable)
            }
        }
        return table
    }
}

extension JSON {
    /// Adds the document so that equal structures add the same, whatever the members' order.
    func addStructure(to fingerprint: inout Fingerprint) {
        switch self {
        case .null: fingerprint.add(UInt8(10))
        case .bool(let flag): fingerprint.add(UInt8(flag ? 11 : 12))
        case .number(let text):
            fingerprint.add(UInt8(13))
            fingerprint.add((DecimalText(text)?.normalized ?? text).utf8)
        case .string(let text):
            fingerprint.add(UInt8(14))
            fingerprint.add(text.utf8)
        case .array(let elements):
            fingerprint.add(UInt8(15))
            fingerprint.add(UInt64(elements.count))
            for element in elements { element.addStructure(to: &fingerprint) }
        case .object(let members):
            fingerprint.add(UInt8(16))
            fingerprint.add(UInt64(members.count))
            let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for member in sorted {
                fingerprint.add(member.name.utf8)
                member.value.addStructure(to: &fingerprint)
            }
        }
    }
}
