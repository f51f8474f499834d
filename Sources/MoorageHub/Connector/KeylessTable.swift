public import MoorageCore

/// A table that could be synced if it had a primary key (docs/decisions/0104).
public struct KeylessTable: Hashable, Sendable {
    /// A unique key that can be used as the table's key. None of its columns is ever NULL, and the
    /// connector can track each of them as it tracks a primary key's.
    public struct Substitute: Hashable, Sendable {
        /// Positions in the description's columns, in the order of the index.
        public let columns: [Int]
        /// As ``CentralTable/keyCapacity``.
        public let capacity: Int64?

        /// - Parameter columns: At least one.
        public init(columns: [Int], capacity: Int64? = nil) {
            self.columns = columns
            self.capacity = capacity
        }
    }

    /// The column that an attach adds to a table as its key.
    public static let addedKey = "moorage_key"

    /// The table as it is. Its primary key is empty, and its unique keys contain the substitutes.
    public let description: TableDescription
    /// The unique keys among which the owner may choose.
    public let substitutes: [Substitute]
    /// The type of the column ``addedKey``; `nil` where the connector cannot add it to this table.
    public let addedKeyType: ColumnType?

    /// - Parameters:
    ///   - description: With an empty primary key.
    ///   - addedKeyType: What ``CentralAddedKeys/addKeySteps(to:)`` would add.
    public init(description: TableDescription, substitutes: [Substitute], addedKeyType: ColumnType?)
    {
        self.description = description
        self.substitutes = substitutes
        self.addedKeyType = addedKeyType
    }

    /// The names of a substitute's columns.
    public func names(of substitute: Substitute) -> [String] {
        substitute.columns.map { description.columns[$0].name }
    }

    /// The substitute with exactly these columns, in any order.
    func substitute(of names: [String]) -> Substitute? {
        substitutes.first { names.areSameColumns(as: self.names(of: $0)) }
    }

    /// The table as it will be once it has the column ``addedKey``.
    var withAddedKey: TableDescription? {
        if let position = description.column(named: Self.addedKey) {
            return description.keyed(by: [position])
        }
        guard let addedKeyType else { return nil }
        let column = ColumnDescription(
            name: Self.addedKey, type: addedKeyType, isNullable: false, defaultValue: .central)
        return description.with(columns: description.columns + [column])
            .keyed(by: [description.columns.count])
    }
}

extension CentralTable {
    /// The table with the key by which it is attached, where that is a substitute for a primary key
    /// and still can be one.
    package func keyed(as attached: TableDescription) -> CentralTable {
        let names = attached.keyNames
        guard let keyless, let substitute = keyless.substitute(of: names) else { return self }
        let columns = names.compactMap { keyless.description.column(named: $0) }
        return CentralTable(
            name: name, support: .supported(keyless.description.keyed(by: columns)),
            keyCapacity: substitute.capacity)
    }

    /// The table with one of its substitutes as the key.
    func keyed(by substitute: KeylessTable.Substitute, of keyless: KeylessTable) -> CentralTable {
        CentralTable(
            name: name, support: .supported(keyless.description.keyed(by: substitute.columns)),
            keyCapacity: substitute.capacity)
    }
}

extension TableDescription {
    /// The names of the key's columns, in the key's order.
    package var keyNames: [String] { primaryKey.map { columns[$0].name } }

    /// The same table with another primary key, whose columns no device may leave empty.
    fileprivate func keyed(by key: [Int]) -> TableDescription {
        TableDescription(
            name: name,
            columns: columns.enumerated().map { position, column in
                guard key.contains(position) else { return column }
                return ColumnDescription(
                    name: column.name, type: column.type, isNullable: false,
                    defaultValue: column.defaultValue, isGenerated: column.isGenerated)
            },
            primaryKey: key, uniqueKeys: uniqueKeys.filter { Set($0) != Set(key) },
            foreignKeys: foreignKeys, direction: direction, granularity: granularity,
            keyBlock: keyBlock)
    }
}

extension [String] {
    /// Whether these are the names of the same columns, by their bytes and in any order.
    func areSameColumns(as other: [String]) -> Bool {
        count == other.count && Set(map { Identifier($0) }) == Set(other.map { Identifier($0) })
            && Set(map { Identifier($0) }).count == count
    }
}
