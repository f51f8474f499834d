#if Server
    import Hummingbird
    import HummingbirdCore
    import Logging
    import MoorageCore
    import MoorageHub
    import MoorageREST
    import MoorageWire
    import NIOCore

    /// Answers requests. It compares paths as they are written, so no other spelling of a path can
    /// avoid the secret.
    struct RequestHandler: Sendable {
        let hub: any HubConnection
        /// `nil` where the server does not answer REST.
        let rest: RESTService?
        let crossOrigins: CrossOrigins
        let health: HealthMonitor
        let authenticator: Authenticator
        let userRate: UserRate
        let proxies: TrustedProxies
        /// The value of `Strict-Transport-Security`; `nil` when the server does not send it.
        let strictTransport: String?
        let limits: HubServer.Limits
        let admission: Admission
        let streams: StreamSlots
        let connections: ConnectionCounter
        let departures: Departures
        let logger: Logger

        func respond(
            to request: Request, writer: consuming ResponseWriter, channel: any Channel
        ) async throws {
            let id = Self.newID()
            let answer = Answer(
                writer, on: channel, id: id, encoding: AnswerEncoding(request.headers),
                isHead: request.method == .head, strictTransport: strictTransport,
                crossOrigin: crossOrigins.fields(for: request.headers))
            var log = logger
            log[metadataKey: "request"] = .string(id)
            var body = BodyReading(request: request, limits: limits)
            do {
                try await route(request, on: channel, &body, answer, log)
            } catch {
                if let failure = answer.failure {
                    log.debug("The client went away: \(failure)")
                    throw failure
                }
                if let failure = body.failure { throw failure }
                if error is CancellationError {
                    log.debug("The client went away, or the server ends.")
                    throw error
                }
                let isWhole = body.isWhole
                if let problem = error as? RESTProblem {
                    noticeSlowness(of: problem.status, log)
                    try await answer.send(
                        RESTResponse(problem), fields: isWhole ? [] : [(.connection, "close")])
                } else {
                    try await refuse(
                        HTTPRefusal(error, log), answer, closing: !isWhole,
                        isProblem: isREST(request))
                }
                if !isWhole { close(channel) }
            }
        }

        private func route(
            _ request: Request, on channel: any Channel, _ body: inout BodyReading,
            _ answer: Answer, _ log: Logger
        ) async throws {
            if crossOrigins.isPreflight(request) {
                // No browser sends a body with it. An unread one may have no end.
                guard body.isWhole else { throw HTTPRefusal.bodyOfPreflight }
                let fields = crossOrigins.preflightFields(for: request.headers)
                return try await answer.send(status: 204, [], type: nil, fields: fields)
            }
            if request.uri.path == "/health" {
                try method(.get, request)
                return try await sendHealth(answer)
            }
            guard proxies.isGuarded(request.headers, from: channel.remoteAddress) else {
                throw HTTPRefusal.plainHTTP
            }
            let sender = try await authenticator.sender(request.headers, log)
            let user = sender.principal
            // The sender has signed in, so no newer connection replaces this one from now on.
            connections.spoke(ObjectIdentifier(channel))
            if let user { try userRate.admit(user.subject) }
            let hub = try hub(for: user)
            switch request.uri.path {
            case "/v1/exchange":
                try method(.post, request)
                // The server releases what the request takes before a live stream goes on.
                let stream = try await admission.admit { reservation in
                    let message = try ExchangeRequest(
                        decoding: try await body.bytes(reservation), reserve: reservation.add)
                    return try await exchange(
                        consume message, with: hub, life: sender.life, reservation, answer, log)
                }
                if let stream { try await follow(stream, answer, log) }
            case "/v1/compare":
                try method(.post, request)
                try await admission.admit { reservation in
                    let message = try CompareRequest(
                        decoding: try await body.bytes(reservation), reserve: reservation.add)
                    let page = try await hub.compare(message)
                    try await answer.send(status: 200, page.encoded())
                }
            case "/v1/schema":
                try method(.get, request)
                try await admission.admit { _ in
                    let schema = try await hub.schema()
                    try await answer.send(status: 200, schema.encoded())
                }
            default:
                guard try await respond(to: request, of: sender, on: channel, &body, answer, log)
                else {
                    throw HubError.noSuchPath
                }
            }
        }

        private func exchange(
            _ request: consuming ExchangeRequest, with hub: any HubConnection, life: Duration?,
            _ reservation: Admission.Reservation, _ answer: Answer, _ log: Logger
        ) async throws -> LiveStream? {
            let replica = request.replica
            let batch = request.batch?.number
            let isLongPush = request.batch?.isShort == false
            log.debug(
                "Exchange",
                metadata: [
                    "replica": .string(replica), "batch": .stringConvertible(batch ?? 0),
                ])
            var stream: LiveStream?
            do {
                stream = try await begin(consume request, with: hub, life: life) { frame in
                    if case .error(let error) = frame { throw error }
                    try await answer.write(frame)
                    switch frame {
                    case .welcome: if isLongPush { try await answer.flush() }
                    // The push is over, and the hub has released the batch.
                    case .page: reservation.giveBack()
                    case .outcomes, .alive, .end, .error: break
                    }
                    // The device applies the outcomes with the first page, so the server cuts an
                    // exchange off only after a page.
                    if case .page(let page) = frame, !page.isCaughtUp, admission.isStopping {
                        throw StopAfterPage()
                    }
                }
            } catch is StopAfterPage {
                try await answer.write(.end(End(hasMore: true)))
            } catch {
                try await tell(error, answer, log)
            }
            guard answer.hasBegun else { throw HubError.answerWithoutFrames }
            if let stream { return stream }
            try await answer.finish()
            return nil
        }

        /// Writes an error as a frame when other frames were already written.
        ///
        /// - Throws: The error itself when it cannot be a frame.
        func tell(_ error: any Error, _ answer: Answer, _ log: Logger) async throws {
            guard answer.hasBegun, answer.failure == nil, !(error is CancellationError) else {
                throw error
            }
            let refusal = HTTPRefusal(error, log)
            try await answer.write(.error(refusal.error.forClient(request: answer.id)))
        }

        private func sendHealth(_ answer: Answer) async throws {
            let report = await health.report()
            let state = ServerState(
                isStopping: admission.isStopping, connections: connections.open,
                exchanges: admission.exchanges, streams: streams.open)
            try await answer.send(
                status: report.isReachable && !state.isStopping ? 200 : 503,
                report.encoded(with: state))
        }

        /// The hub as the user sees it.
        private func hub(for user: Principal?) throws(HubError) -> any HubConnection {
            guard let user else { return hub }
            guard let hub = hub as? any UserHub else { throw HubError.hubKnowsNoUsers }
            return hub.asSeen(by: user)
        }

        private func method(_ method: HTTPRequest.Method, _ request: Request) throws {
            guard request.method == method else {
                throw HTTPRefusal.wrongMethod(allowed: method.rawValue)
            }
        }

        private func refuse(
            _ refusal: HTTPRefusal, _ answer: Answer, closing: Bool, isProblem: Bool
        ) async throws {
            let error = refusal.error.forClient(request: answer.id)
            var fields: [(HTTPFields.Element.Name, String)] = []
            if let allowed = refusal.allowedMethod { fields.append((.allow, allowed)) }
            if error.code == .unauthorized { fields.append((.wwwAuthenticate, "Bearer")) }
            if let wait = error.retryAfterField { fields.append((.retryAfter, wait)) }
            if closing { fields.append((.connection, "close")) }
            guard isProblem else {
                return try await answer.send(
                    status: refusal.status, error.encoded(), fields: fields)
            }
            try await answer.send(
                .problem(
                    status: refusal.status, code: error.code.rawValue, detail: error.message),
                fields: fields)
        }

        /// Closes the connection, because an unread body may have no end. It stays open for a
        /// moment, so that the client can read the answer while it is still sending.
        private func close(_ channel: any Channel) {
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }

        private static func newID() -> String {
            let text = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
    }

    /// The server stops: the device continues this exchange with another server, or later.
    private struct StopAfterPage: Error {}
#endif
