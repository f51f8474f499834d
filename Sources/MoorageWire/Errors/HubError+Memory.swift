/// What fails for lack of memory (docs/reference/errors.md, The hub's side).
extension HubError {
    static let noMemoryToCompress = HubError(
        .busy, "There is no memory to compress with. Try again later.")

    static let noMemoryToUnpack = HubError(
        .busy, "There is no memory to unpack with. Try again later.")
}
