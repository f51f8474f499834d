public import Foundation

/// One HTTP request.
public struct HTTPTransportRequest: Sendable {
    public let method: String
    public let url: URL
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
    /// Whether the answer may stay open. Then only its silence has a limit, not its total time.
    public let isOpenEnded: Bool

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
    public let status: Int
    /// By the name in lower case.
    public let headers: [String: String]
    public let body: AsyncThrowingStream<[UInt8], any Error>

    public init(
        status: Int, headers: [String: String], body: AsyncThrowingStream<[UInt8], any Error>
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Carries requests to a server: URLSession, or what a test puts in its place.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns when the head is here.
    ///
    /// - Throws: `CancellationError`; any other error means that the server was not reached. The
    ///   body's stream throws the same.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}
