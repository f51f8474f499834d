/// A table in the generator's model. A history contains only its SQL.
struct TableModel {
    enum Kind: String {
        case text = "TEXT"
        case integer = "INTEGER"
        case real = "REAL"
        case blob = "BLOB"
        case uuid = "UUID"
        case boolean = "BOOLEAN"
        case date = "DATE"
        case timestamp = "TIMESTAMP"
    }

    struct Column {
        var name: String
        var kind: Kind
        var isKey = false
        var isNotNull = false
        var isUnique = false
        var defaultSQL: String?
        /// A condition that only the central database checks.
        var centralCheck: String?
        /// A condition that only devices check.
        var deviceCheck: String?
        /// The central database writes it in lower case.
        var isLowered = false
        /// It names the area that the row belongs to.
        var isArea = false
        /// A device's SQLite chooses the key of a new row.
        var isNumbered = false
        /// The central database's SQLite also chooses it. Otherwise, the office uses keys below
        /// zero.
        var isSequenced = false
        /// It marks the row as deleted.
        var isDeletionMarker = false
        /// The index of the foreign key that it is part of.
        var foreignKey: Int?
        var isMissingOnDevices = false
        var isMissingAtCentre = false
    }

    struct ForeignKey {
        var columns: [String]
        var parent: Int
        var onDelete: String
        var onUpdate: String
        var isDeferred: Bool
    }

    var name: String
    var columns: [Column]
    var foreignKeys: [ForeignKey] = []
    var isWithoutRowID = false
    var isStrict = false

    var keys: [Column] { columns.filter(\.isKey) }
    var keyList: String { keys.map { $0.name.sqlName }.joined(separator: ", ") }

    /// Whether SQLite chooses the keys of new rows, and the office has keys that no device uses.
    var isNumbered: Bool { keys.contains(where: \.isNumbered) }

    /// Whether the hub can give rows other keys.
    var canKeepBoth: Bool {
        keys.count == 1 && keys.allSatisfy { [.text, .integer, .uuid].contains($0.kind) }
    }

    enum Side {
        case device, centre
    }

    func columns(on side: Side) -> [Column] {
        columns.filter { side == .device ? !$0.isMissingOnDevices : !$0.isMissingAtCentre }
    }

    /// - Parameter hidden: Columns that an older version of the app does not have.
    func createSQL(_ side: Side, all tables: [TableModel], hidden: Set<String> = []) -> String {
        var parts = columns(on: side).filter { !hidden.contains($0.name) }.map {
            $0.sql(side)
        }
        if !isNumbered { parts.append("PRIMARY KEY (\(keyList))") }
        for foreign in foreignKeys {
            let columns = foreign.columns.map(\.sqlName).joined(separator: ", ")
            let parent = tables[foreign.parent]
            parts.append(
                "FOREIGN KEY (\(columns)) REFERENCES \(parent.name.sqlName)(\(parent.keyList))"
                    + " ON DELETE \(foreign.onDelete) ON UPDATE \(foreign.onUpdate)"
                    + (foreign.isDeferred ? " DEFERRABLE INITIALLY DEFERRED" : ""))
        }
        let options = [isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil]
            .compactMap { $0 }.joined(separator: ", ")
        return
            "CREATE TABLE \(name.sqlName) (\(parts.joined(separator: ", ")))"
            + (options.isEmpty ? "" : " " + options)
    }

    /// Triggers with which the central database changes texts.
    var loweringTriggers: [String] {
        columns.filter { $0.isLowered && !$0.isMissingAtCentre }.flatMap { column in
            let name = column.name.sqlName
            let isRow = keys.map { "\($0.name.sqlName) IS NEW.\($0.name.sqlName)" }
                .joined(separator: " AND ")
            return ["INSERT", "UPDATE OF \(name)"].map { event in
                """
                CREATE TRIGGER lower_\(event.prefix(1))_\(self.name)_\(column.name) AFTER \(event) \
                ON \(self.name.sqlName) WHEN NEW.\(name) IS NOT lower(NEW.\(name)) BEGIN UPDATE \
                \(self.name.sqlName) SET \(name) = lower(NEW.\(name)) WHERE \(isRow); END
                """
            }
        }
    }
}

extension TableModel.Column {
    func sql(_ side: TableModel.Side) -> String {
        if isNumbered {
            let counts = side == .device || isSequenced ? " AUTOINCREMENT" : ""
            return "\(name.sqlName) INTEGER PRIMARY KEY\(counts) NOT NULL"
        }
        var sql = "\(name.sqlName) \(kind.rawValue)"
        if isNotNull || isKey { sql += " NOT NULL" }
        if let defaultSQL { sql += " DEFAULT \(defaultSQL)" }
        if isUnique { sql += " UNIQUE" }
        if side == .centre, let centralCheck { sql += " CHECK (\(centralCheck))" }
        if side == .device, let deviceCheck { sql += " CHECK (\(deviceCheck))" }
        return sql
    }
}

extension String {
    /// The name, quoted where SQL requires it.
    var sqlName: String {
        ["order", "group", "key", "table"].contains(self)
            || !utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == 0x5F
            } ? "\"\(self)\"" : self
    }
}
