public import Foundation

/// One HTTP request.
public struct HTTPTransportRequest: Sendable {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    public let method: String
    /// The whole address.
    public let url: URL
    /// Headers to send as they are, each name once.
    public let headers: [(name: String, value: String)]
    /// The bytes to send; empty for a request without a body.
    public let body: [UInt8]
    /// Whether the answer may stay open. Then only its silence has a limit, not its total time.
    public let isOpenEnded: Bool

    /// Makes a request: for a transport of the app's own, which changes requests before another one
    /// sends them, and for tests.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    ///   - url: The whole address.
    ///   - headers: Headers to send, each name once.
    ///   - body: The bytes to send; empty for none.
    ///   - isOpenEnded: Whether the answer may stay open.
    public init(
        method: String, url: URL, headers: [(name: String, value: String)], body: [UInt8] = [],
        isOpenEnded: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isOpenEnded = isOpenEnded
    }
}

/// The head of an answer, and its body as it arrives.
public struct HTTPTransportResponse: Sendable {
    /// The HTTP status, such as 200.
    public let status: Int
    /// The headers, by the name in lower case.
    public let headers: [String: String]
    /// Pieces of the body as they arrive, still compressed or not. It ends with the body, and
    /// throws if the connection breaks before.
    public let body: AsyncThrowingStream<[UInt8], any Error>

    /// Makes what ``HTTPTransport/send(_:)`` returns.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: The headers, by the name in lower case.
    ///   - body: Pieces of the body as they arrive.
    public init(
        status: Int, headers: [String: String], body: AsyncThrowingStream<[UInt8], any Error>
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer whose whole body is there: what a test answers, or what a transport of the app's own
    /// makes of another one's answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: The headers, by the name in either case. Without `content-encoding` the body
    ///     counts as it is.
    ///   - body: The bytes of the body; empty for none.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
        let headers = headers.map { ($0.key.lowercased(), $0.value) }
        self.init(
            status: status, headers: Dictionary(headers) { _, last in last },
            body: AsyncThrowingStream { pieces in
                if !body.isEmpty { pieces.yield(body) }
                pieces.finish()
            })
    }
}

/// Carries requests to a server: URLSession, a transport of the app's own that changes what another
/// one carries, or what a test puts in its place.
///
/// A replica may send several requests at once, from any thread.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns when the head is here. It follows no redirect.
    ///
    /// If the task is cancelled before the head is here, or the body's stream is dropped, it breaks
    /// off the request.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The head, with any status, and the body as it arrives.
    /// - Throws: `CancellationError`, or a `HubError`, whose code the app gets. Any other
    ///   error means that the server was not reached. The body's stream throws the same.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}
