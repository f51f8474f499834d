/// An error in data from outside. Such data never causes a trap.
public struct CoreError: Error, Hashable, Sendable {
    /// A full sentence that names the place, never a value.
    public let message: String

    /// - Parameter message: A full sentence that names the place, never a value.
    public init(_ message: String) { self.message = message }
}
