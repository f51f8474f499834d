import GRDB
import Moorage

extension Sandbox {
    private static let maximumRounds = 100

    /// Syncs all devices that are online until nobody sends or gets anything, and compares each of
    /// them with the hub.
    ///
    /// Devices that are offline stay as they are. Requests that get lost are repeated.
    ///
    /// - Throws: ``SandboxError`` `notCaughtUp` if rows still move after 100 rounds, a device cannot
    ///   catch up, or one of its tables is suspended: the message says why. `rowsDiffer` if a device
    ///   and the hub differ. Also the `ReplicaError` of a sync that fails for another reason than
    ///   the network.
    public func syncAll() async throws {
        let online = devices.filter { !$0.network.isOffline }
        // Devices that synced since rows moved last, and got none.
        var done: Set<String> = []
        var failures: [String: ReplicaError] = [:]
        for _ in 0..<Self.maximumRounds {
            for device in online where !done.contains(device.name) {
                do {
                    let summary = try await device.sync()
                    failures[device.name] = nil
                    if summary.changesPushed + summary.rowsReceived + summary.rowsRemoved > 0 {
                        done = []
                    } else {
                        done.insert(device.name)
                    }
                } catch let error as ReplicaError where error.isOfTheNetwork {
                    failures[device.name] = error
                }
            }
            if done.count == online.count { return try await check(online) }
        }
        throw SandboxError.notCaughtUp(
            online.filter { !done.contains($0.name) }.map { device in
                let reason = failures[device.name].map { " \($0.message)" } ?? ""
                return "\(device.name) still exchanges rows.\(reason)"
            })
    }

    private func check(_ online: [SandboxDevice]) async throws {
        for device in online {
            let status = device.replica.status
            if !status.isCaughtUp || !status.suspendedTables.isEmpty {
                throw SandboxError.notCaughtUp(
                    ["\(device.name) cannot catch up: \(status.pendingCount) changes wait."]
                        + status.suspendedTables.map { "\($0.name) is suspended. \($0.reason)" })
            }
        }
        for device in online {
            // The comparison is the test's, not the device's.
            let network = device.network
            device.network = .online
            defer { device.network = network }
            let differences = try await device.replica.verify()
            if !differences.isEmpty { throw SandboxError.differs(device.name, differences) }
        }
    }
}

extension ReplicaError {
    var isOfTheNetwork: Bool { code == .hub(.unreachable) }
}
