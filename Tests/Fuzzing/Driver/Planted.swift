import MoorageWire

/// A trap that is there on purpose, for `MOORAGE_FUZZ_PLANTED=1`: an error frame with one certain
/// code. `Scripts/fuzz --check` begins with one that has another.
enum Planted {
    static func check(_ bytes: [UInt8]) {
        guard case .error(let error)? = try? Frame(decoding: bytes) else { return }
        precondition(error.code.rawValue != "withheld", "the planted trap")
    }
}
