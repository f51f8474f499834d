extension MatrixCase {
    static let sqlite: [MatrixCase] = [
        MatrixCase(
            "INTEGER",
            centre: [
                "9223372036854775807", "-9223372036854775808", "1.5", "'abc'", "x'00'", "NULL",
            ],
            device: ["9007199254740993", "9223372036854775808", "1.5", "'abc'", "'7'"]),
        MatrixCase("BOOLEAN", centre: ["1", "0", "7", "'yes'"], device: ["1", "2", "'yes'"]),
        MatrixCase(
            "REAL", centre: ["0.1", "5e-324", "-0.0", "9e999", "'abc'"],
            device: ["0.30000000000000004", .infinity, "'abc'", "5"]),
        MatrixCase(
            "DECIMAL(10,2)", centre: ["9.80", "'9.80'", "0.1", "1e20", "'abc'", "9e999"],
            device: [
                "'9.80'", "'1.005'", "'123456789012345.6'", "'0.1'", "'1e3'", "'NaN'", "''",
                MatrixValue("'9007199254740993'", "9007199254740993"),
                MatrixValue("'12345678901234567890'", "20 digits"),
            ]),
        MatrixCase(
            "TEXT",
            centre: [
                "''", "' padded '", .decomposed, .emoji, .lines, .nul, .badText, "5", "x'41'",
            ],
            device: ["''", "'\"\\'", .decomposed, .emoji, .lines, .nul, .badText, "x'41'"]),
        MatrixCase(
            "STRING", centre: ["'abc'", "'0012'", "'1e3'", "1.5"], device: ["'0012'", "'1.50'"]),
        MatrixCase("VARCHAR(5)", centre: ["'abcdef'"], device: ["'abcdef'"]),
        MatrixCase(
            "BLOB", centre: ["x''", "x'00ff'", "'text'"], device: [.emptyBlob, "x'00ff'", "'text'"]),
        MatrixCase(
            "UUID",
            centre: [
                "'01890a5d-ac96-774b-bcce-b302099a8057'", "'01890A5D-AC96-774B-BCCE-B302099A8057'",
                "x'01890a5dac96774bbcceb302099a8057'", "'not a uuid'",
            ],
            device: [
                "'01890A5D-AC96-774B-BCCE-B302099A8057'", "x'01890a5dac96774bbcceb302099a8057'",
                "'not a uuid'",
            ]),
        MatrixCase(
            "DATE",
            centre: ["'0001-01-01'", "'1582-10-10'", "'2026-02-30'", "'10000-01-01'", "20261124"],
            device: ["'9999-12-31'", "'2026-02-30'", "'10000-01-01'", "'now'", "20261124"]),
        MatrixCase(
            "TIME", centre: ["'23:59:59.999999'", "'24:00:00'", "'25:00'"],
            device: ["'12:30'", "'24:00:00'", "'23:59:60'"]),
        MatrixCase(
            "TIMESTAMP", centre: ["'2026-03-29T02:30:00'", "'2026-06-30 23:59:60'", "1700000000"],
            device: [
                "'2026-03-29 02:30:00.000001'", "'2026-06-30 23:59:60'", "'infinity'", "1700000000",
            ]),
        MatrixCase(
            "TIMESTAMPTZ", centre: ["'2026-07-01T12:00:00+02:00'"],
            device: ["'2026-07-01T12:00:00+02:00'", "'2026-07-01 10:00:00'"]),
        MatrixCase(
            "JSON", centre: ["'{\"a\": 1, \"a\": 2}'", "'{a:1}'", "'5'", "'1e400'"],
            device: ["'{\"a\": 1, \"a\": 2}'", "'{a:1}'", "''", "'12345678901234567890'", "'1.10'"]),
        MatrixCase("SOMETHING", centre: ["5"]),
        MatrixCase("no type", declared: "", centre: ["5"]),
    ]
}
