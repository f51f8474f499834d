import MoorageCore

/// An answer by plain HTTP. The server adds what all its answers have, such as `Content-Length`.
package struct RESTResponse: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package init(
        status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func json(
        status: Int = 200, headers: [(name: String, value: String)] = [],
        _ write: (inout JSONWriter) -> Void
    ) -> RESTResponse {
        RESTResponse(
            status: status, headers: [("Content-Type", MediaType.json.rawValue)] + headers,
            body: JSONWriter.document(write))
    }
}
