import MoorageCore

/// The types of columns in made-up schemas, as each database declares them. Each has as many values
/// as rows need, and no two are equal.
enum NastyType: String, CaseIterable, Sendable {
    case integer, bigint, smallint, text, uuid, date, time, timestamp, instant, decimal, blob, real
    case label
    /// Has two values, so every second row has the same one.
    case boolean

    static let labels = (0..<90).map { $0 == 3 ? "it''s; \"3\"" : $0 == 4 ? "" : "é\($0)" }

    /// Statements that must run before a table can have the type.
    static func prelude(_ kind: CentreKind) -> [String] {
        guard kind == .postgres else { return [] }
        return ["CREATE TYPE label AS ENUM (\(labels.map { "'\($0)'" }.joined(separator: ", ")))"]
    }

    func declared(_ kind: CentreKind) -> String {
        switch (self, kind) {
        case (.integer, _): "INTEGER"
        case (.bigint, _): "BIGINT"
        case (.smallint, _): "SMALLINT"
        case (.text, .mariadb): "VARCHAR(120)"
        case (.text, _): "text"
        case (.uuid, _): "UUID"
        case (.date, _): "DATE"
        case (.time, .mariadb): "TIME(6)"
        case (.time, _): "TIME"
        case (.timestamp, .mariadb): "DATETIME(6)"
        case (.timestamp, _): "TIMESTAMP"
        case (.instant, .mariadb): "TIMESTAMP(6)"
        case (.instant, _): "TIMESTAMPTZ"
        case (.decimal, _): "DECIMAL(12,3)"
        case (.blob, .sqlite): "BLOB"
        case (.blob, .postgres): "BYTEA"
        case (.blob, .mariadb): "VARBINARY(40)"
        case (.real, _): "DOUBLE PRECISION"
        case (.label, .sqlite): "VARCHAR(20)"
        case (.label, .postgres): "label"
        case (.label, .mariadb):
            "ENUM(\(Self.labels.map { "'\($0)'" }.joined(separator: ", ")))"
        case (.boolean, _): "BOOLEAN"
        }
    }

    /// The value of row `n`, in the form that devices receive for a key.
    func value(_ n: Int, _ kind: CentreKind) -> Value {
        let two = Self.two(n)
        let fraction = [".123456", ".5", ""][n % 3]
        switch self {
        case .integer: return .integer(Int64(n * 7 - 70))
        case .bigint: return .integer(Int64.max - Int64(n))
        case .smallint: return .integer(Int64(n) - 32_768)
        case .text: return .text(n == 1 ? "" : "\(n) it's \"é\" e\u{301} \\ % \u{26f5}")
        case .uuid: return .text("01890a5d-ac96-774b-bcce-b302099a80\(two)")
        case .date: return .text("19\(two)-02-28")
        case .time: return .text("0\(n / 60):\(Self.two(n % 60)):01" + fraction)
        case .timestamp: return .text("20\(two)-03-29 02:30:00" + fraction)
        // MariaDB's instants end in 2038.
        case .instant:
            return .text("20\(10 + n % 20)-0\(1 + n / 20)-15 02:30:00" + fraction)
        case .decimal: return .text(["\(n).5", "\(n)", "\(n).125"][n % 3])
        case .blob: return .blob(n == 1 ? [] : [0, UInt8(n), 0xff])
        case .real: return .real(Double(n) + 0.1)
        case .label: return .text(Self.labels[n].replacing("''", with: "'"))
        case .boolean: return .integer(Int64(n % 2))
        }
    }

    private static func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
}

/// Values and names as each database's SQL writes them.
enum NastySQL {
    static func name(_ name: String) -> String { name.quoted(by: "\"") }

    static func names(_ names: [String]) -> String {
        names.map(name).joined(separator: ", ")
    }

    static func literal(_ value: Value, _ kind: CentreKind) -> String {
        switch (kind, value) {
        case (_, .null): "NULL"
        case (.mariadb, _): MySQLLink.literal(value)
        // Literals without a type take the column's type.
        case (.postgres, .integer(let number)): "'\(number)'"
        case (.postgres, .real(let number)): "'\(number)'"
        case (.postgres, .blob(let bytes)): "'\\x\(Hex.text(bytes))'"
        case (.sqlite, .integer(let number)): String(number)
        case (.sqlite, .real(let number)): number.description
        case (.sqlite, .blob(let bytes)): "x'\(Hex.text(bytes))'"
        case (_, .text(let text)): text.quoted(by: "'")
        }
    }
}
