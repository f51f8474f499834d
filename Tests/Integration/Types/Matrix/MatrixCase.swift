/// A central type and its difficult values.
struct MatrixCase: Sendable {
    /// The type's name in the table of docs/reference/types.md.
    let name: String
    /// The database's declaration, where its text differs from the name.
    let declared: String
    /// Each value as SQL, of the central database and of a device.
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

/// A value as SQL, and its text in the document.
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
