import MoorageCore

/// Why a request is not carried out, as `application/problem+json` says it (RFC 9457).
package struct RESTProblem: Error {
    package let status: Int
    /// A stable code.
    package let code: String
    /// What the status means.
    package let title: String
    /// A full sentence that says what to do. It names tables and columns, and no values.
    package let detail: String
    package let headers: [(name: String, value: String)]
    /// For a batch that was not carried out: what became of each write, as a JSON array.
    var results: [UInt8]?
    /// For changes of a client that were not carried out: what became of each, as a JSON object.
    var tables: [UInt8]?

    /// - Parameter title: `nil` for what the status means anywhere.
    package init(
        status: Int, code: String, title: String? = nil, detail: String,
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.code = code
        self.title = title ?? StatusTitle.of(status)
        self.detail = detail
        self.headers = headers
    }

    /// The same problem, at a place of the request.
    func at(_ place: String) -> RESTProblem {
        RESTProblem(
            status: status, code: code, title: title, detail: "\(place): \(detail)",
            headers: headers)
    }

    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("type")
            $0.string("urn:moorage:problem:\(code)")
            $0.name("title")
            $0.string(title)
            $0.name("status")
            $0.integer(Int64(status))
            $0.name("code")
            $0.string(code)
            $0.name("detail")
            $0.string(detail)
            if let results {
                $0.name("results")
                $0.encoded(results)
            }
            if let tables {
                $0.name("tables")
                $0.encoded(tables)
            }
        }
    }
}

extension RESTResponse {
    package init(_ problem: RESTProblem) {
        self.init(
            status: problem.status,
            headers: [("Content-Type", "application/problem+json")] + problem.headers,
            body: JSONWriter.document { problem.write(to: &$0) })
    }

    /// A refusal that comes from elsewhere, such as the server.
    ///
    /// - Parameter title: `nil` for what the status means anywhere.
    package static func problem(
        status: Int, code: String, title: String? = nil, detail: String,
        headers: [(name: String, value: String)] = []
    ) -> RESTResponse {
        RESTResponse(
            RESTProblem(
                status: status, code: code, title: title, detail: detail, headers: headers))
    }
}
