import Testing

/// Waits until something is so. The limit is long: reaching it means that the test hangs.
///
/// - Parameters:
///   - what: What is waited for, for the message: "the replica is live".
///   - condition: Asked again and again, with a short pause between.
/// - Throws: ``Hang`` after 120 seconds, and whatever `condition` throws.
public func eventually(
    _ what: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + Hang.limit
    while try await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record(
                "It hangs: \(what) is still not so.",
                sourceLocation: SourceLocation(
                    fileID: fileID, filePath: filePath, line: line, column: column))
            throw Hang(what: what)
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// A test waited for something that did not happen.
public struct Hang: Error, CustomStringConvertible {
    /// Far beyond what anything takes on a busy machine.
    public static let limit = Duration.seconds(120)

    /// The same for a whole test, which waits often, and computes beside others.
    public static let testLimit = Duration.seconds(900)

    public let what: String
    private let duration: Duration

    /// - Parameters:
    ///   - what: What was waited for.
    ///   - duration: For how long.
    public init(what: String, after duration: Duration = Self.limit) {
        self.what = what
        self.duration = duration
    }

    public var description: String { "It hangs: \(what) is not so after \(duration)." }
}
