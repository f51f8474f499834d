import MoorageCore

/// A request by plain HTTP.
package struct RESTRequest: Sendable {
    /// In upper case, as HTTP writes it.
    package let method: String
    /// Percent-encoded as it came, without the query.
    package let path: String
    /// What follows the `?`, as it came; `nil` without one.
    package let query: String?
    package let body: [UInt8]
    private let headers: [(name: String, value: String)]

    package init(
        method: String, path: String, query: String? = nil,
        headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The values of a header, in the order in which they came.
    ///
    /// - Parameter name: In any case.
    package func values(of name: String) -> [String] {
        let name = name.lowercased()
        return headers.compactMap { $0.name.lowercased().hasSameBytes(as: name) ? $0.value : nil }
    }
}
