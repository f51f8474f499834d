import MoorageCore

/// When a replica last caught up with the hub. In the file it is one value, because most exchanges
/// write nothing else.
struct CaughtUpTime: Hashable, Sendable {
    let device: DeviceTime
    /// The same moment by the hub's clock; `nil` if an earlier version caught up.
    let hub: HubTime?

    init(device: DeviceTime, hub: HubTime?) {
        self.device = device
        self.hub = hub
    }

    /// - Parameter text: One or two times in milliseconds. `nil` for anything else.
    init?(_ text: String) {
        let times = text.split(separator: " ").map { Int64($0) }
        guard (1...2).contains(times.count), let device = times[0] else { return nil }
        self.device = DeviceTime(milliseconds: device)
        hub = times.count == 2 ? times[1].map(HubTime.init(milliseconds:)) : nil
    }

    /// The times as the file has them.
    var text: String {
        guard let hub else { return "\(device.milliseconds)" }
        return "\(device.milliseconds) \(hub.milliseconds)"
    }
}
