/// A moment of an exchange by both sides' clocks, in milliseconds since 1970. Either may be wrong.
struct ExchangeTime: Hashable, Sendable {
    let here: Int64
    let hub: Int64
}
