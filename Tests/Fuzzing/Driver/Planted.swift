import MoorageWire

/// A trap that is there on purpose, for `MOORAGE_FUZZ_PLANTED=1`: an error frame that asks for one
/// certain wait.
enum Planted {
    static func check(_ bytes: [UInt8]) {
        guard case .error(let error)? = try? Frame(decoding: bytes) else { return }
        precondition(error.retryAfter != .seconds(2), "the planted trap")
    }
}
