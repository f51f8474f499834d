/// What outside data did wrong: it never traps.
public struct CoreError: Error, Hashable, Sendable {
    /// A full sentence that names the place, never a value.
    public let message: String
    public init(_ message: String) { self.message = message }
}
