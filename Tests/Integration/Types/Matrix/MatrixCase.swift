/// A central type and the values that are hard on it.
struct MatrixCase: Sendable {
    /// As the table in docs/types.md names it.
    let name: String
    /// As the database declares it, where that is another text.
    let declared: String
    /// Each as SQL: of the central database, and of a device.
    let atCentre: [MatrixValue]
    let onDevice: [MatrixValue]

    init(
        _ name: String, declared: String? = nil, centre: [MatrixValue] = [],
        device: [MatrixValue] = []
    ) {
        self.name = name
        self.declared = declared ?? name
        atCentre = centre
        onDevice = device
    }
}

/// A value as SQL, and how the document shows it.
struct MatrixValue: Sendable, ExpressibleByStringLiteral {
    let sql: String
    let shown: String

    init(_ sql: String, _ shown: String? = nil) {
        self.sql = sql
        self.shown = shown ?? sql.replacing("|", with: "\\|")
    }

    init(stringLiteral sql: String) { self.init(sql) }

    static let nul = MatrixValue("CAST(x'610062' AS TEXT)", "a, NUL, b")
    static let badText = MatrixValue("CAST(x'61ff62' AS TEXT)", "bytes that are not UTF-8")
    static let decomposed = MatrixValue("'cafe\u{301}'", "café, decomposed")
    static let emoji = MatrixValue(
        "'\u{1f469}\u{1f3fd}\u{200d}\u{1f680}'", "an emoji of four characters")
    static let lines = MatrixValue("'a\n\tb'", "a, newline, tab, b")
    static let infinity = MatrixValue("9e999", "infinity")
    static let minusInfinity = MatrixValue("-9e999", "-infinity")
    static let emptyBlob = MatrixValue("x''", "an empty blob")

    static func long(_ count: Int) -> MatrixValue {
        MatrixValue("'\(String(repeating: "x", count: count))'", "\(count) letters")
    }
}
