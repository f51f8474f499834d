import MoorageCore
import Testing

/// One column type with its difficult values.
struct TypeCase: Sendable {
    let name: String
    let kind: CentreKind
    /// The central database's declaration.
    let declared: String
    let values: [Value]
    /// Whether a value arrives bit for bit. Otherwise it is equal by the rules of its type.
    var isExact = false

    var table: String { "of_\(name)" }

    static func all(_ kind: CentreKind) -> [TypeCase] {
        switch kind {
        case .sqlite: sqlite + common(.sqlite)
        case .postgres: postgres + common(.postgres)
        case .mariadb: mariadb
        }
    }

    // MARK: Values

    private static let integers: [Value] = [
        .integer(0), .integer(-1), .integer(.max), .integer(.min),
        .integer(9_007_199_254_740_993), .integer(-9_007_199_254_740_993), .null,
    ]

    private static let reals: [Value] = [
        .real(0.1), .real(0.30000000000000004), .real(-0.0), .real(.leastNonzeroMagnitude),
        .real(Double.leastNormalMagnitude.nextDown), .real(1.7976931348623157e308), .real(3),
        .real(1e15),
        .real(9_007_199_254_740_992), .real(-123_456.789_012_345_67), .null,
    ]

    private static let texts: [Value] = [
        .text(""), .null, .text(" padded "), .text("naïve \u{301}e 👩🏽‍🚀 🇳🇴"), .text("caf\u{e9}"),
        .text("cafe\u{301}"), .text("a\nb\r\n\tc"), .text("'\"`\\ $1 ? :x {}"), .text("0012"),
        .text("1e3"), .text("NULL"), .text("\u{feff}bom \u{200b}\u{10ffff}"),
        .text(String(repeating: "ø", count: 100_000)),
    ]

    private static let blobs: [Value] = [
        .blob([]), .null, .blob([0]), .blob(Array(0...255)), .blob([0xff, 0xfe, 0x00, 0x41]),
    ]

    private static let dates: [Value] = [
        .text("0001-01-01"), .text("1582-10-10"), .text("1899-12-31"), .text("1900-02-28"),
        .text("2000-02-29"), .text("2026-11-21"), .text("9999-12-31"), .null,
    ]

    private static let timestamps: [Value] = [
        .text("0001-01-01 00:00:00"), .text("1883-11-18 12:03:58"),
        .text("2026-03-29 02:30:00.000001"), .text("2026-03-29 02:30:00.999999"),
        .text("9999-12-31 23:59:59.999999"), .text("1969-12-31 23:59:59.5"), .null,
    ]

    private static let documents: [Value] = [
        .text("{}"), .text("[]"), .text("null"), .text("\"text\""), .text("1e2"),
        .text(
            #"{"b": 1, "a": [1, 2.50, {"é": "\u00e9 👩🏽‍🚀", "": null}], "big": 12345678901234567890}"#),
        .text("{\"a\":\"caf\u{e9}\",\"b\":\"cafe\u{301}\"}"), .null,
    ]

    private static let uuids: [Value] = [
        .text("00000000-0000-0000-0000-000000000000"),
        .text("ffffffff-ffff-ffff-ffff-ffffffffffff"),
        .text("01890a5d-ac96-774b-bcce-b302099a8057"), .null,
    ]

    private static let shortDecimals: [Value] = [
        .text("9.80"), .text("0"), .text("-0.01"), .text("1234567.89"), .text("100"), .null,
    ]

    private static let longDecimals: [Value] = [
        .text("9.80"), .text("12345678901234567890123456789012345678"),
        .text("0.00000000000000000000000000000000000001"),
        .text("-99999999999999999999999999999999999.999"), .text("100"), .null,
    ]

    private static func common(_ kind: CentreKind) -> [TypeCase] {
        [
            TypeCase(
                name: "integer", kind: kind, declared: "BIGINT", values: integers, isExact: true),
            TypeCase(
                name: "boolean", kind: kind, declared: "BOOLEAN",
                values: [.integer(1), .integer(0), .null], isExact: true),
            TypeCase(
                name: "real", kind: kind, declared: "DOUBLE PRECISION", values: reals, isExact: true
            ),
            TypeCase(name: "text", kind: kind, declared: "TEXT", values: texts, isExact: true),
            TypeCase(
                name: "varchar", kind: kind, declared: "VARCHAR(20)",
                values: [.text("caf\u{e9}"), .text("trailing  "), .text(""), .null], isExact: true),
            TypeCase(name: "date", kind: kind, declared: "DATE", values: dates),
            TypeCase(
                name: "time", kind: kind, declared: "TIME",
                values: [
                    .text("00:00:00"), .text("23:59:59.999999"), .text("12:30:00.5"), .null,
                ]),
            TypeCase(name: "timestamp", kind: kind, declared: "TIMESTAMP", values: timestamps),
            TypeCase(name: "instant", kind: kind, declared: "TIMESTAMPTZ", values: timestamps),
            TypeCase(name: "uuid", kind: kind, declared: "UUID", values: uuids, isExact: true),
            TypeCase(name: "json", kind: kind, declared: "JSON", values: documents),
        ]
    }

    private static let sqlite: [TypeCase] = [
        TypeCase(name: "blob", kind: .sqlite, declared: "BLOB", values: blobs, isExact: true),
        TypeCase(name: "decimal", kind: .sqlite, declared: "DECIMAL(10,2)", values: shortDecimals),
        // In SQLite a column for more than 15 digits is TEXT.
        TypeCase(
            name: "long_decimal", kind: .sqlite, declared: "TEXT", values: longDecimals,
            isExact: true),
    ]

    private static let postgres: [TypeCase] = [
        TypeCase(name: "blob", kind: .postgres, declared: "BYTEA", values: blobs, isExact: true),
        TypeCase(
            name: "decimal", kind: .postgres, declared: "NUMERIC(10,2)", values: shortDecimals),
        TypeCase(name: "long_decimal", kind: .postgres, declared: "NUMERIC", values: longDecimals),
        TypeCase(
            name: "smallint", kind: .postgres, declared: "SMALLINT",
            values: [.integer(-32_768), .integer(32_767), .null], isExact: true),
        TypeCase(
            name: "float4", kind: .postgres, declared: "REAL",
            values: [.real(0.5), .real(-0.0), .real(16_777_216), .null], isExact: true),
        TypeCase(name: "jsonb", kind: .postgres, declared: "JSONB", values: documents),
        TypeCase(
            name: "char", kind: .postgres, declared: "CHAR(5)",
            values: [.text("ab"), .text(""), .text("caf\u{e9}"), .null], isExact: true),
        TypeCase(
            name: "mood", kind: .postgres, declared: "mood",
            values: [.text("glad"), .text("très triste"), .null], isExact: true),
        TypeCase(
            name: "inet", kind: .postgres, declared: "INET",
            values: [.text("10.0.0.1/32"), .text("2001:db8::/32"), .null], isExact: true),
        TypeCase(
            name: "interval", kind: .postgres, declared: "INTERVAL",
            values: [.text("1 day 02:03:04.5"), .text("1 year 2 mons"), .null], isExact: true),
        TypeCase(
            name: "array", kind: .postgres, declared: "TEXT[]",
            values: [.text("{a,\"b c\",NULL,\"\"}"), .text("{}"), .null], isExact: true),
        TypeCase(
            name: "timestamp3", kind: .postgres, declared: "TIMESTAMP(3)",
            values: [.text("2026-03-29 02:30:00.123"), .text("0001-01-01 00:00:00.001"), .null]),
    ]

    /// MariaDB has a list of its own, because few type names mean the same there.
    private static let mariadb: [TypeCase] = [
        TypeCase(
            name: "integer", kind: .mariadb, declared: "BIGINT", values: integers, isExact: true),
        TypeCase(
            name: "smallint", kind: .mariadb, declared: "SMALLINT",
            values: [.integer(-32_768), .integer(32_767), .null], isExact: true),
        TypeCase(
            name: "boolean", kind: .mariadb, declared: "BOOLEAN",
            values: [.integer(1), .integer(0), .null], isExact: true),
        TypeCase(name: "real", kind: .mariadb, declared: "DOUBLE", values: reals, isExact: true),
        TypeCase(
            name: "float4", kind: .mariadb, declared: "FLOAT",
            values: [.real(0.5), .real(-0.0), .real(16_777_216), .null], isExact: true),
        TypeCase(
            name: "text", kind: .mariadb, declared: "LONGTEXT", values: texts, isExact: true),
        TypeCase(
            name: "varchar", kind: .mariadb, declared: "VARCHAR(20)",
            values: [.text("caf\u{e9}"), .text("trailing  "), .text(""), .null], isExact: true),
        TypeCase(
            name: "blob", kind: .mariadb, declared: "LONGBLOB", values: blobs, isExact: true),
        TypeCase(
            name: "decimal", kind: .mariadb, declared: "DECIMAL(10,2)", values: shortDecimals),
        TypeCase(
            name: "long_decimal", kind: .mariadb, declared: "DECIMAL(65,38)",
            values: [
                .text("9.80"), .text("123456789012345678901234567"),
                .text("0.00000000000000000000000000000000000001"),
                .text("-99999999999999999999999.999"), .null,
            ]),
        TypeCase(name: "date", kind: .mariadb, declared: "DATE", values: dates),
        TypeCase(
            name: "time", kind: .mariadb, declared: "TIME(6)",
            values: [.text("00:00:00"), .text("23:59:59.999999"), .text("12:30:00.5"), .null]),
        TypeCase(
            name: "timestamp", kind: .mariadb, declared: "DATETIME(6)", values: timestamps),
        TypeCase(
            name: "instant", kind: .mariadb, declared: "TIMESTAMP(6) NULL",
            values: [
                .text("1970-01-01 00:00:01"), .text("2026-03-29 02:30:00.000001"),
                .text("2038-01-19 03:14:07.999999"), .null,
            ]),
        TypeCase(name: "uuid", kind: .mariadb, declared: "UUID", values: uuids, isExact: true),
        TypeCase(name: "json", kind: .mariadb, declared: "JSON", values: documents),
        TypeCase(
            name: "mood", kind: .mariadb, declared: "ENUM('glad', 'très triste')",
            values: [.text("glad"), .text("très triste"), .null], isExact: true),
    ]
}
