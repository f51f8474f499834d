/// What went wrong between a replica and its hub: a stable code, a full sentence, and what to do
/// next.
///
/// It names ids, tables and columns, never values or secrets. It travels as a frame `{"error": …}`.
public struct HubError: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: Code
    public let message: String
    /// How long to wait before the next try; `nil` when trying again alone fixes nothing.
    public let retryAfter: Duration?

    public init(_ code: Code, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    public var description: String { "\(code.rawValue): \(message)" }

    /// A stable code; a struct, so that a new one breaks no caller.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
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
        public static let malformed = Code(rawValue: "malformed")
        public static let tooLarge = Code(rawValue: "tooLarge")
        public static let protocolTooOld = Code(rawValue: "protocolTooOld")
        public static let notFound = Code(rawValue: "notFound")

        // The history.
        /// The file is a replica of another hub.
        public static let differentHub = Code(rawValue: "differentHub")
        public static let cursorInvalid = Code(rawValue: "cursorInvalid")
        /// The replica's copy belongs to an earlier epoch, or is older than the retention time. Its
        /// next exchange reads everything again.
        public static let cursorExpired = Code(rawValue: "cursorExpired")

        // The central database.
        /// It does not answer, or refuses us. Worth another try.
        public static let databaseUnavailable = Code(rawValue: "databaseUnavailable")
        public static let databaseError = Code(rawValue: "databaseError")
        /// Nothing was attached to it yet.
        public static let notAttached = Code(rawValue: "notAttached")
        /// Made by a newer version of Moorage.
        public static let metadataTooNew = Code(rawValue: "metadataTooNew")
        /// A table cannot be synced as it is.
        public static let tableUnsupported = Code(rawValue: "tableUnsupported")
        /// A central table changed and is suspended until `moorage attach` has run again.
        public static let tableSuspended = Code(rawValue: "tableSuspended")
        public static let unknownTable = Code(rawValue: "unknownTable")
        public static let unknownColumn = Code(rawValue: "unknownColumn")
        /// Someone has already decided a logged conflict.
        public static let alreadyDecided = Code(rawValue: "alreadyDecided")

        // The server.
        public static let busy = Code(rawValue: "busy")
        public static let shuttingDown = Code(rawValue: "shuttingDown")
        public static let configuration = Code(rawValue: "configuration")
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
