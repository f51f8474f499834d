import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// The connection of one exchange broke, as the history wanted it.
private struct Broken: Error {}

extension Simulation {
    /// One exchange over the network that the history describes.
    func exchange(_ device: SimulatedDevice, _ events: [Step.Event]) throws {
        reach(.exchange)
        let course = Course(events)
        course.begin(device.machine, centre.machine)
        defer {
            if course.isBrokenOff(device.machine) { reach(.interrupted) }
            if course.isHubBrokenOff(centre.machine) { reach(.hubInterrupted) }
            device.machine.clearInterruption()
            centre.machine.clearInterruption()
            centre.machine.isBusy = false
        }
        do {
            try exchange(device, course)
        } catch is Broken {
        } catch let violation as Violation {
            throw violation
        } catch {
            guard course.excuses(error, device.machine, centre.machine) else {
                throw Violation(error, "device \(device.number): \(error)")
            }
            if device.machine.isDiskFailing { reach(.diskFailed) }
        }
        if course.failsDisk, try device.mendDisk() { reach(.powerCut) }
    }

    private func exchange(_ device: SimulatedDevice, _ course: Course) throws {
        try ledger.look(at: device, centre)
        let (request, bytes) = try device.prepare(
            schema: { try centre.hub.currentSchema() },
            compare: {
                reach(.recompared)
                let request = try CompareRequest(decoding: $0.encoded())
                return try CompareAnswer(decoding: try centre.hub.comparison(request).encoded())
            })
        try causes.sent(request.batch, by: device, centre)
        try userEdits.check(request.batch, of: device.number)
        ledger.sent(request.batch, by: device)
        digest.add(bytes)
        trace?(
            "  > device \(device.number): \(String(decoding: request.encoded(), as: UTF8.self))")
        var exchange = ReplicaExchange(request)
        try fire(course, after: 0, device)
        let wire = try ExchangeRequest(decoding: bytes)
        if course.has(.twice, after: 0) {
            reach(.twice)
            try centre.hub.exchange(wire) { (frame: Frame) in
                try produced(frame, for: wire, device)
            }
        }
        var delivered = 0
        try centre.hub.exchange(wire) { (frame: Frame) in
            try produced(frame, for: wire, device)
            let bytes = device.speaksInBlocks ? frame.block() : frame.encoded()
            digest.add(bytes)
            trace?(
                "  < device \(device.number): \(String(decoding: frame.encoded(), as: UTF8.self))")
            if course.isDeaf { return }
            let cut = course.cut(bytes)
            let frame = try device.speaksInBlocks ? Frame(block: cut) : Frame(decoding: cut)
            try deliver(frame, &exchange, of: wire, to: device)
            delivered += 1
            device.machine.now += 1
            centre.machine.now += 1
            try fire(course, after: delivered, device)
            // What came between is part of what the push meets.
            if case .welcome(let welcome) = frame {
                try pushes.look(at: centre, welcome, wire.batch)
            }
        }
    }

    private func deliver(
        _ frame: Frame, _ exchange: inout ReplicaExchange, of request: ExchangeRequest,
        to device: SimulatedDevice
    ) throws {
        if case .page(let page) = frame {
            if page.cursor.walk != nil { reach(.walked) }
            if request.batch == nil { rowsUnasked += page.rowCount }
        }
        try ledger.look(at: device, centre)
        let inFlight: [RowName] =
            if case .end = frame, request.batch != nil, causes.mayFork {
                try device.state().inFlight
            } else { [] }
        let effect = try device.take(frame, of: &exchange)
        switch effect {
        case .none, .finished: return
        case .dropped: reach(.dropped)
        case .applied(let isCaughtUp):
            try ledger.survived(on: device, centre)
            try marks.check(device)
            causes.saw(try device.cursor().marks, at: now)
            try causes.applied(request.batch, on: device)
            guard isCaughtUp else { return }
            reach(.caughtUp)
            try SnapshotOracle(
                centre: centre, device: device, asked: request.tables
            ).check()
        case .forked:
            reach(.forked)
            try causes.forked(device, request, inFlight: inFlight)
            ledger.takenBack(by: device)
        case .tookBack:
            reach(.tookBack)
            ledger.takenBack(by: device)
        case .reconciled:
            reach(.reconciled)
            try causes.reconciled(device, request, inFlight: inFlight)
            ledger.takenBack(by: device)
            marks.forget(device.number)
        case .readAnew:
            reach(.expired)
            try causes.readAnew(device, request, at: now)
            marks.forget(device.number)
        }
    }

    /// The hub made a frame, whether or not it arrives.
    private func produced(
        _ frame: Frame, for request: ExchangeRequest, _ device: SimulatedDevice
    ) throws {
        if case .welcome(let welcome) = frame {
            try pushes.look(at: centre, welcome, request.batch)
        }
        guard case .outcomes(let outcomes) = frame, let batch = request.batch else { return }
        if outcomes.status == .applied || outcomes.status == .alreadyApplied {
            ledger.taken(batch, of: device)
        }
        if outcomes.status == .applied { causes.refused(batch, outcomes.outcomes) }
        try pushes.judge(outcomes, request, of: device, self)
        for outcome in outcomes.outcomes {
            switch outcome.kind {
            case .refused: reach(.refused)
            case .overruled, .merged: reach(.conflict)
            case .applied: break
            }
        }
    }

    /// A request of before arrives once more; the answer goes nowhere.
    func redeliver(_ device: SimulatedDevice, back: Int) throws {
        guard device.sent.indices.contains(device.sent.count - 1 - back) else { return }
        reach(.redelivered)
        let request = try ExchangeRequest(decoding: device.sent[device.sent.count - 1 - back])
        do {
            try centre.hub.exchange(request) { (frame: Frame) in
                try produced(frame, for: request, device)
            }
        } catch let error as HubError where error.code != .busy {
            throw Violation(error, "an old request of device \(device.number): \(error)")
        } catch is HubError {
            return
        }
    }

    // MARK: What comes between

    private func fire(_ course: Course, after frames: Int, _ device: SimulatedDevice) throws {
        for event in course.events where event.frames == frames {
            switch event.what {
            case .edit(let sql):
                reach(.editBetween)
                try edit(device, sql)
            case .office(let sql):
                reach(.officeBetween)
                try office(sql)
            case .lose:
                reach(.lost)
                throw Broken()
            case .deaf:
                reach(.deaf)
                course.isDeaf = true
            case .twice: break
            case .cut(let thousandths):
                reach(.cut)
                course.nextCut = thousandths
            case .crash:
                reach(.crash)
                if !device.machine.isDiskFailing { try device.reopen() }
                throw Broken()
            case .restartHub:
                reach(.hubRestart)
                centre.restart()
                throw Broken()
            case .interrupt(let steps):
                device.machine.interrupt(after: steps)
            case .interruptHub(let steps):
                centre.machine.interrupt(after: steps)
            case .disk(let failure): try device.machine.fail(failure)
            case .busyHub:
                reach(.hubBusy)
                centre.machine.isBusy = true
            case .interleave:
                reach(.interleaved)
                try self.exchange(device, [])
            case .interleaveLost:
                reach(.interleaved)
                try self.exchange(device, [.init(after: 0, .lose)])
            }
        }
    }
}

/// What happens on the way of one exchange.
private final class Course {
    let events: [Step.Event]
    var isDeaf = false
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
        // A purge went on since the welcome: the next exchange reads anew.
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

extension Page {
    /// Rows and removals.
    fileprivate var rowCount: Int {
        (tables.map(\.rows.count) + removals.map(\.keys.count)).reduce(0, +)
    }
}
