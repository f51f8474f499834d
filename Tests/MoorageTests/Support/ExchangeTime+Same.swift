import MoorageCore

@testable import Moorage

extension ExchangeTime {
    /// Where both clocks say the same.
    init(_ now: DeviceTime) {
        self.init(here: now, hub: HubTime(milliseconds: now.milliseconds))
    }
}
