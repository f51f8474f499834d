import Foundation
import GRDB
import MoorageCore
import MoorageSQLite

/// A random insert, update or delete of one row, by what SQLite knows of its table.
///
/// It draws values by the declared types. Where they break a constraint, SQLite says so.
struct RandomEdit {
    private let db: Database
    private var random: SeededRandom

    /// What an edit does.
    enum Kind {
        case insert, update, delete

        init(_ random: inout SeededRandom) {
            switch Int.random(in: 0..<10, using: &random) {
            case ..<5: self = .insert
            case ..<8: self = .update
            default: self = .delete
            }
        }
    }

    /// - Throws: `DatabaseError`, also for values that a constraint refuses.
    static func run(
        _ kind: Kind, of table: String, _ db: Database, _ random: inout SeededRandom
    ) throws {
        var edit = RandomEdit(db: db, random: random)
        defer { random = edit.random }
        switch kind {
        case .insert: try edit.insert(into: table)
        case .update: try edit.update(table)
        case .delete: try edit.delete(from: table)
        }
    }

    // MARK: Statements

    private mutating func insert(into table: String) throws {
        let keys = Set(try db.primaryKey(table).columns)
        var row: [String: DatabaseValue] = [:]
        for column in try columns(of: table) {
            row[column.name] = value(of: column, isKey: keys.contains(column.name))
        }
        for reference in try db.foreignKeys(on: table) {
            guard let values = try parent(in: reference) else { continue }
            row.merge(values) { $1 }
        }
        let columns = row.keys.sorted()
        try db.execute(
            sql: """
                INSERT INTO \(SQLText.name(table)) (\(SQLText.names(columns))) \
                VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
                """, arguments: StatementArguments(columns.map { row[$0] }))
    }

    private mutating func update(_ table: String) throws {
        let keys = Set(try db.primaryKey(table).columns)
        let columns = try columns(of: table).filter { !keys.contains($0.name) }
        guard let column = columns.randomElement(using: &random), let key = try key(in: table)
        else { return }
        var values = [column.name: value(of: column, isKey: false)]
        let references = try db.foreignKeys(on: table)
        if let reference = references.first(where: { $0.originColumns.contains(column.name) }) {
            // A row does not change its key, also where the key is a reference.
            guard keys.isDisjoint(with: reference.originColumns),
                let parent = try parent(in: reference)
            else { return }
            values = parent
        }
        let names = values.keys.sorted()
        try db.execute(
            sql: """
                UPDATE \(SQLText.name(table)) \
                SET \(names.map { SQLText.name($0) + " = ?" }.joined(separator: ", ")) \
                WHERE \(key.condition)
                """, arguments: StatementArguments(names.map { values[$0] } + key.values))
    }

    private mutating func delete(from table: String) throws {
        guard let key = try key(in: table) else { return }
        try db.execute(
            sql: "DELETE FROM \(SQLText.name(table)) WHERE \(key.condition)",
            arguments: StatementArguments(key.values))
    }

    // MARK: Rows

    /// The columns that a statement may write: all but generated ones.
    private func columns(of table: String) throws -> [ColumnInfo] {
        let written = try String.fetchSet(
            db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", arguments: [table])
        return try db.columns(in: table).filter { written.contains($0.name) }
    }

    private struct Key {
        let condition: String
        let values: [DatabaseValue?]
    }

    /// The key of a random row.
    private mutating func key(in table: String) throws -> Key? {
        let columns = try db.primaryKey(table).columns
        guard let row = try row(of: columns, in: table) else { return nil }
        return Key(
            condition: columns.map { SQLText.name($0) + " = ?" }.joined(separator: " AND "),
            values: row)
    }

    /// The values of a reference's columns for a random parent; `nil` if there is no parent.
    private mutating func parent(in reference: ForeignKeyInfo) throws -> [String: DatabaseValue]? {
        let parents = reference.destinationColumns
        guard let row = try row(of: parents, in: reference.destinationTable) else { return nil }
        return Dictionary(zip(reference.originColumns, row)) { first, _ in first }
    }

    private mutating func row(of columns: [String], in table: String) throws -> [DatabaseValue]? {
        let name = SQLText.name(table)
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(name)") ?? 0
        if count == 0 { return nil }
        let keys = SQLText.names(try db.primaryKey(table).columns)
        return try Row.fetchOne(
            db,
            sql: "SELECT \(SQLText.names(columns)) FROM \(name) ORDER BY \(keys) LIMIT 1 OFFSET ?",
            arguments: [Int.random(in: 0..<count, using: &random)]
        ).map { Array($0.databaseValues) }
    }

    // MARK: Values

    private mutating func value(of column: ColumnInfo, isKey: Bool) -> DatabaseValue {
        if !isKey, !column.isNotNull, random.chance(15) { return .null }
        // As the hub reads the declared type.
        switch ColumnType(sqlite: column.type) {
        case .boolean: return Bool.random(using: &random).databaseValue
        case .integer:
            // Keys of two devices should not be the same by chance; other values sometimes.
            return Int64.random(in: 1...(isKey ? 1_000_000_000_000 : 20), using: &random)
                .databaseValue
        case .real:
            return (Double(Int.random(in: -400...400, using: &random)) / 4).databaseValue
        case .decimal: return Int.random(in: 0...1_000, using: &random).databaseValue
        case .date: return date().databaseValue
        case .time: return time().databaseValue
        case .timestamp, .instant: return "\(date()) \(time()).000".databaseValue
        case .blob, nil: return blob(isKey ? 16 : 3).databaseValue
        case .uuid: return random.uuid().databaseValue
        case .json: return "{\"word\":\"\(word())\"}".databaseValue
        case .text: return (isKey ? random.uuid() : word()).databaseValue
        }
    }

    private mutating func date() -> String {
        let month = Int.random(in: 1...9, using: &random)
        return "2026-0\(month)-1\(Int.random(in: 0...9, using: &random))"
    }

    private mutating func time() -> String {
        "1\(Int.random(in: 0...9, using: &random)):30:00"
    }

    private mutating func blob(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Few words, so that unique columns meet.
    private mutating func word() -> String {
        let words = ["anchor", "buoy", "cleat", "dock", "ebb", "fender", "gale", "hull"]
        let word = words[Int.random(in: words.indices, using: &random)]
        return random.chance(30) ? word : "\(word) \(Int.random(in: 1...999, using: &random))"
    }
}
