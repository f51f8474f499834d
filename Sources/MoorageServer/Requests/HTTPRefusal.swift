#if Server
    import Logging
    import MoorageWire

    /// An answer that is nothing but an error.
    struct HTTPRefusal: Error {
        let error: HubError
        let status: Int
        let allowedMethod: String?

        init(_ error: HubError, status: Int? = nil, allowedMethod: String? = nil) {
            self.error = error
            self.status = status ?? error.status
            self.allowedMethod = allowedMethod
        }

        /// Anything that went wrong; what is not the client's doing is logged whole.
        init(_ error: any Error, _ log: Logger) {
            switch error {
            case let refusal as HTTPRefusal:
                log.info("Refused: \(refusal.error)")
                self = refusal
            case let error as HubError:
                if error.isOurs {
                    log.error("\(error)")
                } else {
                    log.info("Refused: \(error)")
                }
                self.init(error)
            default:
                log.error("An exchange failed: \(error)")
                self.init(HubError.unknownFailure)
            }
        }

        static func wrongMethod(allowed: String) -> HTTPRefusal {
            HTTPRefusal(HubError.wrongMethod(allowed), status: 405, allowedMethod: allowed)
        }

        static let plainHTTP = HTTPRefusal(HubError.unencryptedRequest, status: 403)

        static let bodyOfPreflight = HTTPRefusal(HubError.bodyOfPreflight, status: 400)

        static let encodedBody = HTTPRefusal(HubError.encodedBody, status: 415)
    }
#endif
