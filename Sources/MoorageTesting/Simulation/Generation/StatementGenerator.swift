/// Writes what users and other programs do: rows are named by their place or from small pools of
/// keys, so that everyone works on the same ones.
struct StatementGenerator {
    let tables: [TableModel]
    let swarm: Swarm
    let side: TableModel.Side
    /// The step's time: values carry it, and so tell themselves.
    let at: Int64
    /// Of how many rows each statement takes its own.
    let rows: Rows
    private var values = 0

    enum Rows {
        case many, few

        var places: Range<Int> { self == .few ? 0..<2 : 0..<6 }
        var keys: Range<Int> { self == .few ? 0..<3 : 0..<7 }
        /// Keys that nobody else makes, of a hundred.
        var ownKeys: Int { self == .few ? 8 : 30 }
    }

    init(
        tables: [TableModel], swarm: Swarm, side: TableModel.Side, at: Int64, from: Int = 0,
        rows: Rows = .many
    ) {
        self.rows = rows
        self.tables = tables
        self.swarm = swarm
        self.side = side
        self.at = at
        values = from
    }

    /// A transaction of one statement, or of a few.
    mutating func transaction(_ random: inout SeededGenerator) -> String {
        let count = random.chance(25) ? Int.random(in: 2...4, using: &random) : 1
        return (0..<count).map { _ in statement(&random) }.joined(separator: "; ")
    }

    private mutating func statement(_ random: inout SeededGenerator) -> String {
        let table = random.pick(tables) ?? tables[0]
        let name = table.name.sqlName
        switch swarm.operation(&random) {
        case .insert: return insert("", table, &random)
        case .insertReplace: return insert("OR REPLACE ", table, &random)
        case .insertIgnore: return insert("OR IGNORE ", table, &random)
        case .upsert: return upsert(table, &random)
        case .updateText:
            return update("", table, ofKind: { $0.kind == .text && $0.foreignKey == nil }, &random)
        case .updateNumber:
            return update("", table, ofKind: { $0.kind != .text && $0.foreignKey == nil }, &random)
        case .updateReplace:
            return update("OR REPLACE ", table, ofKind: { $0.isUnique }, &random)
        case .updateReference: return updateReference(table, &random)
        case .updateMany:
            guard let column = random.pick(table.columns(on: side).filter(isFree)) else {
                return delete(table, &random)
            }
            return
                "UPDATE \(name) SET \(column.name.sqlName) = \(value(column, table, &random)) WHERE \(table.keys[0].name.sqlName) > \(key(table.keys[0], &random))"
        case .rekey: return rekey(table, &random)
        case .delete: return delete(table, &random)
        case .deleteMany:
            return
                "DELETE FROM \(name) WHERE \(table.keys[0].name.sqlName) > \(key(table.keys[0], &random))"
        case .noop:
            let column = random.pick(table.columns(on: side).filter { !$0.isKey }) ?? table.keys[0]
            return
                "UPDATE \(name) SET \(column.name.sqlName) = \(column.name.sqlName) WHERE \(row(table, &random))"
        case .swap: return swap(table, &random)
        case .undoEdit: return undoEdit(table, &random)
        case .updateCapitals: return updateCapitals(table, &random)
        case .replaceSameKey:
            let condition = row(table, &random)
            return delete(table, &random, where: condition) + "; " + insert("", table, &random)
        }
    }

    private func isFree(_ column: TableModel.Column) -> Bool {
        !column.isKey && column.foreignKey == nil && !column.isUnique
    }

    // MARK: Statements

    private mutating func insert(
        _ clause: String, _ table: TableModel, _ random: inout SeededGenerator
    ) -> String {
        let columns = table.columns(on: side).filter {
            // A column with a default is left out now and then.
            $0.isKey || $0.foreignKey != nil || $0.defaultSQL == nil || random.chance(50)
        }.filter { !$0.isNumbered || side == .centre && !$0.isSequenced }
        let names = columns.map(\.name.sqlName).joined(separator: ", ")
        let places = table.foreignKeys.map { _ in Int.random(in: 0..<5, using: &random) }
        let nulls = table.foreignKeys.map { _ in random.chance(25) }
        let values = columns.map { column -> String in
            if column.isNumbered { return "-\(at * 4 + Int64(self.values % 4) + 1)" }
            if column.isKey { return key(column, &random) }
            if let foreign = column.foreignKey {
                if nulls[foreign], !column.isNotNull { return "NULL" }
                return reference(column, table, at: places[foreign])
            }
            return value(column, table, &random)
        }
        return
            "INSERT \(clause)INTO \(table.name.sqlName) (\(names)) VALUES (\(values.joined(separator: ", ")))"
    }

    private mutating func upsert(_ table: TableModel, _ random: inout SeededGenerator) -> String {
        let sql = insert("", table, &random)
        guard let column = random.pick(table.columns(on: side).filter(isFree)) else { return sql }
        let name = column.name.sqlName
        return
            "\(sql) ON CONFLICT (\(table.keyList)) DO UPDATE SET \(name) = \(value(column, table, &random))"
    }

    private mutating func update(
        _ clause: String, _ table: TableModel, ofKind isWanted: (TableModel.Column) -> Bool,
        _ random: inout SeededGenerator
    ) -> String {
        let columns = table.columns(on: side).filter { !$0.isKey && isWanted($0) }
        guard let first = random.pick(columns) else { return delete(table, &random) }
        var sets = ["\(first.name.sqlName) = \(value(first, table, &random))"]
        if let second = random.pick(columns), second.name != first.name, random.chance(30) {
            sets.append("\(second.name.sqlName) = \(value(second, table, &random))")
        }
        return
            "UPDATE \(clause)\(table.name.sqlName) SET \(sets.joined(separator: ", ")) WHERE \(row(table, &random))"
    }

    private mutating func updateReference(
        _ table: TableModel, _ random: inout SeededGenerator
    ) -> String {
        guard let index = random.pick(Array(table.foreignKeys.indices)) else {
            return update("", table, ofKind: { $0.kind == .text }, &random)
        }
        let place = Int.random(in: 0..<5, using: &random)
        let isNull = random.chance(20)
        let sets = table.columns.filter { $0.foreignKey == index }.map { column in
            let value =
                isNull && !column.isNotNull ? "NULL" : reference(column, table, at: place)
            return "\(column.name.sqlName) = \(value)"
        }
        return
            "UPDATE \(table.name.sqlName) SET \(sets.joined(separator: ", ")) WHERE \(row(table, &random))"
    }

    private mutating func rekey(_ table: TableModel, _ random: inout SeededGenerator) -> String {
        // What the hub promised is for new rows.
        if table.isNumbered {
            return update("", table, ofKind: { $0.kind == .text && $0.foreignKey == nil }, &random)
        }
        let column = random.pick(table.keys) ?? table.keys[0]
        let clause = random.chance(25) ? "OR REPLACE " : ""
        return
            "UPDATE \(clause)\(table.name.sqlName) SET \(column.name.sqlName) = \(key(column, &random)) WHERE \(row(table, &random))"
    }

    private func delete(
        _ table: TableModel, _ random: inout SeededGenerator, where condition: String? = nil
    ) -> String {
        "DELETE FROM \(table.name.sqlName) WHERE \(condition ?? row(table, &random))"
    }

    /// Two rows exchange their unique values.
    private mutating func swap(_ table: TableModel, _ random: inout SeededGenerator) -> String {
        guard let column = table.columns(on: side).first(where: { $0.isUnique && !$0.isNotNull })
        else { return update("", table, ofKind: { $0.kind == .text }, &random) }
        let name = column.name.sqlName
        let a = Int.random(in: 0..<8, using: &random)
        let b = Int.random(in: 0..<8, using: &random)
        let target = table.name.sqlName
        return
            "UPDATE \(target) SET \(name) = -1 WHERE \(name) = \(a); UPDATE \(target) SET \(name) = \(a) WHERE \(name) = \(b); UPDATE \(target) SET \(name) = \(b) WHERE \(name) = -1"
    }

    /// A text becomes longer, and then what it was.
    private mutating func undoEdit(_ table: TableModel, _ random: inout SeededGenerator) -> String {
        // At the centre the audit would see one value twice.
        let texts = table.columns(on: side).filter {
            side == .device && isFree($0) && $0.kind == .text
        }
        guard let column = random.pick(texts)?.name.sqlName else { return delete(table, &random) }
        let target = table.name.sqlName
        let condition = row(table, &random)
        return
            "UPDATE \(target) SET \(column) = \(column) || '~' WHERE \(condition); UPDATE \(target) SET \(column) = substr(\(column), 1, length(\(column)) - 1) WHERE \(condition)"
    }

    /// What the centre will store otherwise, or has not yet told.
    private mutating func updateCapitals(
        _ table: TableModel, _ random: inout SeededGenerator
    ) -> String {
        guard let column = table.columns(on: side).first(where: { $0.isLowered && isFree($0) })
        else {
            return update(
                "", table, ofKind: { $0.kind == .text && $0.foreignKey == nil }, &random)
        }
        let name = column.name.sqlName
        return
            "UPDATE \(table.name.sqlName) SET \(name) = \(value(column, table, &random)) WHERE substr(\(name), 1, 1) = 'V'"
    }

    // MARK: Rows and values

    /// A row by its place, or by a key of the pool.
    private func row(_ table: TableModel, _ random: inout SeededGenerator) -> String {
        let keys = table.keys
        if random.chance(35) {
            return keys.map { "\($0.name.sqlName) = \(key($0, &random))" }.joined(
                separator: " AND ")
        }
        let place = Int.random(in: rows.places, using: &random)
        let list = table.keyList
        let left = keys.count == 1 ? list : "(\(list))"
        return
            "\(left) = (SELECT \(list) FROM \(table.name.sqlName) ORDER BY \(list) LIMIT 1 OFFSET \(place))"
    }

    private func reference(
        _ column: TableModel.Column, _ table: TableModel, at place: Int
    ) -> String {
        guard let index = column.foreignKey else { return "NULL" }
        let foreign = table.foreignKeys[index]
        let parent = tables.first { $0.name == parentName(foreign) }
        guard let parent, let position = foreign.columns.firstIndex(of: column.name) else {
            return "NULL"
        }
        return
            "(SELECT \(parent.keys[position].name.sqlName) FROM \(parent.name.sqlName) ORDER BY \(parent.keyList) LIMIT 1 OFFSET \(place))"
    }

    private func parentName(_ foreign: TableModel.ForeignKey) -> String? {
        tables.indices.contains(foreign.parent) ? tables[foreign.parent].name : nil
    }

    private func key(_ column: TableModel.Column, _ random: inout SeededGenerator) -> String {
        // Sometimes a key that nobody else makes, mostly one of a few.
        let isOwn = random.chance(rows.ownKeys)
        let number = Int.random(in: rows.keys, using: &random)
        switch column.kind {
        case .integer: return isOwn ? "\(at * 4 + Int64(values % 4))" : "\(number)"
        case .real: return "\(number).5"
        case .text: return isOwn ? "'k\(at)'" : "'\(Self.textKeys[number])'"
        case .blob: return "x'0\(number)\(isOwn ? "ff" : "")'"
        case .uuid: return "'0000000\(number)-aaaa-4bbb-8ccc-\(isOwn ? "d" : "e")00000000000'"
        case .boolean, .date, .timestamp: return "NULL"
        }
    }

    /// Two of them are one character in two forms, two differ by case, one is empty.
    private static let textKeys = ["a", "b", "B", "\u{E9}", "e\u{301}", "", "c d"]

    private mutating func value(
        _ column: TableModel.Column, _ table: TableModel, _ random: inout SeededGenerator
    ) -> String {
        if column.isArea { return ScopeModel.area(&random) }
        if column.isDeletionMarker { return Self.marker(column, &random) }
        if column.isUnique {
            return !column.isNotNull && random.chance(25)
                ? "NULL" : "\(Int.random(in: 0..<8, using: &random))"
        }
        if !column.isNotNull, random.chance(6) { return "NULL" }
        switch column.kind {
        case .text:
            values += 1
            let first = column.isLowered && random.chance(40) ? "V" : "v"
            let tail = random.chance(10) ? random.pick(Self.tails) ?? "" : ""
            return "'\(first)\(at)x\(values)\(tail)'"
        case .integer: return "\(Int.random(in: 0..<10, using: &random))"
        case .real: return random.pick(["0.5", "-1.25", "1e10", "0.1", "3.0"]) ?? "0.5"
        case .blob: return random.pick(["x''", "x'00'", "x'ff00ff'", "x'76'"]) ?? "x''"
        case .uuid:
            return "'0000000\(Int.random(in: 0..<7, using: &random))-aaaa-4bbb-8ccc-e00000000000'"
        case .boolean: return random.chance(50) ? "1" : "0"
        case .date: return "'2024-02-29'"
        case .timestamp: return "'2024-02-29 12:00:00'"
        }
    }

    /// Mostly none: a user who deletes a row says so.
    private static func marker(
        _ column: TableModel.Column, _ random: inout SeededGenerator
    ) -> String {
        let none = column.isNotNull || random.chance(20) ? "0" : "NULL"
        switch column.kind {
        case .date: return random.chance(30) ? "'2024-02-29'" : "NULL"
        case .timestamp: return random.chance(30) ? "'2024-02-29 12:00:00'" : "NULL"
        default: return random.chance(30) ? "1" : none
        }
    }

    private static let tails = [
        " ", "\u{E9}", "e\u{301}", "''", "\"", "\\", "\u{1F600}", "%", "; --", "\u{202E}",
    ]
}
