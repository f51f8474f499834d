import MoorageWire

/// A trap that is there on purpose, for `MOORAGE_FUZZ_PLANTED=1`: an error frame with a code of
/// eight letters. `Scripts/fuzz --check` begins with one of four.
enum Planted {
    static func check(_ bytes: [UInt8]) {
        guard case .error(let error)? = try? Frame(decoding: bytes) else { return }
        precondition(error.code.rawValue.utf8.count != 8, "the planted trap")
    }
}
