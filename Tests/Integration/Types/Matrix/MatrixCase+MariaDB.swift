extension MatrixCase {
    private static let unicode = " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"

    static let mariadb: [MatrixCase] = [
        MatrixCase(
            "tinyint", declared: "TINYINT", centre: ["127"],
            device: ["-128", "128", "1.5", "'abc'"]),
        MatrixCase(
            "tinyint unsigned", declared: "TINYINT UNSIGNED", centre: ["255"],
            device: ["255", "256", "-1"]),
        MatrixCase(
            "smallint", declared: "SMALLINT", centre: ["-32768"], device: ["32767", "32768"]),
        MatrixCase(
            "mediumint", declared: "MEDIUMINT", centre: ["8388607"],
            device: ["-8388608", "8388608"]),
        MatrixCase(
            "int unsigned", declared: "INT UNSIGNED", centre: ["4294967295"],
            device: ["4294967295", "4294967296", "-1"]),
        MatrixCase(
            "bigint", declared: "BIGINT", centre: ["9223372036854775807", "-9223372036854775808"],
            device: ["9007199254740993", "9223372036854775808", "3.0"]),
        MatrixCase(
            "bigint unsigned", declared: "BIGINT UNSIGNED",
            centre: ["9223372036854775807", "9223372036854775808", "18446744073709551615"],
            device: ["9223372036854775807", "-1"]),
        MatrixCase(
            "boolean", declared: "BOOLEAN", centre: ["TRUE", "FALSE", "2"],
            device: ["1", "2", "'yes'"]),
        MatrixCase("bit(1)", declared: "BIT(1)", centre: ["b'1'"], device: ["0", "1", "2"]),
        MatrixCase("bit(8)", declared: "BIT(8)", centre: ["255"], device: ["255", "256", "-1"]),
        MatrixCase(
            "bit(64)", declared: "BIT(64)",
            centre: ["9223372036854775807", "18446744073709551615"],
            device: ["5"]),
        MatrixCase(
            "year", declared: "YEAR", centre: ["1901", "2155", "'0000'"],
            device: ["1901", "1900", "2156", "70", "0"]),
        MatrixCase(
            "float", declared: "FLOAT", centre: ["0.1", "3.4e38"],
            device: ["0.5", "0.1", "16777217.0", "1e39", .infinity]),
        MatrixCase(
            "double", declared: "DOUBLE", centre: ["0.1", "1.7976931348623157e308", "5e-324"],
            device: ["0.30000000000000004", "-1e-320", .infinity, .minusInfinity, "'abc'"]),
        MatrixCase(
            "decimal(10,2)", declared: "DECIMAL(10,2)", centre: ["9.80", "-0.01", "99999999.99"],
            device: ["'9.80'", "'9.8'", "'1.005'", "'123456789.12'", "'1e3'", "'NaN'", "''"]),
        MatrixCase(
            "decimal(10,2) unsigned", declared: "DECIMAL(10,2) UNSIGNED", centre: ["9.80"],
            device: ["'-0.01'"]),
        MatrixCase(
            "decimal(65,30)", declared: "DECIMAL(65,30)",
            centre: [MatrixValue("12345678901234567890123456789012345.5", "35 digits and a half")],
            device: [
                MatrixValue("'99999999999999999999999999999999999.5'", "35 digits and a half"),
                MatrixValue("'999999999999999999999999999999999999'", "36 digits"), "'1e-31'",
            ]),
        MatrixCase(
            "char(5)", declared: "CHAR(5)" + unicode, centre: ["'ab'", "''"],
            device: ["'ab'", "'abcdef'", MatrixValue("'ab '", "ab and a space")]),
        MatrixCase(
            "varchar(5)", declared: "VARCHAR(5)" + unicode, centre: ["'abcde'", "'a    '"],
            device: [
                "'abcde'", "'abcdef'", MatrixValue("'abcde  '", "abcde and two spaces"),
                MatrixValue("'e\u{301}e\u{301}e\u{301}'", "three accents, six characters"),
            ]),
        MatrixCase(
            "varchar, latin1", declared: "VARCHAR(20) CHARACTER SET latin1", centre: ["'é€'"],
            device: ["'é€'", MatrixValue("'\u{6f22}'"), .decomposed]),
        MatrixCase(
            "varchar, utf8mb3", declared: "VARCHAR(20) CHARACTER SET utf8mb3", centre: ["'é'"],
            device: [MatrixValue("'\u{6f22}'"), .emoji]),
        MatrixCase(
            "tinytext", declared: "TINYTEXT" + unicode, centre: ["'a'"],
            device: [.long(255), .long(256)]),
        MatrixCase(
            "longtext", declared: "LONGTEXT" + unicode,
            centre: ["''", "' padded '", .decomposed, .emoji, .lines, "NULL"],
            device: ["''", "'\"\\'", .decomposed, .emoji, .lines, .nul, .badText, "5", "x'41'"]),
        MatrixCase(
            "binary(4)", declared: "BINARY(4)", centre: ["x'01020304'", "x'01'"],
            device: ["x'01020304'", "x'01'", "x'0102030405'"]),
        MatrixCase(
            "varbinary(3)", declared: "VARBINARY(3)", centre: ["x'00ff'", "x''"],
            device: [.emptyBlob, "x'00ff'", "x'01020304'", "'abc'"]),
        MatrixCase(
            "longblob", declared: "LONGBLOB", centre: ["x''", "x'00ff'"],
            device: [.emptyBlob, "x'00ff'"]),
        MatrixCase(
            "uuid", declared: "UUID", centre: ["'01890a5d-ac96-774b-bcce-b302099a8057'"],
            device: [
                "'01890A5D-AC96-774B-BCCE-B302099A8057'", "x'01890a5dac96774bbcceb302099a8057'",
                "'not a uuid'",
            ]),
        MatrixCase(
            "date", declared: "DATE",
            centre: [
                "'0001-01-01'", "'1582-10-10'", "'9999-12-31'", "'0000-00-00'", "'2026-00-01'",
                "'0000-01-01'",
            ],
            device: [
                "'0001-01-01'", "'1900-02-28'", "'2026-02-30'", "'10000-01-01'", "'0000-00-00'",
                "'now'",
                "'2026-11-24 10:00:00'", "20261124",
            ]),
        MatrixCase(
            "time(6)", declared: "TIME(6)",
            centre: ["'23:59:59.999999'", "'24:00:00'", "'838:59:59'", "'-01:00:00'"],
            device: ["'12:30'", "'24:00:00'", "'23:59:60'", "'-01:00:00'", "'23:59:59.9999999'"]),
        MatrixCase(
            "time", declared: "TIME", centre: ["'12:30'"], device: ["'12:30:00.4'", "'12:30:00.7'"]),
        MatrixCase(
            "datetime(6)", declared: "DATETIME(6)",
            centre: [
                "'0001-01-01 00:00:00'", "'2026-03-29 02:30:00.000001'",
                "'9999-12-31 23:59:59.999999'",
                "'0000-00-00 00:00:00'",
            ],
            device: [
                "'2026-03-29T02:30:00'", "'2026-06-30 23:59:60'", "'2026-01-01 24:00:00'",
                "'2026-01-01 10:00:00+02'", "'2026-01-01'", "'9999-12-31 23:59:59.9999999'",
            ]),
        MatrixCase(
            "datetime", declared: "DATETIME", centre: ["'2026-03-29 02:30:00'"],
            device: ["'2026-03-29 02:30:00.4'", "'2026-03-29 02:30:00.7'"]),
        MatrixCase(
            "timestamp(6)", declared: "TIMESTAMP(6) NULL",
            centre: [
                "'1970-01-01 00:00:01'", "'2038-01-19 03:14:07.999999'", "'0000-00-00 00:00:00'",
            ],
            device: [
                "'2026-07-01T12:00:00+02:00'", "'2026-03-29 02:30:00'", "'1969-12-31 23:59:59'",
                "'1970-01-01 00:00:00'", "'2038-01-19 03:14:08'", "'2039-01-01 00:00:00'",
            ]),
        MatrixCase(
            "enum('glad','très triste','')", declared: "ENUM('glad', 'très triste', '')" + unicode,
            centre: ["'glad'", "'très triste'", "''"],
            device: ["'glad'", "''", "'sad'", "'GLAD'", "'1'", "2"]),
        MatrixCase(
            "enum('glad')", declared: "ENUM('glad')" + unicode, centre: ["'glad'"],
            device: ["''", "'0'", "'1'"]),
        MatrixCase(
            "set('a','b')", declared: "SET('a', 'b')" + unicode, centre: ["'a,b'", "''"],
            device: ["'a,b'", "''", "'b,a'", "'a,a'", "'a,x'", "'3'"]),
        MatrixCase(
            "json", declared: "JSON", centre: ["'{\"a\": 1, \"a\": 2}'", "'1e400'", "' [1 ,2]'"],
            device: [
                "'{\"a\": 1, \"a\": 2}'", "'{a:1}'", "''", "'null'", "'12345678901234567890'",
                "'\"\\u0000\"'", "'[1,2'",
            ]),
        MatrixCase(
            "inet4", declared: "INET4", centre: ["'10.0.0.1'"],
            device: ["'10.0.0.1'", "'10.0.0.300'"]),
        MatrixCase(
            "inet6", declared: "INET6", centre: ["'2001:db8::1'"],
            device: ["'2001:DB8::1'", "'::ffff:1.2.3.4'", "'x'"]),
        MatrixCase("point", declared: "POINT", centre: ["POINT(1, 2)"]),
    ]
}
