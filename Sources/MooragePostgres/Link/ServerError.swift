import CPostgres
import MoorageCore
import MoorageHub

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
    private let isOfCatalog: Bool
    /// Whether the session ends with the error.
    private let isFatal: Bool
    /// The text of a RAISE of the owner's. It is for the user who made the change, and goes into no
    /// log.
    private let raised: String?

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

    /// The error as the hub sees it.
    var central: CentralError {
        switch state {
        case "23505": refused(.unique, "Another row already has these values")
        case "23P01": refused(.unique, "Another row excludes these values")
        case "23503":
            refused(.foreignKey, "A row that this one refers to, or that refers to it, forbids it")
        case "23502": refused(.notNull, "A value is required")
        case "23514", "44000": refused(.check, "A check does not hold")
        case "42501": refused(.permission, "The hub's role, or a row policy, does not allow it")
        case "22021", "22P05":
            refused(.notRepresentable, "A character cannot be held by the central database")
        case "22001": refused(.type, "A text is too long for its column")
        case "22003": refused(.type, "A number is out of its column's range")
        case "22007", "22008": refused(.type, "A date or time does not exist, or is out of range")
        case "22P02", "22032", "2200N": refused(.type, "A value is not of its column's type")
        // Types of extensions (hstore, PostGIS) report this for a text that they cannot read.
        case "XX000" where !isOfCatalog && function == nil:
            refused(.type, "A value is not of its column's type")
        // A server reports this for a value in a form that its type does not have. A pooler reports
        // it for its own errors, and closes the connection.
        case "08P01" where !isFatal: refused(.type, "A value is not of its column's type")
        case "428C9": refused(.type, "A generated column cannot be written")
        case "54000": refused(.tooLarge, "A value is too large for an index or a row")
        case "40001", "40P01", "55P03", "57014":
            CentralError(
                .conflict,
                "Another transaction was in the way, or a time limit was reached (\(state)).")
        case "0A000" where function == nil:
            CentralError(.conflict, "A table changed its shape meanwhile (0A000).")
        case "25006":
            CentralError(.failed, "The central database takes no writes now (25006).")
        default: byClass
        }
    }

    private var byClass: CentralError {
        let group = state.prefix(2)
        let unavailable = CentralError(
            .unavailable, "The central database cannot be reached or cannot work (\(state)).")
        // Other programs' code may give its errors any state. If the session continues, so does the
        // connection.
        let isLost = (group == "08" || state.hasPrefix("57P0")) && (isFatal || function == nil)
        if isLost || group == "53" { return unavailable }
        if group == "22" { return refused(.type, "A value does not fit its column") }
        if group == "23" { return refused(.check, "A constraint does not hold") }
        if group == "P0" { return refused(.trigger, "A trigger of the owner's said no") }
        if let function, !function.hasPrefix("moorage_") {
            return refused(.trigger, "A trigger of the owner's failed")
        }
        // A file of the server's cannot be read or written.
        if group == "58" { return unavailable }
        return CentralError(
            .failed,
            """
            The central database refused a statement of the hub (\(state)). The server's own log names the \
            statement.
            """)
    }

    private func refused(_ code: Refusal.Code, _ words: String) -> CentralError {
        var message = words
        if let constraint { message += ", constraint \(constraint)" }
        if let domain { message += ", domain \(domain)" }
        if let column { message += ", column \(column)" }
        if let table { message += ", table \(table)" }
        if let function, code == .trigger { message += ", function \(function)" }
        message += " (\(state))."
        let told = raised.map { "\($0) – \(message)" } ?? message
        return CentralError(.refused(Refusal(code: code, message: told)), message)
    }
}

extension CentralError {
    /// The role may not do it.
    var isPermission: Bool {
        if case .refused(let refusal) = kind { refusal.code == .permission } else { false }
    }
}
