#if Server
    import Foundation
    import Hummingbird
    import HummingbirdCore
    import Logging
    import NIOCore

    /// The addresses of the relay: `POST /hook` for the hub, and `PUT` and `DELETE
    /// /tokens/{replica}` for apps.
    struct RelayRoutes: Sendable {
        /// A hundred notices are far shorter.
        static let maximumHookBytes = 1 << 20
        static let maximumTokenBytes = 8_192

        let relay: Relay
        let tokens: PushTokens
        let signature: WebhookSignature
        let signIn: AppSignIn
        let logger: Logger

        func router() -> Router<BasicRequestContext> {
            let router = Router()
            router.post("/hook") { request, _ in try await hook(request) }
            router.put("/tokens/:replica") { request, context in
                try await register(request, context)
            }
            router.delete("/tokens/:replica") { request, context in
                try await remove(request, context)
            }
            return router
        }

        /// - Returns: 204 if all notices are finished, and 503 if the hub must send them again. 401
        ///   for a wrong signature, and 400 for what is no message.
        /// - Throws: What becomes 413, for too many bytes.
        private func hook(_ request: Request) async throws -> HTTPResponse.Status {
            guard let name = HTTPFields.Element.Name("Moorage-Signature"),
                let header = request.headers[name]
            else { return .unauthorized }
            let body = try await body(of: request, upTo: Self.maximumHookBytes)
            guard signature.isValid(header, of: body, now: now) else { return .unauthorized }
            let notices: [WebhookNotice]
            do {
                notices = try WebhookNotice.read(body)
            } catch {
                logger.error("The hub's message has a form that this relay does not know.")
                return .badRequest
            }
            return await relay.handle(notices) ? .noContent : .serviceUnavailable
        }

        private func register(
            _ request: Request, _ context: BasicRequestContext
        ) async throws -> HTTPResponse.Status {
            let replica = try replica(request, context)
            let body = try await body(of: request, upTo: Self.maximumTokenBytes)
            guard let push = PushToken.read(body) else {
                throw HTTPError(
                    .badRequest,
                    message: #"The body must be {"service":"apns" or "fcm","token":"…"}."#)
            }
            guard let service = relay.services[push.service] else {
                throw HTTPError(
                    .unprocessableContent,
                    message: "This relay does not send by \(push.service.rawValue).")
            }
            do {
                try await tokens.register(push, for: replica, now: now)
            } catch PushTokens.Failure.full {
                logger.error(
                    "There is no room for another push token.",
                    metadata: ["service": "\(service.name)"])
                return HTTPResponse.Status(code: 507)
            } catch {
                logger.error("The file with the push tokens cannot be written.")
                return .serviceUnavailable
            }
            return .noContent
        }

        private func remove(
            _ request: Request, _ context: BasicRequestContext
        ) async throws -> HTTPResponse.Status {
            let replica = try replica(request, context)
            do {
                try await tokens.remove(replica)
            } catch {
                logger.error("The file with the push tokens cannot be written.")
                return .serviceUnavailable
            }
            return .noContent
        }

        /// - Returns: The id in the address.
        /// - Throws: 401 without the app's secret, and 400 for what is no replica's id.
        private func replica(
            _ request: Request, _ context: BasicRequestContext
        ) throws -> String {
            guard signIn.allows(request.headers[.authorization]) else {
                throw HTTPError(.unauthorized)
            }
            let text = try context.parameters.require("replica")
            guard let id = UUID(uuidString: text)?.uuidString.lowercased(), id == text else {
                throw HTTPError(.badRequest, message: "A replica's id is a UUID in lower case.")
            }
            return id
        }

        private func body(of request: Request, upTo limit: Int) async throws -> Data {
            Data(try await request.body.collect(upTo: limit).readableBytesView)
        }

        /// Seconds since 1970.
        private var now: Int64 { Int64(Date().timeIntervalSince1970) }
    }
#endif
