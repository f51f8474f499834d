import MoorageCore

@testable import Moorage

extension ExchangeTime {
    /// A time at which both clocks agree.
    init(_ now: DeviceTime) {
        self.init(here: now, hub: HubTime(milliseconds: now.milliseconds))
    }
}
