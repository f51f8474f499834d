import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// An app that keeps itself up to date: the replica's own ``RunMachine``, on simulated time.
struct AppLoop {
    var machine: RunMachine
    var isInFront = true
    /// When its wait is over, in milliseconds since the world began: waits go by no clock that can be set.
    var wakesAt: Int64 = 0
    var stream: FollowedStream?
    /// Which process of the app it runs in.
    let starts: Int

    init(_ device: SimulatedDevice) {
        machine = RunMachine(device.options)
        starts = device.starts
    }

    func view(at now: DeviceTime) -> RunMachine.View {
        RunMachine.View(isInFront: isInFront, stream: stream?.view(at: now))
    }
}

/// A live stream, as the device has it.
struct FollowedStream {
    var sync: SyncMachine
    var source: SteppedStream
    let request: ExchangeRequest
    /// The process that gives it: with another one it is gone.
    let hub: Hub
    let heartbeat: Duration
    var hasWorked = false
    var isOutOfStep = false
    /// What it is over with.
    var result: Result<Void, ReplicaError>?

    /// Whether the loop has to hear of it at once.
    var isToldOf: Bool { isOutOfStep || result != nil }

    fileprivate func view(at now: DeviceTime) -> RunMachine.StreamState {
        // The hub beats as long as it is there.
        RunMachine.StreamState(
            heartbeat: heartbeat, silence: 0, hasWorked: hasWorked, isOutOfStep: isOutOfStep,
            result: result)
    }
}
