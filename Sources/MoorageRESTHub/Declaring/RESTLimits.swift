/// How much the device takes of a server, which may be wrong or hostile.
///
/// The JSON of an answer may also be 64 levels deep and take 256 MB of memory, whatever is set here.
public struct RESTLimits: Hashable, Sendable {
    /// Bytes of one answer, unpacked; 32,000,000 by default. Below 1, only empty answers are read.
    public var maximumAnswerBytes = 32_000_000
    /// Pages of one collection in one exchange; 10,000 by default. Below 1, nothing is fetched.
    public var maximumPages = 10_000
    /// Changes that are answered together; 100 by default. After a crash, the device asks the server
    /// about the requests of one such batch at most. Below 1, it counts as 1.
    public var maximumChanges = 100

    /// Limits with the default values.
    public init() {}
}
