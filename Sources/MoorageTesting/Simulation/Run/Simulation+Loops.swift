import Moorage
import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire

/// Apps that keep themselves up to date: what they do between the steps of a history.
extension Simulation {
    /// The app begins to, or is in front of its user again.
    func keepUpToDate(_ device: SimulatedDevice) throws {
        guard loops[device.number] != nil else { return try begin(device) }
        loops[device.number]?.isInFront = true
        try request(by: device)
    }

    /// The app wants the hub to be asked soon.
    func request(by device: SimulatedDevice) throws {
        try goOn(device, with: .woken(.request, hasWork: false))
    }

    /// The app goes to the background.
    func leave(_ device: SimulatedDevice) throws {
        guard loops[device.number]?.isInFront == true else { return }
        loops[device.number]?.isInFront = false
        try goOn(device, with: .woken(.state, hasWork: false))
    }

    private func begin(_ device: SimulatedDevice) throws {
        reach(.looped)
        loops[device.number] = AppLoop(device)
        try goOn(device, with: .begin)
    }

    /// What comes by itself: pages of answers that are open, and the ends of waits.
    ///
    /// - Parameter committed: The devices whose users have just committed something.
    func goOn(after committed: Set<Int>) throws {
        for device in devices {
            guard let loop = loops[device.number] else { continue }
            // Another process has the app's place.
            guard loop.starts == device.starts else {
                try begin(device)
                continue
            }
            try follow(device)
            var reasons: WakeReasons = committed.contains(device.number) ? .commit : []
            if loops[device.number]?.stream?.isToldOf == true { reasons.insert(.state) }
            guard !reasons.isEmpty || loop.wakesAt <= now else { continue }
            let hasWork = try reasons.contains(.commit) && device.hasLocalChanges()
            try goOn(
                device,
                with: .woken(reasons, hasWork: loop.machine.asks(for: reasons) && hasWork))
        }
    }

    /// Does what the machine says, until it waits.
    private func goOn(_ device: SimulatedDevice, with event: RunMachine.Event) throws {
        var event = event
        // W6: it asks no more than twice for each, unless there is more to send.
        var rest = try 4 + roundsToRest()
        while var loop = loops[device.number] {
            let effect = loop.machine.proceed(
                event, loop.view(at: device.machine.deviceTime), at: device.machine.deviceTime,
                using: &device.machine.random)
            trace?("  device \(device.number) loops: \(effect)")
            loops[device.number] = loop
            switch effect {
            case .wait(let duration):
                if loop.machine.isRetrying { reach(.retryWait) }
                loops[device.number]?.wakesAt = now + max(1, duration.milliseconds)
                return
            case .end: loops[device.number] = nil
            case .close:
                loops[device.number]?.stream = nil
                event = .closed
            case .sync, .open:
                rest -= 1
                guard rest > 0 else {
                    throw Violation(
                        .progress, "device \(device.number) asks the hub without a pause")
                }
                if case .open = effect {
                    event = try ask(device, rest) { try open(device, $0) }
                } else {
                    event = try ask(device, rest) { script in
                        try sync(device, script)
                        return .synced
                    }
                }
            }
        }
    }

    /// One question to the hub, over a network that loses some.
    private func ask(
        _ device: SimulatedDevice, _ number: Int,
        _ work: (ExchangeScript) throws -> RunMachine.Event
    ) throws -> RunMachine.Event {
        var random = SeededGenerator(seed: salt ^ UInt64(device.number * 1000 + number))
        var events = [Step.Event(after: 0, .whole)]
        if random.chance(12) {
            let what: Step.Event.What = random.chance(50) ? .lose : .deaf
            events.append(Step.Event(after: random.below(4), what))
        }
        var event = RunMachine.Event.synced
        let failure = try attempt(device, events) { event = try work($0) }
        guard let failure else {
            loops[device.number]?.machine.exchanged(at: device.machine.deviceTime)
            return event
        }
        loops[device.number]?.machine.exchangeFailed()
        return .failed(Self.readable(failure))
    }

    private static func readable(_ error: any Error) -> ReplicaError {
        ReplicaFile.readable(error) as? ReplicaError
            ?? ReplicaError(HubError(.unreachable, "The connection broke."))
    }

    // MARK: Live streams

    private func open(_ device: SimulatedDevice, _ script: ExchangeScript) throws
        -> RunMachine.Event
    {
        loops[device.number]?.stream = nil
        var sync = device.newSync(isLive: true)
        guard let next = try proceed(.begin, of: &sync, device) else { return .opened(.notYet) }
        let hub = centre.hub
        let source = try exchange(next.request, next.bytes, of: &sync, device, script)
        if script.isDeaf { return .opened(.notYet) }
        if sync.wantsKeys { loops[device.number]?.machine.keysWanted() }
        let hasMore =
            try (next.request.batch != nil || sync.hasFilled) && device.hasLocalChanges()
        guard let source, let heartbeat = sync.heartbeat else {
            return .opened(.over(isComplete: sync.isComplete && !hasMore))
        }
        reach(.liveOpened)
        loops[device.number]?.stream = FollowedStream(
            sync: sync, source: source, request: next.request, hub: hub, heartbeat: heartbeat)
        return .opened(.open(hasMore: hasMore))
    }

    /// Takes what the hub has to say since.
    private func follow(_ device: SimulatedDevice) throws {
        var random = SeededGenerator(seed: salt ^ UInt64(device.number) &* 0x4C49_5645)
        // Each page is at least one row of what there is.
        for _ in 0..<(try roundsToRest()) {
            guard var stream = loops[device.number]?.stream, !stream.isToldOf else { return }
            defer { loops[device.number]?.stream = stream }
            let isBroken = stream.hub !== centre.hub || random.chance(2)
            do {
                guard !isBroken else { throw HubError(.unreachable, "The connection broke.") }
                guard let frame = try stream.source.poll() else { return }
                try receive(frame, of: &stream, device)
            } catch let violation as Violation {
                throw violation
            } catch let error as HubError {
                stream.result = .failure(ReplicaError(error))
            } catch let error as ReplicaError where error.code == .removalForbidden {
                try allowRemoval(error, on: device)
                stream.result = .failure(error)
            } catch let error as ReplicaError where error.code == .tableSuspended {
                // Its triggers were lost since it was opened: a sync compares the table first.
                stream.result = .failure(error)
            } catch {
                throw Violation(error, "device \(device.number): \(error)")
            }
        }
    }

    private func receive(
        _ frame: Frame, of stream: inout FollowedStream, _ device: SimulatedDevice
    ) throws {
        digest.add(frame.encoded())
        trace?("  < device \(device.number): \(String(decoding: frame.encoded(), as: UTF8.self))")
        if case .end = frame {
            _ = try device.receive(frame, of: &stream.sync)
            reach(.liveEnded)
            stream.result = .success(())
            return
        }
        let visit = Visit()
        try begin(visit, stream.request, device)
        if case .page(let page) = frame { try check(page, visit, device) }
        stream.hasWorked = true
        switch try deliver(frame, &stream.sync, of: stream.request, to: device, visit) {
        case .applied: reach(.livePage)
        case .dropped:
            reach(.liveLate)
            stream.isOutOfStep = true
        case .none, .forked, .unprepared, .reconciled, .rescan, .finished: return
        }
    }
}
