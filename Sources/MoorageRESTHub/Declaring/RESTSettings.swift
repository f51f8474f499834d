public import Foundation

/// How the API of one model works. The defaults are for an API whose list has all rows, and that
/// takes `POST`, `PUT` and `DELETE`.
public struct RESTSettings: Sendable {
    /// Who makes the ids of new rows.
    public enum IDs: Hashable, Sendable {
        /// The app: UUIDs, or other keys that no other device makes.
        case device
        /// The server. The row has an id of the app's until the server has answered. References to
        /// it follow.
        case server
    }

    /// How a new row is sent.
    public enum Inserts: Hashable, Sendable {
        /// `POST` to the collection.
        case post
        /// `PUT` to the row's own path, with `If-None-Match: *`. The device makes the ids.
        case put
    }

    /// How an update is sent.
    public enum Updates: Hashable, Sendable {
        /// `PUT` with the row.
        case put
        /// `PATCH` with the members that the device changed, as `application/json`. One that has no
        /// value any more is `null`, and arrays are whole.
        case patch
        /// The same as `application/merge-patch+json` (RFC 7396).
        case mergePatch
    }

    /// Which members the body of a `PUT` has.
    public enum Body: Hashable, Sendable {
        /// All that the server has, with those that the device changed.
        case whole
        /// Those that the record knows, for a server that refuses its own read-only members. One
        /// that is `null` before and after is left out.
        case known
    }

    /// How a change finds out that the row changed at the server, too.
    public enum Detection: Hashable, Sendable {
        /// It reads the row, merges, and writes it with the `ETag` that the answer had: one more
        /// request for each update and deletion. Without an `ETag`, a change that comes in between
        /// is overwritten.
        case reading
        /// It writes what the device has. The server answers 409 or 412 if the row is another than
        /// the device knew: by the last `ETag`, or by a member such as `version`. Only then the row
        /// is read. A `PATCH` has no such member, so it needs the `ETag`.
        case byServer
    }

    /// What happens when nobody knows whether a new row reached the server.
    public enum LostAnswers: Hashable, Sendable {
        /// The device looks before it sends the row again.
        case lookUp
        /// The server carries out a request once for each `Idempotency-Key`, and answers a repeated
        /// one like the first. The device sends the same request again.
        case idempotencyKey
    }

    /// Whether changes of the device are sent.
    public enum Sending: Hashable, Sendable {
        /// Each change is sent.
        case changes
        /// None is: rows only come from the server. A change that the app makes all the same is
        /// undone and listed as refused (`readOnly`). Columns that the record does not know are the
        /// app's, in any case.
        case never
    }

    /// Who makes the ids of new rows; the device by default.
    public var ids: IDs
    /// How a new row is sent; by `POST` by default.
    public var inserts: Inserts
    /// How an update is sent; by `PUT` by default.
    public var updates: Updates
    /// Which members the body of a `PUT` has; all that the server has, by default.
    public var body: Body
    /// How rows come from the server: the whole list, by default. If the API pages, say how here.
    public var fetching: RESTFetching
    /// How long what was read counts as new, so that neither a commit nor the replica's pull
    /// interval makes the device read it again. `Replica.sync()` and `wake()` read it in any case.
    /// With `nil`, which is the default, each pull reads it, and an exchange for a commit reads it
    /// after 30 seconds.
    public var interval: Duration?
    /// Whether changes are sent; they are, by default.
    public var sending: Sending
    /// What happens when both sides changed a row: columns join, and where both changed the same
    /// one, the server's value stays. That is the default, because only this device's list has what
    /// lost.
    public var conflicts: RESTConflictRule
    /// How a change finds out about a conflict; by reading, by default. A model with children
    /// always reads.
    public var detection: Detection
    /// What happens after a lost answer: the device looks, by default. Each request has an
    /// `Idempotency-Key` in either case.
    public var lostAnswers: LostAnswers
    /// Records that are arrays in this one's JSON.
    public var children: [RESTChildren]
    /// Where several changes go in one request; `nil` for one request each.
    public var batch: RESTBatch?
    /// The member of an answer that has the row, as in `{"data": {…}}`; `nil` where the answer is
    /// the row.
    public var envelope: String?
    /// The member of a request's body that has the row; `nil` where the body is the row.
    public var requestEnvelope: String?
    /// Makes the encoder of bodies. By default dates are ISO 8601 in UTC with milliseconds.
    public var encoder: @Sendable () -> JSONEncoder
    /// Makes the decoder of answers. By default dates are ISO 8601, with or without a fraction.
    public var decoder: @Sendable () -> JSONDecoder

    /// Settings. Each parameter sets the property of its name.
    public init(
        ids: IDs = .device, inserts: Inserts = .post, updates: Updates = .put,
        body: Body = .whole, fetching: RESTFetching = .list(), interval: Duration? = nil,
        sending: Sending = .changes,
        conflicts: RESTConflictRule = .byColumn(), detection: Detection = .reading,
        lostAnswers: LostAnswers = .lookUp, children: [RESTChildren] = [],
        batch: RESTBatch? = nil, envelope: String? = nil, requestEnvelope: String? = nil,
        encoder: @escaping @Sendable () -> JSONEncoder = { .moorageREST },
        decoder: @escaping @Sendable () -> JSONDecoder = { .moorageREST }
    ) {
        self.ids = ids
        self.inserts = inserts
        self.updates = updates
        self.body = body
        self.fetching = fetching
        self.interval = interval
        self.sending = sending
        self.conflicts = conflicts
        self.detection = detection
        self.lostAnswers = lostAnswers
        self.children = children
        self.batch = batch
        self.envelope = envelope
        self.requestEnvelope = requestEnvelope
        self.encoder = encoder
        self.decoder = decoder
    }
}

/// Where several changes of a model go in one request.
public struct RESTBatch: Hashable, Sendable {
    /// The path below the API's address.
    public var path: String
    /// Changes in one request, at most.
    public var maximum: Int

    /// The device sends `{"operations": […]}`, each with `method`, `path`, `idempotencyKey`, and
    /// where there is one `ifMatch`, `ifNoneMatch` and `body`. The path is percent-encoded. The
    /// server answers `{"results": […]}` in the same order, each with `status`, and where there is
    /// one `body`, `etag` and `location`.
    ///
    /// - Parameters:
    ///   - path: The path below the API's address.
    ///   - maximum: Changes in one request, at most.
    public init(path: String, maximum: Int = 100) {
        self.path = path
        self.maximum = maximum
    }
}
