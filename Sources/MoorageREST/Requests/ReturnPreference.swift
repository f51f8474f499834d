/// What the answer to a write is to have (RFC 7240, 4.2).
enum ReturnPreference: String, Hashable {
    case minimal
    case representation

    /// - Returns: `nil` where the request does not say it, or says what we do not know.
    init?(_ request: RESTRequest) {
        // The first of several counts.
        let preference = HeaderElement.all(of: request.values(of: "Prefer")).map(\.preference)
            .first { $0.name == "return" }
        guard let preference else { return nil }
        self.init(rawValue: preference.value.lowercased())
    }

    /// Tells the program that its preference counted.
    var header: (name: String, value: String) { ("Preference-Applied", "return=\(rawValue)") }
}
