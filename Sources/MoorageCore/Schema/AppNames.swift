/// The names by which apps may have a table or a column, beside its name in the central database.
///
/// A file uses one of them for a table or column, and every message about the file has that name.
public struct AppNames: Hashable, Sendable {
    /// What apps call it; `nil` for its name in the central database.
    public var name: String?
    /// Other names that an app may have, such as those of older versions.
    public var renamedFrom: [String]

    /// Without arguments apps use the name in the central database.
    public init(name: String? = nil, renamedFrom: [String] = []) {
        self.name = name
        self.renamedFrom = renamedFrom
    }

    /// The most names in ``renamedFrom``.
    package static let maximumCount = 16
    /// The most characters of a name.
    package static let maximumLength = 63

    /// All of them, the preferred one first.
    package var configured: [String] { [name].compactMap { $0 } + renamedFrom }

    /// Whether databases and SQLite can have the name: 1 to 63 characters, no control characters.
    package static func isUsable(_ name: String) -> Bool {
        (1...maximumLength).contains(name.unicodeScalars.count)
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// Adds the names. A description without any adds nothing, so it keeps its version.
    ///
    /// - Parameter marker: Tells the names of a table from those of its first column.
    func add(to fingerprint: inout Fingerprint, marker: UInt8) {
        if self == AppNames() { return }
        fingerprint.add(marker)
        fingerprint.add(UInt64(renamedFrom.count))
        for text in [name ?? ""] + renamedFrom { fingerprint.add(text.utf8) }
    }

    fileprivate func contains(_ text: String) -> Bool {
        configured.contains { $0.hasSameBytes(as: text) }
    }

    /// All names, the preferred one first.
    fileprivate func all(with central: String) -> [String] {
        [name].compactMap { $0 } + [central] + renamedFrom
    }
}

extension ColumnDescription {
    /// All names by which apps may have the column, the preferred one first.
    package var names: [String] { appNames.all(with: name) }

    /// Whether apps may have the column by this name.
    package func isKnown(as text: String) -> Bool {
        name.hasSameBytes(as: text) || appNames.contains(text)
    }

    /// The column by another name. The names that it had become its other names.
    fileprivate func called(_ text: String) -> ColumnDescription {
        if text.hasSameBytes(as: name) { return self }
        var column = ColumnDescription(
            name: text, type: type, isNullable: isNullable, defaultValue: defaultValue,
            isGenerated: isGenerated)
        column.appNames.renamedFrom = names.filter { !$0.hasSameBytes(as: text) }
        column.centralName = centralName ?? name
        return column
    }
}

extension TableDescription {
    /// All names by which apps may have the table, the preferred one first.
    package var names: [String] { appNames.all(with: name) }

    /// Whether apps may have the table by this name.
    package func isKnown(as text: String) -> Bool {
        name.hasSameBytes(as: text) || appNames.contains(text)
    }

    /// The position of a column by any of its names; `nil` when the table has no such column.
    package func column(knownAs name: String) -> Int? {
        column(named: name) ?? columns.firstIndex { $0.appNames.contains(name) }
    }

    /// Whether the table or one of its columns has more names than one.
    fileprivate var hasAppNames: Bool {
        appNames != AppNames() || columns.contains { $0.appNames != AppNames() }
    }

    /// The table by another name. The names that it had become its other names.
    fileprivate func called(
        _ text: String, columns: [ColumnDescription], foreignKeys: [ForeignKey]
    ) -> TableDescription {
        var table = TableDescription(
            name: text, columns: columns, primaryKey: primaryKey, uniqueKeys: uniqueKeys,
            foreignKeys: foreignKeys, direction: direction, granularity: granularity,
            keyBlock: keyBlock)
        table.centralName = centralName
        table.appNames = appNames
        guard !text.hasSameBytes(as: name) else { return table }
        table.centralName = centralName ?? name
        table.appNames = AppNames(renamedFrom: names.filter { !$0.hasSameBytes(as: text) })
        return table
    }
}

extension SchemaDescription {
    /// The table of this name, whichever of its names it is.
    package func table(knownAs name: String) -> TableDescription? {
        table(named: name) ?? tables.first { $0.appNames.contains(name) }
    }

    /// A hub's schema in the names that one file uses (decision 0102).
    ///
    /// Of several names that the file has, the preferred one counts. A table or column that it does
    /// not have gets its preferred name.
    ///
    /// - Parameters:
    ///   - hasTable: Whether the file, or the app's list, has a table of this name.
    ///   - hasColumn: Whether the file's table of this name has the column.
    package func named(
        hasTable: (String) -> Bool,
        hasColumn: (_ column: String, _ table: String) throws -> Bool
    ) throws -> SchemaDescription {
        guard tables.contains(where: \.hasAppNames) else { return self }
        let chosen = try tables.map { table in
            let name = table.names.first(where: hasTable) ?? table.names[0]
            let columns = try table.columns.map { column in
                guard column.appNames != AppNames() else { return column }
                let names = column.names
                return column.called(try names.first { try hasColumn($0, name) } ?? names[0])
            }
            return (name: name, columns: columns)
        }
        let places = Dictionary(
            tables.enumerated().map { (Identifier($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        func renamed(_ foreign: ForeignKey) -> ForeignKey {
            guard let place = places[Identifier(foreign.referencedTable)] else { return foreign }
            let columns = foreign.referencedColumns.map { name in
                tables[place].column(named: name).map { chosen[place].columns[$0].name } ?? name
            }
            return ForeignKey(
                columns: foreign.columns, referencedTable: chosen[place].name,
                referencedColumns: columns, onDelete: foreign.onDelete,
                onUpdate: foreign.onUpdate, isDeferrable: foreign.isDeferrable)
        }
        return describing(
            zip(tables, chosen).map { table, chosen in
                table.called(
                    chosen.name, columns: chosen.columns,
                    foreignKeys: table.foreignKeys.map(renamed))
            })
    }
}
