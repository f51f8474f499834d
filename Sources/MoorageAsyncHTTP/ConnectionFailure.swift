#if Server
    import AsyncHTTPClient
    import Foundation
    import Moorage
    import MoorageWire
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL

    /// Why no answer came, in words for people: the libraries' own texts name their parts and source files.
    enum ConnectionFailure {
        static func error(_ error: any Error) -> HubError {
            if let error = error as? HubError { return error }
            if let trust = trustProblem(error) { return HubError.untrusted(trust) }
            return HubError.unreachable(because: reason(error))
        }

        private static func trustProblem(_ error: any Error) -> String? {
            if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
                return "its certificate is for another name than the address"
            }
            guard case .handshakeFailed(let reason)? = error as? NIOSSLError else { return nil }
            return "\(reason)".contains("CERTIFICATE_VERIFY_FAILED")
                ? "its certificate is of no authority that is trusted, is not valid now, or is for another name"
                : nil
        }

        private static func reason(_ error: any Error) -> String {
            switch error {
            case let error as NIOConnectionError: reason(error)
            case let error as IOError: text(error.errnoCode)
            case let error as HTTPClientError: reason(error)
            case let error as NIOSSLError: reason(error)
            case is NIOSSLExtraError: "the encrypted connection failed"
            case is ChannelError: "the connection was closed"
            case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection:
                "the connection broke"
            case is HTTPParserError: "the answer is no HTTP"
            default: "the connection failed"
            }
        }

        private static func reason(_ error: NIOConnectionError) -> String {
            let place = "\(error.host):\(error.port)"
            if let failure = error.connectionErrors.compactMap({ $0.error as? IOError }).first {
                return failure.errnoCode == ECONNREFUSED
                    ? "nobody listens at \(place)" : "\(place): \(text(failure.errnoCode))"
            }
            if !error.connectionErrors.isEmpty { return "\(place) does not answer" }
            return "the name \(error.host) cannot be found"
        }

        private static func reason(_ error: HTTPClientError) -> String {
            switch error {
            case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                "no connection came about in time"
            case .readTimeout, .writeTimeout, .deadlineExceeded: "the answer took too long"
            case .remoteConnectionClosed, .uncleanShutdown: "the connection broke"
            default: "the request failed (\(error.shortDescription))"
            }
        }

        private static func reason(_ error: NIOSSLError) -> String {
            switch error {
            case .handshakeFailed(let reason):
                "\(reason)".contains("WRONG_VERSION_NUMBER")
                    ? "the server does not speak TLS; its address may begin with http://"
                    : "server and client agree on no encryption"
            case .uncleanShutdown: "the connection broke"
            default: "the encrypted connection failed"
            }
        }

        private static func text(_ code: CInt) -> String {
            String(cString: strerror(code)).lowercased()
        }
    }
#endif
