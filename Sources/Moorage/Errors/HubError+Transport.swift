package import MoorageWire

/// The way to the hub.
extension HubError {
    /// - Parameter reason: A part of a sentence. The system's own texts may end in a full stop.
    package static func unreachable(because reason: String) -> HubError {
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return HubError(
            .unreachable, "The server cannot be reached: \(reason). No change is lost.")
    }

    /// None of the answer had come. A transport that can tell throws this one.
    package static let closedBeforeAnswer = unreachable(
        because: "the server closed the connection before it answered")

    /// The same where nothing of the hub is known, and its address is plain HTTP.
    static let closedUnknown = unreachable(
        because: "the server closed the connection; one that speaks TLS alone needs https://")

    static let connectionBroke = HubError(
        .unreachable, "The connection broke before the answer's end. No change is lost.")

    static let answerBrokeOff = HubError(
        .unreachable, "The answer broke off before its end. No change is lost.")

    static let hubSilent = HubError(
        .unreachable,
        """
        The hub was silent for longer than it announced. No change is lost. The replica connects \
        again.
        """)

    static let signInUnreachable = HubError(
        .unreachable, "The sign-in of the app cannot be reached now. No change is lost.")

    /// The file has another replica id than the request.
    static let replicaIDChanged = HubError(
        .unreachable,
        """
        Another user or process gave the file a new replica id meanwhile. No change is lost. The \
        replica tries again.
        """)

    static func notAHub(contentType: String) -> HubError {
        notAHub("content type “\(contentType.prefix(60))”")
    }

    static func notAHub(status: Int) -> HubError { notAHub("status \(status)") }

    private static func notAHub(_ sign: String) -> HubError {
        HubError(
            .notOurServer,
            """
            Something answered that is no hub (\(sign)): a sign-in page of the network, or a wrong \
            address. No change is lost. Sign in to the network, or correct host and port.
            """)
    }

    package static let wrongKey = HubError(
        .untrustedServer,
        """
        The server's key is not one of the pinned keys. The key was changed, or somebody is in \
        between. Nothing was sent. Update the pins if the key was changed.
        """)

    package static let notAuthorized = HubError(
        .unauthorized,
        """
        The hub did not accept the secret or token of the app's hub settings. Nothing changed. \
        Give `ReplicaHub.http` the hub's present secret, or sign in again.
        """)

    static let noToken = HubError(
        .unauthorized,
        "The app has no token for the server now. No change is lost. Sign in again.")

    static let unsendableToken = HubError(
        .unauthorized,
        """
        The token is empty, or has a character that no HTTP header carries. Nothing was sent. Give \
        it as the sign-in did.
        """)

    static let notAPin = HubError(
        .configuration,
        "This is no pin. Write `sha256/` and the base64 of the SHA-256 of a public key.")

    package static let nothingToPin = HubError(
        .configuration,
        """
        Keys are pinned, or authorities named, and the hub's address is not `https`. Nothing was \
        sent. Correct the address, or leave out pins and authorities.
        """)
}

/// Answers of the hub.
extension HubError {
    static let answerAfterEnd = HubError(
        .malformed,
        """
        The answer goes on after its end. The rest of it was not applied. Report this as a defect.
        """)

    static let requestTooLarge = HubError(
        .tooLarge,
        """
        The hub, or a proxy before it, does not accept a request of this size. No change is lost. \
        Ask whoever runs the hub to raise its limit.
        """)

    static let answerTooLarge = HubError(
        .tooLarge,
        """
        The answer is larger than this device accepts. The rest of it was not applied. Ask whoever \
        runs the hub to lower `pageBytes`.
        """)

    static func hubBusy(status: Int, retryAfter: Duration?) -> HubError {
        HubError(
            .busy, "The hub answered with status \(status). No change is lost.",
            retryAfter: retryAfter)
    }
}
