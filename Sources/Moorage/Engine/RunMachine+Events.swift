package import MoorageCore
import MoorageWire

/// What goes into the machine, and what comes out.
extension RunMachine {
    /// What the caller has to report.
    package enum Event: Sendable {
        case begin
        /// The sync went well.
        case synced
        case opened(Opening)
        case closed
        /// The wait is over.
        ///
        /// - Parameters:
        ///   - reasons: Empty when the time is over.
        ///   - hasWork: Whether there are changes to push; where ``asks(for:)`` says so.
        case woken(WakeReasons, hasWork: Bool)
        /// What was to be done came to grief.
        case failed(ReplicaError)
    }

    /// What to do next.
    package enum Effect: Sendable {
        case sync
        /// Ask for a live stream, in the place of the one that there is.
        case open
        /// Break off what is open.
        ///
        /// - Parameter error: Why; `nil` where nothing is wrong.
        case close(ReplicaError?)
        case wait(atMost: Duration)
        /// Only the app can go on.
        case end(ReplicaError)
    }

    /// What came of the request for a live stream.
    package enum Opening: Sendable {
        /// A whole sync has something to do first.
        case notYet
        /// The hub, or what is on the way to it, does not know such requests.
        case unknown
        case open(hasMore: Bool)
        /// It was not granted.
        case over(isComplete: Bool)
    }

    /// How it stands with the live stream and the app, when the machine is asked.
    package struct View: Sendable {
        var isInFront: Bool
        var stream: StreamState?

        package init(isInFront: Bool, stream: StreamState?) {
            self.isInFront = isInFront
            self.stream = stream
        }
    }

    /// A live stream, as far as it matters when to do what.
    package struct StreamState: Sendable {
        /// No longer than this is without a frame.
        var heartbeat: Duration
        /// In milliseconds.
        var silence: Int64
        /// Something came over it.
        var hasWorked: Bool
        /// A page did not fit.
        var isOutOfStep: Bool
        /// How it ended; `nil` while it lasts.
        var result: Result<Void, ReplicaError>?
        /// How long the hub asks to stay away.
        var wait: Duration?
        /// When to look after streams that are about to end.
        var clearsAt: DeviceTime?

        package init(
            heartbeat: Duration, silence: Int64, hasWorked: Bool, isOutOfStep: Bool,
            result: Result<Void, ReplicaError>? = nil, wait: Duration? = nil,
            clearsAt: DeviceTime? = nil
        ) {
            self.heartbeat = heartbeat
            self.silence = silence
            self.hasWorked = hasWorked
            self.isOutOfStep = isOutOfStep
            self.result = result
            self.wait = wait
            self.clearsAt = clearsAt
        }
    }
}

extension ReplicaError {
    /// Whether trying again is no use before the app has done something.
    var needsApp: Bool {
        [
            .differentHub, .metadataNewer, .metadataDamaged, .corrupt, .databaseClosed,
            .hub(.differentUser), .hub(.replicaRevoked), .hub(.replicaWiped),
        ].contains(code)
    }
}
