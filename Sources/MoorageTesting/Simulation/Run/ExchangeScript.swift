import GRDB
import MoorageWire

/// What happens on the way of one exchange.
final class ExchangeScript {
    let events: [Step.Event]
    var isDeaf = false
    var recorder: SyncRecorder?
    var nextCut: Int?
    private var wasCut = false
    private var before = (device: 0, hub: 0)

    init(_ events: [Step.Event]) { self.events = events }

    func begin(_ device: SimulatedMachine, _ hub: SimulatedMachine) {
        before = (device.interruptions, hub.interruptions)
    }

    var failsDisk: Bool {
        events.contains { if case .disk = $0.what { true } else { false } }
    }

    private var isInterleaved: Bool {
        events.contains { $0.what == .interleave || $0.what == .interleaveLost }
    }

    /// Whether everything that happens to the device can be repeated on a twin: another sync of the file, a
    /// failing disk and work that is broken off cannot.
    var canBeRepeated: Bool {
        !isInterleaved && !failsDisk
            && !events.contains { if case .interrupt = $0.what { true } else { false } }
    }

    func has(_ what: Step.Event.What, after frames: Int) -> Bool {
        events.contains { $0.frames == frames && $0.what == what }
    }

    /// What arrives of a frame.
    func cut(_ bytes: [UInt8]) -> [UInt8] {
        guard let thousandths = nextCut else { return bytes }
        nextCut = nil
        wasCut = true
        return Array(bytes.prefix(bytes.count * min(999, max(0, thousandths)) / 1000))
    }

    /// Whether an error is what the history made.
    func excuses(_ error: any Error, _ device: SimulatedMachine, _ hub: SimulatedMachine) -> Bool {
        if wasCut, let error = error as? HubError, error.code == .malformed { return true }
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_INTERRUPT {
            return isBrokenOff(device)
        }
        if device.isDiskFailing, let error = error as? DatabaseError {
            return Self.diskErrors.contains(error.resultCode)
        }
        // Another sync of the file gave it another name: nothing of the rest is taken.
        if let error = error as? HubError, error.code == .unreachable, isInterleaved { return true }
        // A purge went on since the welcome: the next exchange reads again.
        if let error = error as? HubError, error.code == .busy { return true }
        return error is HubError && isHubBrokenOff(hub)
    }

    private static let diskErrors: [ResultCode] = [
        .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_CANTOPEN,
    ]

    func isBrokenOff(_ device: SimulatedMachine) -> Bool {
        device.interruptions > before.device
    }

    func isHubBrokenOff(_ hub: SimulatedMachine) -> Bool { hub.interruptions > before.hub }
}
