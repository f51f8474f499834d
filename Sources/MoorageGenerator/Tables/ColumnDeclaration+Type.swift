import MoorageCore
import MoorageWire

/// The types of columns, as the hub reads them back (docs/reference/types.md).
extension ColumnDeclaration {
    var typeName: String {
        switch dialect {
        case .sqlite: sqliteType
        case .postgres: postgresType
        case .mysql: mysqlType
        }
    }

    /// The most characters that the file's own database declares.
    private var declaredLength: Int? {
        if case .length(let length)? = details.original.flatMap(OriginalType.init) {
            length
        } else {
            nil
        }
    }

    /// The digits that the file's own database declares; `nil` for more than `precision` in all, or
    /// more than `scale` after the point.
    private func declaredDigits(mostPrecision: Int, mostScale: Int) -> String? {
        guard
            case .digits(let precision, let scale)? = details.original.flatMap(OriginalType.init),
            precision <= mostPrecision, scale <= mostScale
        else { return nil }
        return "(\(precision),\(scale))"
    }

    // MARK: SQLite

    private var sqliteType: String {
        switch column.type {
        case .integer: "INTEGER"
        case .boolean: "BOOLEAN"
        case .real: "REAL"
        case .decimal:
            "DECIMAL" + (declaredDigits(mostPrecision: .max, mostScale: .max) ?? "")
        case .text: declaredLength.map { "VARCHAR(\($0))" } ?? "TEXT"
        case .blob: "BLOB"
        case .uuid: "UUID"
        case .date: "DATE"
        case .time: "TIME"
        case .timestamp: "TIMESTAMP"
        case .instant: "TIMESTAMPTZ"
        // As JSON alone, SQLite would round a document that is a long number.
        case .json: "JSON TEXT"
        }
    }

    // MARK: PostgreSQL

    private var postgresType: String {
        switch column.type {
        case .integer: "bigint"
        case .boolean: "boolean"
        case .real: "double precision"
        case .decimal: "numeric" + (declaredDigits(mostPrecision: 1_000, mostScale: 1_000) ?? "")
        case .text:
            declaredLength.flatMap { $0 <= 10_485_760 ? "varchar(\($0))" : nil } ?? "text"
        case .blob: "bytea"
        case .uuid: "uuid"
        case .date: "date"
        case .time(let digits): "time" + Self.postgresDigits(digits)
        case .timestamp(let digits): "timestamp" + Self.postgresDigits(digits)
        case .instant(let digits): "timestamptz" + Self.postgresDigits(digits)
        case .json: "jsonb"
        }
    }

    /// A type without digits has six.
    private static func postgresDigits(_ digits: Int) -> String {
        digits < 6 ? "(\(max(0, digits)))" : ""
    }

    // MARK: MariaDB and MySQL

    private var mysqlType: String {
        switch column.type {
        case .integer: "BIGINT"
        // A BOOLEAN of a key is read as an integer.
        case .boolean: use.keyWidth == nil ? "BOOLEAN" : "BIT(1)"
        case .real: "DOUBLE"
        case .decimal: "DECIMAL" + (declaredDigits(mostPrecision: 65, mostScale: 30) ?? "(65,30)")
        case .text: mysqlLength.map { "VARCHAR(\($0))" } ?? "LONGTEXT"
        case .blob: mysqlLength.map { "VARBINARY(\($0))" } ?? "LONGBLOB"
        // MySQL has no such type. The hub reads the column as text there.
        case .uuid: "/*M!100700 UUID */ /*!80000 CHAR(36) */"
        case .date: "DATE"
        case .time(let digits): "TIME" + Self.mysqlDigits(digits)
        case .timestamp(let digits): "DATETIME" + Self.mysqlDigits(digits)
        case .instant(let digits): "TIMESTAMP" + Self.mysqlDigits(digits)
        case .json: "JSON"
        }
    }

    /// A type without digits has none.
    static func mysqlDigits(_ digits: Int) -> String {
        digits > 0 ? "(\(min(digits, 6)))" : ""
    }

    /// The length of a text or blob that is part of the row in MySQL; `nil` for one of any length.
    ///
    /// The texts of a row share 65,535 bytes, with up to four for a character. So only short ones,
    /// and those of keys, have a length.
    var mysqlLength: Int? {
        if let width = use.keyWidth {
            return min(declaredLength ?? Self.usualLength, Self.mostKeyCharacters / max(1, width))
        }
        if column.type == .blob { return nil }
        if let declaredLength, declaredLength <= Self.usualLength { return declaredLength }
        let longest = details.labels.map(\.unicodeScalars.count).max()
        return longest.flatMap { $0 <= Self.usualLength ? Self.usualLength : nil }
    }

    /// The length of a text in MySQL where the file says nothing about it.
    static let usualLength = 255

    /// The most characters of a key in MySQL, for all its texts together. The hub can track a key
    /// of 2,801 bytes, and other columns may need some of them.
    static let mostKeyCharacters = 640
}
