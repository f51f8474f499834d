import Foundation
public import Logging

/// What was logged, at any level, one text a line: level, message, the logger's metadata, the
/// line's metadata.
///
/// `@unchecked Sendable`: the lines are used only inside the lock.
public final class LogLines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    public init() {}

    public var all: [String] { lock.withLock { lines } }

    /// A logger whose lines come here.
    public var logger: Logger { Logger(label: "test") { _ in LogCollector(lines: self) } }

    /// Waits until a line contains a text.
    ///
    /// - Returns: The first such line.
    public func first(
        containing text: String, fileID: String = #fileID, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) async throws -> String {
        try await eventually(
            "the log contains \"\(text)\"", fileID: fileID, filePath: filePath, line: line,
            column: column
        ) { all.contains { $0.contains(text) } }
        return all.first { $0.contains(text) } ?? ""
    }

    fileprivate func add(_ line: String) { lock.withLock { lines.append(line) } }
}

private struct LogCollector: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.add("\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])")
    }
}
