#if Server
    import Hummingbird
    import HummingbirdCore
    import MoorageHub
    import MoorageREST
    import MoorageWire

    /// Requests of programs that are no replicas.
    extension RequestHandler {
        /// Whether errors go out as problems, as programs expect them there.
        func isREST(_ request: Request) -> Bool {
            let path = request.uri.path
            let isOne = ["/v1/tables", "/v1/batch", "/v1/openapi.json"].contains(path)
            return rest != nil && (isOne || path.hasPrefix("/v1/tables/"))
        }

        /// - Returns: Whether the path is one of REST.
        func respond(
            to request: Request, of user: Principal?, _ body: inout BodyReading, _ answer: Answer
        ) async throws -> Bool {
            guard let rest else { return false }
            let (method, path) = (request.method.rawValue, request.uri.path)
            guard let route = try RESTService.route(method: method, path: path) else {
                return false
            }
            // What the answer takes counts until the client has it.
            try await admission.admit { reservation in
                let sent = RESTRequest(
                    method: method, path: path, query: request.uri.query,
                    headers: request.headers.map { ($0.name.canonicalName, $0.value) },
                    body: try await body.bytes(reservation))
                let response = try await rest.respond(
                    to: sent, route: route, for: user, reserve: { try reservation.add($0) })
                // The rows may be written by now: nothing is refused any more.
                try? reservation.add(response.body.count)
                try await answer.send(response)
            }
            return true
        }
    }

    extension Answer {
        func send(
            _ response: RESTResponse, fields: [(HTTPFields.Element.Name, String)] = []
        ) async throws {
            var type: String?
            var own = fields
            for (name, value) in response.headers {
                if name.lowercased() == "content-type" {
                    type = value
                } else if let name = HTTPFields.Element.Name(name) {
                    own.append((name, value))
                }
            }
            try await send(status: response.status, response.body, type: type, fields: own)
        }
    }
#endif
