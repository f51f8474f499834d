/// What went wrong between a replica and its hub: a stable code, a full sentence, and what to do
/// next.
///
/// It names ids, tables and columns, never values or secrets. It travels as a frame `{"error": …}`.
public struct HubError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of error it is, for programs. Later versions may have more codes.
    public let code: Code
    /// What happened and what to do, in English, for a person.
    public let message: String
    /// How long to wait before the next try; `nil` where the hub names no time. ``isTransient``
    /// says whether another try may help.
    public let retryAfter: Duration?

    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: Full sentences without values or secrets.
    ///   - retryAfter: How long to wait before the next try; `nil` to name no time. It travels as
    ///     whole seconds, and as one second at least.
    public init(_ code: Code, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    public var description: String { "\(code.rawValue): \(message)" }

    /// A stable code; a struct, so that a new one breaks no caller.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public var description: String { rawValue }
        public init(rawValue: String) { self.rawValue = rawValue }

        // Between the replica and its server.
        /// No answer, or a connection that broke. Worth another try.
        public static let unreachable = Code(rawValue: "unreachable")
        /// An answer that no hub gives: a captive portal, a wrong URL.
        public static let notOurServer = Code(rawValue: "notOurServer")
        /// The client does not trust the server's certificate or key.
        public static let untrustedServer = Code(rawValue: "untrustedServer")
        /// The server did not accept the secret or token. Nothing was merged or changed.
        public static let unauthorized = Code(rawValue: "unauthorized")

        // The replica.
        /// The file is another user's replica. Nothing was taken or sent.
        public static let differentUser = Code(rawValue: "differentUser")
        /// Whoever runs the hub revoked the replica's permission to sync.
        public static let replicaRevoked = Code(rawValue: "replicaRevoked")
        /// Whoever runs the hub ordered the replica to delete everything that it has.
        public static let replicaWiped = Code(rawValue: "replicaWiped")
        /// The user sends more than the server takes from one user. Worth another try, later.
        public static let tooMany = Code(rawValue: "tooMany")

        // The messages.
        /// The message breaks a rule of the protocol, or came in a way that the hub does not
        /// accept.
        public static let malformed = Code(rawValue: "malformed")
        /// A request, answer or frame is larger than the other side accepts. Changes are kept.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Hub and replica speak different versions of the protocol. Update the older one.
        public static let protocolTooOld = Code(rawValue: "protocolTooOld")
        /// The app is older than the hub accepts. Changes are kept until the app is updated.
        public static let clientTooOld = Code(rawValue: "clientTooOld")
        /// The hub has nothing at this path, or no conflict or replica with this id.
        public static let notFound = Code(rawValue: "notFound")

        // The history.
        /// The file is a replica of another hub.
        public static let differentHub = Code(rawValue: "differentHub")
        /// The cursor has a checkpoint that this hub never made. Please report it.
        public static let cursorInvalid = Code(rawValue: "cursorInvalid")
        /// The replica's copy belongs to an earlier epoch, or is older than the retention time. Its
        /// next exchange reads everything again.
        public static let cursorExpired = Code(rawValue: "cursorExpired")

        // The central database.
        /// It does not answer, or refuses us. Worth another try.
        public static let databaseUnavailable = Code(rawValue: "databaseUnavailable")
        /// It refused to work, or refused what a decision would write. The server's log says why.
        public static let databaseError = Code(rawValue: "databaseError")
        /// Nothing was attached to it yet.
        public static let notAttached = Code(rawValue: "notAttached")
        /// Made by a newer version of Moorage.
        public static let metadataTooNew = Code(rawValue: "metadataTooNew")
        /// A table cannot be synced as it is.
        public static let tableUnsupported = Code(rawValue: "tableUnsupported")
        /// A central table changed and is suspended until `moorage attach` has run again.
        public static let tableSuspended = Code(rawValue: "tableSuspended")
        /// The hub does not have the table with these columns, or not for this user.
        public static let unknownTable = Code(rawValue: "unknownTable")
        /// The hub does not sync the column. Hubs of this version never send this code to replicas.
        public static let unknownColumn = Code(rawValue: "unknownColumn")
        /// Someone has already decided a logged conflict.
        public static let alreadyDecided = Code(rawValue: "alreadyDecided")

        // The server.
        /// The hub has as much work as it may, or others have locks on the rows. Worth another try.
        public static let busy = Code(rawValue: "busy")
        /// The server is stopping. Worth another try.
        public static let shuttingDown = Code(rawValue: "shuttingDown")
        /// The server, the hub or this client cannot work as it is configured. A client of a server
        /// sees ``internalError`` in place of a fault of the hub's configuration.
        public static let configuration = Code(rawValue: "configuration")
        /// The hub failed, or its configuration or its own tables are wrong. The server's log says
        /// why.
        public static let internalError = Code(rawValue: "internalError")
    }
}

extension HubError {
    /// Whether another try, later and unchanged, may succeed.
    public var isTransient: Bool {
        retryAfter != nil
            || [
                .unreachable, .databaseUnavailable, .busy, .shuttingDown, .notOurServer,
                .untrustedServer, .tooMany,
            ].contains(code)
    }
}
