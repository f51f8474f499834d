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
        ///   - hasWork: Whether there are changes to push; unused unless ``asks(for:)`` says so.
        case woken(WakeReasons, hasWork: Bool)
        /// The last effect failed.
        case failed(ReplicaError)
    }

    /// What to do next.
    package enum Effect: Sendable {
        case sync
        /// Ask for a live stream, in place of the present one.
        case open
        /// Close what is open.
        ///
        /// - Parameter error: The reason; `nil` if nothing is wrong.
        case close(ReplicaError?)
        case wait(atMost: Duration)
        /// Only the app can solve the problem.
        case end(ReplicaError)
    }

    /// The result of the request for a live stream.
    package enum Opening: Sendable {
        /// A whole sync has to come first.
        case notYet
        /// The hub, or a proxy on the way, does not know such requests.
        case unknown
        case open(hasMore: Bool)
        /// The hub did not grant it.
        case over(isComplete: Bool)
    }

    /// The state of the live stream and of the app, when the machine is asked.
    package struct View: Sendable {
        var isInFront: Bool
        var stream: StreamState?

        package init(isInFront: Bool, stream: StreamState?) {
            self.isInFront = isInFront
            self.stream = stream
        }
    }

    /// What the machine has to know of a live stream.
    package struct StreamState: Sendable {
        /// How long the stream may be without a frame.
        var heartbeat: Duration
        /// In milliseconds.
        var silence: Int64
        /// A frame came over it.
        var hasWorked: Bool
        /// A page did not fit.
        var isOutOfStep: Bool
        /// The result; `nil` while it lasts.
        var result: Result<Void, ReplicaError>?
        /// How long the hub asks the replica to stay away.
        var wait: Duration?
        /// When to check the retired streams.
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
    /// Whether another try is useless before the app has done something.
    var needsApp: Bool {
        [
            .differentHub, .metadataNewer, .metadataDamaged, .corrupt, .databaseClosed,
            .hub(.differentUser), .hub(.replicaRevoked), .hub(.replicaWiped),
        ].contains(code)
    }

    /// Whether the hub wants a newer version of the app.
    var needsUpdate: Bool { code == .hub(.clientTooOld) }
}
