import Foundation
import Logging

/// `@unchecked`: the lines are used inside the lock.
final class LogLines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }
    /// A logger whose lines come here.
    var logger: Logger { Logger(label: "hub") { _ in LogCollector(lines: self) } }
    func add(_ line: String) { lock.withLock { lines.append(line) } }
}

struct LogCollector: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}
