import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// The connection of one exchange broke, as the history planned.
private struct Broken: Error {}

extension Simulation {
    /// One exchange over the network that the history describes.
    func exchange(_ device: SimulatedDevice, _ events: [Step.Event]) throws {
        _ = try attempt(device, events) { try exchange(device, $0) }
    }

    /// - Returns: The error that ended it; `nil` when it went well.
    func attempt(
        _ device: SimulatedDevice, _ events: [Step.Event], _ work: (ExchangeScript) throws -> Void
    ) throws -> (any Error)? {
        reach(.exchange)
        let script = ExchangeScript(events)
        script.begin(device.machine, centre.machine)
        defer {
            if script.isBrokenOff(device.machine) { reach(.interrupted) }
            if script.isHubBrokenOff(centre.machine) { reach(.hubInterrupted) }
            device.machine.clearInterruption()
            centre.machine.clearInterruption()
            centre.machine.isBusy = false
        }
        var failure: (any Error)?
        do {
            try work(script)
            if script.isDeaf { failure = Broken() }
        } catch let violation as Violation {
            throw violation
        } catch {
            try excuse(error, device, script)
            failure = error
        }
        if script.failsDisk, try device.repairDisk() { reach(.powerCut) }
        return failure
    }

    /// Accepts the errors that the history planned, and reacts to them as the app has to.
    private func excuse(_ error: any Error, _ device: SimulatedDevice, _ script: ExchangeScript)
        throws
    {
        switch error {
        case is Broken: return
        case let error as ReplicaError where error.code == .removalForbidden:
            try allowRemoval(error, on: device)
        case let error as HubError where Self.turnsAway(error): try turnedAway(device, error)
        case let error as ReplicaError where error.code.rawValue == "unknownTable":
            guard try device.cannotBegin(with: centre) else {
                throw Violation(error, "device \(device.number): \(error)")
            }
        default:
            guard script.excuses(error, device.machine, centre.machine) else {
                throw Violation(error, "device \(device.number): \(error)")
            }
            if device.machine.isDiskFailing { reach(.diskFailed) }
        }
    }

    /// The app's own table forbids a removal. Its user does what the error says.
    func allowRemoval(_ error: ReplicaError, on device: SimulatedDevice) throws {
        guard try LocalTableModel.deleteRows(on: device) > 0 else {
            throw Violation(error, "device \(device.number): \(error)")
        }
        reach(.removalForbidden)
    }

    private func exchange(_ device: SimulatedDevice, _ script: ExchangeScript) throws {
        guard let onSync, script.canBeRepeated, !device.machine.isAboutToFail else {
            return try sync(device, script)
        }
        let recorder = try SyncRecorder(device)
        script.recorder = recorder
        let result = Result { try sync(device, script) }
        try recorder.end()
        onSync(recorder.record)
        try result.get()
    }

    func sync(_ device: SimulatedDevice, _ script: ExchangeScript) throws {
        var sync = device.newSync()
        var event = SyncMachine.Event.begin
        let goesOn = script.has(.whole, after: 0)
        if goesOn { reach(.wholeSync) }
        var script = script
        let recorder = script.recorder
        // A replica with a mistake may never finish.
        var rest = goesOn ? try roundsToRest() : 1
        repeat {
            guard rest > 0 else {
                throw Violation(.progress, "a sync of device \(device.number) does not end")
            }
            rest -= 1
            guard let next = try proceed(event, of: &sync, device, recorder) else { return }
            do {
                _ = try exchange(next.request, next.bytes, of: &sync, device, script)
            } catch {
                // An error of the device itself follows from the frame before, and the driver also
                // stops there.
                if !(error is ReplicaError) {
                    recorder?.add(.broke(error as? HubError ?? Self.broken))
                }
                throw error
            }
            recorder?.add(script.isDeaf ? .broke(Self.broken) : .answered)
            if script.isDeaf { return }
            event = .answered
            // The history's events happen to the first exchange only.
            script = ExchangeScript([])
            script.recorder = recorder
            centre.machine.isBusy = false
            script.begin(device.machine, centre.machine)
        } while goesOn
    }

    /// Continues up to the next exchange.
    ///
    /// - Returns: `nil` when the sync is done.
    func proceed(
        _ event: SyncMachine.Event, of sync: inout SyncMachine, _ device: SimulatedDevice,
        _ recorder: SyncRecorder? = nil
    ) throws -> (request: ExchangeRequest, bytes: [UInt8])? {
        try ledger.observe(device, centre)
        let groups = try GroupOracle(before: device)
        let subscriptions = try SubscriptionOracle(before: device)
        let next = try device.proceed(
            event, of: &sync,
            schema: {
                let answer = try centre.hub.currentSchema()
                recorder?.add(.schema(answer))
                return answer
            },
            compare: { try compare($0, of: device, recorder) })
        guard let next else { return nil }
        recorder?.add(.asked(next.request))
        try groups.check(next.request.batch)
        for _ in 0..<(try subscriptions.check(next.request.scopes)) { reach(.subscriptionEnded) }
        return next
    }

    private static let broken = HubError(.unreachable, "The connection broke.")

    private func compare(
        _ request: CompareRequest, of device: SimulatedDevice, _ recorder: SyncRecorder?
    ) throws -> CompareAnswer {
        reach(.repaired)
        let sent = try CompareRequest(decoding: request.encoded())
        let result = Result {
            let answer = try centre.hub.comparison(sent, for: device.principal)
            return try CompareAnswer(decoding: answer.encoded())
        }
        recorder?.add(.compared(request, result.mapError { $0 as? HubError ?? Self.broken }))
        return try result.get()
    }

    /// - Returns: The rest of a live stream.
    func exchange(
        _ request: ExchangeRequest, _ bytes: [UInt8], of sync: inout SyncMachine,
        _ device: SimulatedDevice, _ script: ExchangeScript
    ) throws -> SteppedStream? {
        try causes.sent(request.batch, by: device, centre)
        try userEdits.check(request.batch, of: device)
        ledger.sent(request.batch, by: device)
        digest.add(bytes)
        trace?(
            "  > device \(device.number): \(String(decoding: request.encoded(), as: UTF8.self))")
        try fire(script, after: 0, device)
        let wire = try ExchangeRequest(decoding: bytes)
        if script.has(.twice, after: 0) {
            reach(.twice)
            let visit = Visit()
            try centre.hub.exchange(wire, for: device.principal) { (frame: Frame) in
                try produced(frame, for: wire, device, visit)
            }
        }
        var delivered = 0
        let visit = Visit()
        return try centre.hub.open(wire, for: device.principal) { (frame: Frame) in
            try produced(frame, for: wire, device, visit)
            if case .welcome = frame { try letIn(device) }
            let bytes = device.speaksInBlocks ? frame.block() : frame.encoded()
            digest.add(bytes)
            trace?(
                "  < device \(device.number): \(String(decoding: frame.encoded(), as: UTF8.self))")
            if script.isDeaf { return }
            let cut = script.cut(bytes)
            let frame = try device.speaksInBlocks ? Frame(block: cut) : Frame(decoding: cut)
            script.recorder?.add(.frame(frame))
            _ = try deliver(frame, &sync, of: wire, to: device, visit)
            delivered += 1
            device.machine.now += 1
            centre.machine.now += 1
            try fire(script, after: delivered, device)
            // What happened in between is part of what the push meets.
            if case .welcome(let welcome) = frame {
                try pushes.observe(centre, welcome, wire.batch, visit.visible)
            }
        }
    }

    func deliver(
        _ frame: Frame, _ sync: inout SyncMachine, of request: ExchangeRequest,
        to device: SimulatedDevice, _ visit: Visit
    ) throws -> SyncMachine.Received {
        if case .page(let page) = frame {
            if page.cursor.scan != nil { reach(.scanned) }
            if request.batch == nil { rowsUnasked += page.rowCount }
        }
        try ledger.observe(device, centre)
        let inFlight: [RowName] =
            if case .end = frame, request.batch != nil, causes.mayFork {
                try device.state().inFlight
            } else { [] }
        let locals = try LocalTableOracle(before: device)
        let received = try device.receive(frame, of: &sync)
        if let locals {
            let rekeyed = locals.rekeyed(request.batch, visit.outcomes)
            if try locals.check(rekeyed) > 0 { reach(.localReference) }
        }
        switch received {
        case .none, .finished: break
        case .dropped: reach(.dropped)
        case .applied(let result):
            try ledger.survived(on: device, centre)
            try checkpoints.check(device)
            causes.saw(try device.cursor().checkpoints, at: now)
            try causes.applied(request.batch, on: device)
            if case .page(let page) = frame { try arrived(page, request, device, visit) }
            guard result.isCaughtUp else { break }
            reach(.caughtUp)
            // No page brings what the owner changed and has not attached.
            let suspended = try visit.suspended ?? centre.suspendedTables()
            try SnapshotOracle(
                centre: centre, device: device,
                asked: request.tables.filter { !suspended.contains($0.name) },
                delivered: visit.delivered
            ).check()
        case .forked:
            reach(.forked)
            try causes.forked(device, request, inFlight: inFlight)
            ledger.unprepared(by: device)
        case .unprepared:
            reach(.unprepared)
            ledger.unprepared(by: device)
        case .reconciled:
            reach(.reconciled)
            try causes.reconciled(device, request, inFlight: inFlight)
            ledger.unprepared(by: device)
            checkpoints.forget(device.number)
        case .rescan:
            reach(.expired)
            try causes.rescan(device, request, at: now)
            checkpoints.forget(device.number)
        }
        return received
    }

    /// The hub made a frame, whether or not it arrives.
    private func produced(
        _ frame: Frame, for request: ExchangeRequest, _ device: SimulatedDevice, _ visit: Visit
    ) throws {
        if case .welcome(let welcome) = frame {
            try begin(visit, request, device)
            try visit.check(welcome, request, self)
            try pushes.observe(centre, welcome, request.batch, visit.visible)
            for _ in 0..<(try keys.welcomed(welcome, request.replica, centre)) { reach(.keyBlock) }
        }
        if case .page(let page) = frame { try check(page, visit, device) }
        guard case .outcomes(let outcomes) = frame, let batch = request.batch else { return }
        visit.outcomes = outcomes.outcomes
        if batch.changes.contains(where: { centre.directions[$0.table] == .up }) { reach(.upOnly) }
        if outcomes.status == .applied || outcomes.status == .alreadyApplied {
            ledger.accepted(batch, of: device)
        }
        if outcomes.status == .applied {
            causes.refused(batch, outcomes.outcomes)
            try checkOwner(of: device, batch)
        }
        try pushes.judge(outcomes, request, of: device, self)
        for (change, outcome) in zip(batch.changes, outcomes.outcomes) {
            switch outcome.kind {
            case .refused(let refusal):
                reach(.refused)
                if refusal.code == .resurrect { try askedForWhole(change, device) }
                if visit.visible != nil, refusal.code == .permission { reach(.refusedOutside) }
            case .overruled, .merged: reach(.conflict)
            case .applied: break
            }
        }
    }

    /// The device sends the row once more, as an insert.
    private func askedForWhole(_ change: Change, _ device: SimulatedDevice) throws {
        guard history.world.rules[change.table]?.updateOfDeleted == .resurrect else {
            throw Violation(.merge, "\(change.table) is to be sent whole, and stays deleted")
        }
        reach(.sentWhole)
        userEdits.sentWhole(change, by: device)
        causes.sentWhole(change, by: device)
        ledger.sentWhole(change, by: device)
    }

    /// An earlier request arrives once more, and its answer is lost.
    func redeliver(_ device: SimulatedDevice, back: Int) throws {
        guard device.sent.indices.contains(device.sent.count - 1 - back) else { return }
        reach(.redelivered)
        let request = try ExchangeRequest(decoding: device.sent[device.sent.count - 1 - back])
        do {
            let visit = Visit()
            try centre.hub.exchange(request, for: device.principal) { (frame: Frame) in
                try produced(frame, for: request, device, visit)
            }
        } catch let error as HubError where Self.turnsAway(error) {
            return
        } catch let error as HubError where error.code != .busy {
            throw Violation(error, "an old request of device \(device.number): \(error)")
        } catch is HubError {
            return
        }
    }

    // MARK: What comes between

    private func fire(_ script: ExchangeScript, after frames: Int, _ device: SimulatedDevice) throws
    {
        for event in script.events where event.frames == frames {
            switch event.what {
            case .edit(let sql):
                reach(.editBetween)
                script.recorder?.add(.edited(sql))
                try edit(device, sql)
            case .office(let sql):
                reach(.officeBetween)
                try office(sql)
            case .lose:
                reach(.lost)
                throw Broken()
            case .deaf:
                reach(.deaf)
                script.isDeaf = true
            case .twice, .whole: break
            case .cut(let thousandths):
                reach(.cut)
                script.nextCut = thousandths
            case .crash:
                reach(.crash)
                script.recorder?.add(.broke(Self.broken))
                try script.recorder?.end()
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

extension Page {
    /// Rows and removals.
    fileprivate var rowCount: Int {
        (tables.map(\.rows.count) + removals.map(\.keys.count)).reduce(0, +)
    }
}
