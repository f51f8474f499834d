package import Foundation
import MoorageCore
import MoorageSupport
package import MoorageWire

/// Requests to a server that is no hub, with the app's credentials and whole answers.
package struct PlainHTTP: Sendable {
    package let url: URL
    private let credentials: HubCredentials?
    private let scheme: String
    private let transport: any HTTPTransport
    private let allowsPlainHTTP: Bool
    private let maximumAnswerBytes: Int
    private let received = Locked(Int64(0))

    /// - Parameters:
    ///   - scheme: The word before the credentials; empty for none.
    ///   - maximumAnswerBytes: A larger answer is `tooLarge`, unpacked or not.
    package init(
        url: URL, credentials: HubCredentials?, scheme: String = "Bearer",
        transport: any HTTPTransport,
        allowsPlainHTTP: Bool, maximumAnswerBytes: Int
    ) {
        self.url = url
        self.credentials = credentials
        self.scheme = scheme
        self.transport = transport
        self.allowsPlainHTTP = allowsPlainHTTP
        self.maximumAnswerBytes = maximumAnswerBytes
    }

    /// An answer with any status.
    package struct Answer: Sendable {
        package let status: Int
        /// By their names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]
    }

    package func checkAddress() throws(HubError) {
        if let fault = AddressFault.of(url, allowsPlainHTTP: allowsPlainHTTP) {
            throw HubError(fault)
        }
    }

    package var bytesReceived: Int64 { received.withLock { $0 } }

    /// Scheme, host and port, for people.
    package var address: String? { url.serverAddress }

    /// Sends a request, and once more with another credential if the server answers 401.
    ///
    /// - Throws: ``HubError``, and `CancellationError`.
    package func send(
        _ method: String, _ url: URL, headers: [(name: String, value: String)],
        body: [UInt8] = [], counting bytes: ByteCount? = nil
    ) async throws -> Answer {
        try checkAddress()
        let first = try await credentials?.current(after: nil)
        let answer = try await send(method, url, headers, body, first, bytes)
        guard answer.status == 401, let first,
            let next = try await credentials?.current(after: first),
            !next.utf8.elementsEqual(first.utf8)
        else { return answer }
        return try await send(method, url, headers, body, next, bytes)
    }

    private func send(
        _ method: String, _ url: URL, _ headers: [(name: String, value: String)], _ body: [UInt8],
        _ credential: String?, _ bytes: ByteCount?
    ) async throws -> Answer {
        var headers = headers
        headers.append(
            ("Accept-Encoding", Compression.isAvailable ? Compression.name : "identity"))
        if let credential {
            let isBare = scheme.isEmpty
            headers.append(("Authorization", isBare ? credential : "\(scheme) \(credential)"))
        }
        bytes?.addSent(body.count)
        let response: HTTPTransportResponse
        do {
            response = try await transport.send(
                HTTPTransportRequest(method: method, url: url, headers: headers, body: body))
        } catch { throw HTTPFailure.readable(error) }
        var unpacked: [UInt8] = []
        var unpacking = Unpacking(limit: maximumAnswerBytes)
        let chunks = BodyChunks(
            base: response.body, received: received, counting: bytes,
            failure: HTTPFailure.readable)
        for try await packed in chunks {
            try unpacking.add(packed)
            while let chunk = try unpacking.next() { unpacked += chunk }
        }
        unpacked += unpacking.rest
        guard unpacking.isWhole else { throw HubError.connectionBroke }
        return Answer(status: response.status, headers: response.headers, body: unpacked)
    }
}

/// What a transport throws, as the app gets it.
enum HTTPFailure {
    static func readable(_ error: any Error) -> any Error {
        if error is CancellationError || Task.isCancelled { return CancellationError() }
        if error is HubError { return error }
        return HubError.unreachable(because: reason(error))
    }

    /// The error's own text. The system's text for a Swift error without one names its type.
    private static func reason(_ error: any Error) -> String {
        let system = error as NSError
        let isNamedByType =
            system.domain.contains(".") && system.userInfo[NSLocalizedDescriptionKey] == nil
        guard isNamedByType else { return system.localizedDescription }
        return (error as? any LocalizedError)?.errorDescription ?? "the connection failed"
    }
}

extension URL {
    /// Scheme, host and port.
    var serverAddress: String? {
        guard let host, !host.isEmpty else { return nil }
        var parts = URLComponents()
        parts.scheme = scheme
        parts.host = host
        parts.port = port
        return parts.string
    }
}
