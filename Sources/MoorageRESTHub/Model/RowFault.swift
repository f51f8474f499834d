/// Why a row and its JSON do not become one another. It names members, never values.
struct RowFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    init(_ error: any Error, reading table: String) {
        switch error {
        case let fault as RowFault: self = fault
        case DecodingError.keyNotFound(let key, let context):
            self.init("The member \(Self.path(context.codingPath + [key])) is missing.")
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            self.init(
                "The member \(Self.path(context.codingPath)) has no value that the app can read.")
        default: self.init("The row is no record of \(table).")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        // A key of a dictionary may be content.
        let names = keys.prefix(8).map { String($0.stringValue.prefix(60)) }
        return names.isEmpty ? "of the whole" : names.joined(separator: ".")
    }
}
