/// Why the hub withholds a row: parts of a sentence that names the row and its column.
///
/// docs/reference/types.md quotes some of them.
enum WithheldReason {
    static let notANumber = "NaN has no place in SQLite"
    static let infinity = "infinity cannot be exchanged"
    static let notADecimal = "NaN or infinity is no decimal number"
    static let dateOutside = "the date lies outside the years 0001 to 9999, or is infinite"
    static let timeOutside = "the time is outside of a day, from 00:00:00 to 24:00:00"
    static let integerTooLarge = "the number does not fit 64 bits"
    static let notUTF8 = "bytes that are not UTF-8 in a column of text"

    static func number(inColumnOf type: String) -> String {
        "a number in a column of the type \(type)"
    }

    static func keyForm(of type: String) -> String {
        """
        the key is not in the form in which \(type) is compared (a UUID in lower-case text, numbers \
        and times without zeros at the end)
        """
    }

    /// - Parameter message: What the database says, as a full sentence.
    static func unreadable(_ message: String) -> String {
        "the central database cannot read the row. The reason: \(message)"
    }
}
