/// Why a text is not CSV that the hub reads, and where. It never quotes the text.
struct CSVFault: Error, Hashable {
    enum Kind: Hashable {
        /// A quote within a field without quotes, or text behind a closing one.
        case looseQuote
        case openQuote
        /// A carriage return that ends no line.
        case looseReturn
        case notUTF8
        /// More fields than there may be.
        case tooManyFields(Int)
        case fields(Int, expected: Int)
        /// The reader was refused the memory.
        case tooLarge
    }

    let kind: Kind
    /// Counted from 1.
    let line: Int

    init(_ kind: Kind, at line: Int) {
        self.kind = kind
        self.line = line
    }

    /// What to do about it.
    var message: String {
        switch kind {
        case .looseQuote:
            "A field with a quote in it is in quotes, and each quote in it is written twice."
        case .openQuote: "The quote that opens here is not closed."
        case .looseReturn: "A record ends with CRLF or LF."
        case .notUTF8: "The text is not UTF-8."
        case .tooManyFields(let most): "A record has \(most) fields at most."
        case .fields(let count, let expected):
            "The record has \(count) fields, and the first line has \(expected) names."
        case .tooLarge: "The body needs too much memory. Send several requests."
        }
    }
}
