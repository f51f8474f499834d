#if Server
    import Hummingbird
    import HummingbirdCore
    import Logging
    import MoorageHub
    import MoorageREST
    import MoorageWire
    import NIOCore

    /// Requests of programs that are no replicas.
    extension RequestHandler {
        /// Whether errors go out as problems, as programs expect them there.
        func isREST(_ request: Request) -> Bool {
            let path = request.uri.path
            return rest != nil
                && (Self.restPaths.contains(path) || path.hasPrefix("/v1/tables/"))
        }

        private static let restPaths: Set<String> = [
            "/v1/tables", "/v1/batch", "/v1/manifest", "/v1/synchronise", "/v1/openapi.json",
            "/v1/changes",
        ]

        /// - Returns: Whether the path is one of REST.
        func respond(
            to request: Request, of sender: Authenticator.Sender, on channel: any Channel,
            _ body: inout BodyReading, _ answer: Answer, _ log: Logger
        ) async throws -> Bool {
            guard let rest else { return false }
            let (method, path) = (request.method.rawValue, request.uri.path)
            guard let route = try RESTService.route(method: method, path: path) else {
                return false
            }
            // What the answer takes counts until the client has it, or until it stays open.
            let stream = try await admission.admit { reservation -> EventStream? in
                let sent = RESTRequest(
                    method: method, path: path, query: request.uri.query,
                    headers: request.headers.map { ($0.name.canonicalName, $0.value) },
                    body: try await body.bytes(reservation))
                if try rest.wantsEvents(sent, route) {
                    return try await departures.watching(channel) {
                        try await open(sent, of: sender, rest)
                    }
                }
                let response = try await respond(
                    to: sent, route, of: sender, on: channel, rest, reservation)
                noticeSlowness(of: response.status, log)
                // The rows may be written by now: nothing is refused any more.
                try? reservation.add(response.body.count)
                try await answer.send(response)
                return nil
            }
            if let stream { try await follow(stream, answer, log) }
            return true
        }

        /// Tells the owner that a request took the database too long. The path may have values.
        func noticeSlowness(of status: Int, _ log: Logger) {
            guard status == 504 else { return }
            log.warning("A request took the database longer than the limit restTimeout.")
        }

        /// A read ends when its client goes. A write goes on, as the push of an exchange does, and
        /// the client may ask for its answer again.
        private func respond(
            to request: RESTRequest, _ route: RESTService.Route, of sender: Authenticator.Sender,
            on channel: any Channel, _ rest: RESTService, _ reservation: Admission.Reservation
        ) async throws -> RESTResponse {
            let work: @Sendable () async throws -> RESTResponse = {
                try await rest.respond(
                    to: request, route: route, for: sender.principal,
                    reserve: { try reservation.add($0) })
            }
            return try await route.isRead ? departures.watching(channel, work) : work()
        }

        /// Begins a stream of events in a place that ``follow(_:_:_:)`` gives back.
        private func open(
            _ request: RESTRequest, of sender: Authenticator.Sender, _ rest: RESTService
        ) async throws -> EventStream {
            guard streams.enter() else { throw HubError.tooManyStreams }
            do {
                return try await rest.events(
                    request, for: sender.principal, life: sender.life)
            } catch {
                streams.leave()
                throw error
            }
        }
    }

    extension Answer {
        func send(
            _ response: RESTResponse, fields: [(HTTPFields.Element.Name, String)] = []
        ) async throws {
            let (type, own) = response.fields
            try await send(
                status: response.status, response.body, type: type, fields: fields + own)
        }

        /// Sends the head of an answer that stays open.
        func open(_ response: RESTResponse) async throws {
            let (type, own) = response.fields
            try await open(status: response.status, type: type, fields: own)
        }
    }

    extension RESTResponse {
        /// The value of `Content-Type`, and the other headers.
        fileprivate var fields: (type: String?, others: [(HTTPFields.Element.Name, String)]) {
            var type: String?
            var others: [(HTTPFields.Element.Name, String)] = []
            for (name, value) in headers {
                if name.lowercased() == "content-type" {
                    type = value
                } else if let name = HTTPFields.Element.Name(name) {
                    others.append((name, value))
                }
            }
            return (type, others)
        }
    }
#endif
