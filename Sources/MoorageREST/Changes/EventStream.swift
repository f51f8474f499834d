import MoorageCore
import MoorageHub
import MoorageSupport

/// Changes as server-sent events (docs/reference/changes.md).
package final class EventStream: Sendable {
    /// Bytes of the rows that are in memory at once for each stream, and one row at least.
    static let pageBytes = 256_000
    /// How long a client waits before it comes again, in milliseconds.
    private static let usualWait: Int64 = 3_000

    private let stream: ChangeStream

    init(_ stream: ChangeStream) { self.stream = stream }

    /// The head of the answer, which has no length.
    package static let head = RESTResponse(
        status: 200,
        headers: [
            ("Content-Type", MediaType.events.rawValue),
            // Otherwise, proxies would buffer the stream until it ends.
            ("X-Accel-Buffering", "no"),
        ])

    /// Writes the events until the stream is over.
    ///
    /// - Parameter write: Returns when the client's connection has taken the bytes. The stream reads
    ///   on only then.
    package func run(_ write: @Sendable ([UInt8]) async throws -> Void) async throws {
        try await write(EventText.retry(Self.usualWait))
        try await stream.run { event in
            switch event {
            case .changes(let changes, let next):
                try await write(EventText.changes(changes, next: next))
            case .caughtUp(let position): try await write(EventText.caughtUp(at: position))
            case .beat(let position): try await write(EventText.beat(at: position))
            case .end(let wait):
                guard let wait else { return }
                try await write(EventText.retry(wait.milliseconds))
            }
        }
    }

    /// Ends the stream soon, from any thread.
    ///
    /// - Parameter wait: How long the client waits before it comes again.
    package func end(wait: Duration? = nil) { stream.end(wait: wait) }
}

/// The lines of server-sent events. Each event ends with an empty line.
private enum EventText {
    static func retry(_ milliseconds: Int64) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }

    /// A program that comes again behind the last change loses nothing. Behind another one it would
    /// get the same changes again, so only the last one has an id.
    static func changes(_ changes: [RowChange], next: String) -> [UInt8] {
        var form = ChangeForm()
        var text: [UInt8] = []
        for (place, change) in changes.enumerated() {
            text += "event: change\n".utf8
            if place == changes.count - 1 { text += "id: \(next)\n".utf8 }
            text += "data: ".utf8
            // JSON has no line breaks, except in strings, where they are escaped.
            text += JSONWriter.document { form.write(change, to: &$0) }
            text += "\n\n".utf8
        }
        return text
    }

    static func caughtUp(at position: String) -> [UInt8] {
        Array("event: caughtUp\nid: \(position)\ndata: {}\n\n".utf8)
    }

    /// A comment. An id without data is no event, but the client remembers it.
    static func beat(at position: String) -> [UInt8] { Array(":\nid: \(position)\n\n".utf8) }
}
