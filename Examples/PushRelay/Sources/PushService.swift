#if Server
    import AsyncHTTPClient
    import NIOCore

    /// A service that carries push notifications to devices.
    protocol PushService: Sendable {
        /// What its name is in the log.
        var name: String { get }

        /// The header `Authorization` of the next requests.
        ///
        /// - Throws: If there is none at the moment; ``PushFailure`` where the reason is known.
        ///   Then the notifications wait.
        func authorization(_ client: PushClient, by deadline: NIODeadline) async throws -> String

        /// The request that sends a notification to a device.
        func request(
            _ push: Push, to token: String, authorization: String
        ) throws -> HTTPClientRequest

        /// What became of a notification.
        func outcome(of answer: PushAnswer) async -> DeliveryOutcome
    }

    /// Why a service cannot be used at the moment, without secrets.
    struct PushFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// What became of a notification. Reasons contain no push tokens.
    enum DeliveryOutcome: Hashable, Sendable {
        /// The service has it.
        case sent
        /// The app is not on the device any more, so its token goes.
        case gone
        /// The service will never take it.
        case rejected(String)
        /// The service takes nothing for this device now.
        case busy(String)
        /// The service takes nothing from this relay now, or not before somebody corrects the
        /// settings.
        case later(String)
        /// There was no time to try.
        case untried
    }

    /// What a service answered to a request.
    struct PushAnswer: Hashable, Sendable {
        /// The longest body that is read.
        static let maximumBytes = 16_384

        let status: UInt
        let body: [UInt8]

        /// A code of the service's as part of a reason, such as `BadDeviceToken`. What has another
        /// form is left out: only a code is sure to be no token.
        func reason(_ code: String?) -> String {
            guard let code, code.utf8.count <= 50,
                code.utf8.allSatisfy({ $0.isASCIILetter || $0 == UInt8(ascii: "_") })
            else { return "status \(status)" }
            return "status \(status), \(code)"
        }
    }
#endif
