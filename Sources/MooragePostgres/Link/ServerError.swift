import CPostgres

/// The server's error for a failed statement: its code and the names in it. Its own sentences are
/// left out, because they may repeat values.
struct ServerError {
    let state: String
    let constraint: String?
    let column: String?
    let table: String?
    /// The domain whose constraint it is.
    let domain: String?
    /// The innermost function that was running, when one was.
    let function: String?
    /// Whether another session changed what a statement was about to use. The server reports that
    /// as an internal error, in words that are never translated.
    let isOfCatalog: Bool
    /// Whether the session ends with the error.
    let isFatal: Bool
    /// The text of a RAISE of the owner's. It is for the user who made the change, and goes into no
    /// log.
    let raised: String?

    init(_ result: OpaquePointer?) {
        func field(_ code: Character) -> String? {
            guard let result, let ascii = code.asciiValue,
                let text = PQresultErrorField(result, Int32(ascii))
            else { return nil }
            return String(cString: text)
        }
        state = field("C") ?? "08006"
        constraint = field("n")
        column = field("c")
        table = field("t")
        domain = field("d")
        function = field("W").flatMap(Self.function)
        isFatal = field("V").map { $0 != "ERROR" } ?? true
        let words = field("M") ?? ""
        let place = field("W")?.split(separator: "\n").first ?? ""
        raised =
            place.hasSuffix("at RAISE") && function?.hasPrefix("moorage_") == false
            ? String(words.prefix(Self.mostRaised)) : nil
        isOfCatalog = [
            "cache lookup failed", "could not open", "could not find", "tuple concurrently",
        ].contains { words.hasPrefix($0) }
    }

    /// The most characters of an owner's text that an error repeats.
    private static let mostRaised = 500

    /// The function in `PL/pgSQL function "My schema".name(types) line 3 at RAISE`, without its
    /// schema.
    private static func function(in context: String) -> String? {
        for line in context.split(separator: "\n") {
            guard let range = line.firstRange(of: "function ") else { continue }
            var name = ""
            var isQuoted = false
            for character in line[range.upperBound...] {
                if character == "\"" {
                    isQuoted.toggle()
                } else if isQuoted {
                    name.append(character)
                } else if character == "(" || character == " " {
                    break
                } else if character == "." {
                    name = ""
                } else {
                    name.append(character)
                }
            }
            if !name.isEmpty { return name }
        }
        return nil
    }

    /// Whether a type found a mistake in the text of a value, such as `syntax error in tsvector`. A
    /// statement of the hub's that could be prepared has no mistake itself.
    var isMistakeInText: Bool { state == "42601" && function == nil }
    var isInternal: Bool { state == "XX000" && function == nil }
    /// Whether a value does not fit, and the server does not say which one.
    var isValueUnnamed: Bool { state.hasPrefix("22") && column == nil && function == nil }
    /// Whether a text names an object that the catalog does not have.
    var isUnknownObject: Bool {
        ["42P01", "42704", "42602", "42883", "42725", "3F000"].contains(state) && function == nil
    }

    var isSchemaChange: Bool {
        ["0A000", "42703", "42P01", "42804", "42883", "26000", "XX000"].contains(state)
    }
}
