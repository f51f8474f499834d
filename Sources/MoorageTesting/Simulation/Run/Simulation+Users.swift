import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// Users who take turns at a device, and orders to delete its data.
extension Simulation {
    /// Another user signs in. The file is the former user's until the app starts over with it.
    func signIn(_ user: String, on device: SimulatedDevice) throws {
        guard device.user != nil, device.user != user else { return }
        reach(.signedIn)
        device.user = user
        loops[device.number] = nil
        if try device.belongs(to: device.owner) { userEdits.adopted(by: device) }
        // A wiped device needs another name from now on, or it never syncs again.
        if device.isWiped { try startOver(device) }
    }

    func orderWipe(of device: SimulatedDevice) throws {
        guard let replica = try device.state().replica else { return }
        reach(.wipeOrdered)
        try centre.hub.order(.toBeWiped, of: replica)
    }

    /// Checks that the changes in one user's file do not go up as another user's.
    func checkOwner(of device: SimulatedDevice, _ batch: Batch) throws {
        guard device.owner != device.user else { return }
        throw Violation(
            .onlyOwnEdits,
            "batch \(batch.number) of device \(device.number) goes up as \(device.user ?? "nobody")'s, and the file is \(device.owner ?? "nobody")'s"
        )
    }

    /// Checks that a wiped device does not sync again under its name, unless the central database
    /// forgot the order.
    func letIn(_ device: SimulatedDevice) throws {
        guard device.isWiped else { return }
        device.isWiped = false
        let mayForget = history.steps.contains { $0.action == .restoreHub }
        guard mayForget else {
            throw Violation(.emptied, "device \(device.number) was wiped, and is let in again")
        }
    }

    static func turnsAway(_ error: HubError) -> Bool {
        error.code == .differentUser || error.code == .replicaWiped
    }

    /// The hub accepts nothing from the file and sends it nothing, so the app does what the error
    /// asks for.
    func turnedAway(_ device: SimulatedDevice, _ error: HubError) throws {
        let isExplained = history.steps.contains { step in
            switch (error.code, step.action) {
            case (.differentUser, .signIn), (.differentUser, .copy): true
            case (.replicaWiped, .wipe): true
            default: false
            }
        }
        guard isExplained else { throw Violation(error, "device \(device.number): \(error)") }
        if error.code == .differentUser { return try startOver(device) }
        reach(.wiped)
        try device.wipe()
        device.isWiped = true
        try emptied(device)
    }

    private func startOver(_ device: SimulatedDevice) throws {
        reach(.startedOver)
        do {
            try device.startOver()
        } catch let error as ReplicaError where error.code == .removalForbidden {
            // The app's own table forbids it. Its user does what the error says.
            _ = try LocalTableModel.deleteRows(on: device)
            try device.startOver()
        }
        device.isWiped = false
        try emptied(device)
    }

    private func emptied(_ device: SimulatedDevice) throws {
        try device.checkEmpty()
        ledger.replaced(device, owing: [])
        causes.replaced(device)
        checkpoints.forget(device.number)
        lastAuthorized[device.number] = nil
    }
}

extension SimulatedDevice {
    private static let lists = [
        "_moorage_inflight", "_moorage_acknowledged", "_moorage_refused", "_moorage_overruled",
        "_moorage_deferred", "_moorage_withheld", "_moorage_dangling", "_moorage_keys",
        "_moorage_subscription", "_moorage_exchange",
    ]

    /// Checks that nothing is left of the file's former user: no row, no change, no list.
    func checkEmpty() throws {
        let logs = tables.map { "_moorage_log_\($0)" }
        for name in tables + logs + Self.lists {
            let count = try write { try $0.rawRows("SELECT 1 FROM \"\(name)\"").count }
            guard count == 0 else {
                throw Violation(
                    .emptied, "device \(number): \(count) rows of \(name) outlived the emptying")
            }
        }
    }
}
