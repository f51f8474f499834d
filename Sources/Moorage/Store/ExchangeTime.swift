import MoorageCore

/// A moment of an exchange by both sides' clocks.
struct ExchangeTime: Hashable, Sendable {
    let here: DeviceTime
    let hub: HubTime
}
