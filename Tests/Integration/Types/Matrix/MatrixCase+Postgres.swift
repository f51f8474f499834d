extension MatrixCase {
    static let postgresPrelude = [
        "CREATE TYPE mood AS ENUM ('glad', 'très triste', '')",
        "CREATE DOMAIN positive AS integer CHECK (VALUE > 0)",
        "CREATE TYPE address AS (street text, number integer)",
        "CREATE EXTENSION citext", "CREATE EXTENSION hstore",
    ]

    static let postgres: [MatrixCase] = [
        MatrixCase(
            "smallint", centre: ["32767", "-32768", "NULL"],
            device: ["-32768", "32768", "1.5", "'abc'", "x'00'"]),
        MatrixCase(
            "integer", centre: ["2147483647"], device: ["-2147483648", "2147483648", "'7'", "3.0"]),
        MatrixCase(
            "bigint", centre: ["9223372036854775807", "-9223372036854775808"],
            device: ["9007199254740993", "9223372036854775808"]),
        MatrixCase("oid", centre: ["4294967295"], device: ["4294967295", "4294967296", "-1"]),
        MatrixCase("boolean", centre: ["true", "false"], device: ["1", "0", "2", "'yes'"]),
        MatrixCase(
            "real", centre: ["0.1", "'NaN'", "'Infinity'", "3.4028235e38"],
            device: ["0.5", "0.1", "16777217.0", "1e39", "1e-60"]),
        MatrixCase(
            "double precision",
            centre: ["0.1", "5e-324", "'-0'", "'NaN'", "'-Infinity'", "1.7976931348623157e308"],
            device: ["0.30000000000000004", "-1e-320", .infinity, "'abc'", "5"]),
        MatrixCase(
            "numeric(10,2)", centre: ["9.80", "-0.01", "99999999.99", "'NaN'"],
            device: [
                "'9.80'", "'9.8'", "'1.005'", "'123456789.12'", "'1e3'", "'NaN'", "'abc'", "''",
            ]),
        MatrixCase(
            "numeric",
            centre: [
                MatrixValue("1234567890123456789012345678901234567890.5", "40 digits and a half"),
                MatrixValue("0.0000000000000000000000000000000000000001", "1e-40"), "'NaN'",
                "'Infinity'",
            ],
            device: [
                MatrixValue("'-9999999999999999999999999999999999999999.9'", "41 digits"),
                "'1e-40'", "'1e200'", "'Infinity'",
            ]),
        MatrixCase(
            "money", centre: ["9.99", "-92233720368547758.08"],
            device: ["'9.99'", "'9.999'", "'92233720368547758.08'"]),
        MatrixCase(
            "text", centre: ["''", "' padded '", .decomposed, .emoji, .lines, "'1e3'", "NULL"],
            device: ["''", "'\"\\'", .decomposed, .emoji, .lines, .nul, .badText, "5", "x'41'"]),
        MatrixCase(
            "varchar(5)", centre: ["'abcde'", "'a    '"],
            device: [
                "'abcde'", "'abcdef'", MatrixValue("'abcde  '", "abcde and two spaces"),
                MatrixValue("'e\u{301}e\u{301}e\u{301}'", "three accents, six characters"),
            ]),
        MatrixCase(
            "char(5)", centre: ["'ab'", "''"],
            device: ["'ab'", "'abcdef'", MatrixValue("'ab '", "ab and a space")]),
        MatrixCase("name", centre: ["'abc'"], device: ["'abc'", .long(63), .long(64)]),
        MatrixCase(
            "\"char\"", centre: ["'a'"], device: ["'a'", "'ab'", MatrixValue("'é'")]),
        MatrixCase(
            "citext", centre: ["'Abc'"], device: ["'aBC'", .nul]),
        MatrixCase(
            "mood", declared: "mood", centre: ["'glad'", "'très triste'", "''"],
            device: ["'glad'", "''", "'sad'", "'GLAD'"]),
        MatrixCase(
            "bytea", centre: ["''", "'\\x00ff'"], device: [.emptyBlob, "x'00ff'", "'text'"]),
        MatrixCase(
            "uuid", centre: ["'01890a5d-ac96-774b-bcce-b302099a8057'"],
            device: [
                "'01890A5D-AC96-774B-BCCE-B302099A8057'",
                "'{01890a5d-ac96-774b-bcce-b302099a8057}'",
                "'01890a5dac96774bbcceb302099a8057'", "x'01890a5dac96774bbcceb302099a8057'",
                "'not a uuid'",
            ]),
        MatrixCase(
            "date",
            centre: [
                "'0001-01-01'", "'1582-10-10'", "'9999-12-31'", "'10000-01-01'", "'0044-03-15 BC'",
                "'infinity'",
            ],
            device: [
                "'1900-02-28'", "'1900-02-29'", "'2026-02-30'", "'10000-01-01'", "'0000-01-01'",
                "'now'", "'infinity'", "'2026-11-24 00:00:00'", "'2026-11-24 10:00:00'",
                "'24.11.2026'", "20261124",
            ]),
        MatrixCase(
            "time", centre: ["'00:00'", "'23:59:59.999999'", "'24:00:00'"],
            device: [
                "'12:30'", "'23:59:59.9999999'", "'24:00:00'", "'23:59:60'", "'25:00'",
                "'12:30+02'",
            ]),
        MatrixCase("timetz", centre: ["'12:30+02'"], device: ["'12:30:00+02'", "'12:30Z'"]),
        MatrixCase(
            "timestamp",
            centre: [
                "'0001-01-01'", "'2026-03-29 02:30:00.000001'", "'9999-12-31 23:59:59.999999'",
                "'10000-01-01'", "'4713-01-01 BC'", "'-infinity'", "'1600-02-29 12:00'",
            ],
            device: [
                "'2026-03-29T02:30:00'", "'2026-06-30 23:59:60'", "'2026-01-01 24:00:00'",
                "'9999-12-31 23:59:59.9999999'", "'2026-01-01 10:00:00+02'", "'infinity'",
                "'2026-01-01'",
            ]),
        MatrixCase(
            "timestamp(3)", centre: ["'2026-03-29 02:30:00.123'"],
            device: [
                "'2026-03-29 02:30:00.1235'", "'2026-12-31 23:59:59.9996'",
                "'9999-12-31 23:59:59.9999'",
            ]),
        MatrixCase(
            "timestamptz",
            centre: [
                "'2026-03-29 02:30:00.5+05:45'", "'1883-11-18 12:03:58+00'", "'infinity'",
                "'10000-01-01'", "'0001-01-01 00:00+00'",
            ],
            device: [
                "'2026-07-01T12:00:00+02:00'", "'2026-07-01 10:00:00Z'", "'2026-07-01 10:00:00'",
                "'2026-07-01 10:00 Europe/Rome'",
            ]),
        MatrixCase(
            "interval", centre: ["'1 day 02:03:04.5'", "'-1 year -2 mons'"],
            device: ["'1 day'", "'36 hours'", "'P1DT2H'", "'abc'"]),
        MatrixCase(
            "json", centre: ["'{\"a\": 1, \"a\": 2}'", "'1e400'", "'\"\\u0000\"'", "' [1 ,2]'"],
            device: [
                "'{\"a\": 1, \"a\": 2}'", "'{a:1}'", "''", "'null'", "'12345678901234567890'",
                "'{\"é\": \"\\u00e9\"}'", "'[1,2'",
            ]),
        MatrixCase(
            "jsonb", centre: ["'{\"b\": 1, \"a\": 2.50}'", "'1e400'"],
            device: [
                "'{\"b\":1,\"a\":2}'", "'{\"a\": 1, \"a\": 2}'", "'\"\\u0000\"'", "'{a:1}'",
                "'1e400'", "'1.10'",
            ]),
        MatrixCase(
            "integer[]", centre: ["'{1,NULL,3}'", "'{}'", "'[0:1]={1,2}'"],
            device: ["'{1,2}'", "'{ 1, 2 }'", "'{1,2'", "'{a}'"]),
        MatrixCase(
            "text[]", centre: ["'{a,\"b c\",\"\",NULL,\"NULL\"}'"],
            device: ["'{\"a\"}'", "'{a,b}'"]),
        MatrixCase(
            "int4range", centre: ["'[1,5)'", "'empty'"], device: ["'[1,4]'", "'[5,1]'"]),
        MatrixCase("positive", centre: ["5"], device: ["5", "-1", "NULL"]),
        MatrixCase(
            "address", centre: ["'(\"Main St\",5)'"], device: ["'(\"Main St\",5)'", "'(a)'"]),
        MatrixCase("hstore", centre: ["'a=>1'"], device: ["'\"a\"=>\"1\"'", "'a=>1'", "'a'"]),
        MatrixCase(
            "inet", centre: ["'10.0.0.1/24'", "'2001:db8::1'"],
            device: ["'10.0.0.1'", "'10.0.0.1/32'", "'10.0.0.300'"]),
        MatrixCase("cidr", centre: ["'10.0.0.0/8'"], device: ["'10.0.0.0/8'", "'10.0.0.1/8'"]),
        MatrixCase("macaddr", centre: ["'08:00:2b:01:02:03'"], device: ["'08002B010203'"]),
        MatrixCase("bit(3)", centre: ["'101'"], device: ["'101'", "'10'", "'1011'", "'2'"]),
        MatrixCase("bit varying(3)", centre: ["'10'"], device: ["''", "'1011'"]),
        MatrixCase("tsvector", centre: ["'a b'"], device: ["'b a'", "'''a'' ''b'''"]),
        MatrixCase("xml", centre: ["'<a/>'"], device: ["'<a/>'", "'<a>'"]),
        MatrixCase("point", centre: ["'(1,2)'"], device: ["'(1,2)'", "'1,2'", "'x'"]),
    ]
}
