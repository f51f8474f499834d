import Foundation
import Moorage
import MoorageSupport

/// A network in front of a server. It breaks at a boundary, which it counts over the heads and bodies
/// of all requests and answers, and stays broken until the next call of `cut`.
final class CutNetwork: HTTPTransport {
    enum Boundary: Sendable {
        case bytes(Int)
        /// A part is a request, the head of an answer, or its body.
        case parts(Int)
    }

    private struct State {
        /// What is left until it breaks; `nil` for never.
        var left: Boundary?
        var isDown = false
    }

    private let server: any HTTPTransport
    private let state = Locked(State())
    /// Whether an answer's body just ends where it is cut, as without `Content-Length`.
    private let isSilent: Bool

    init(_ server: any HTTPTransport, isSilent: Bool = false) {
        self.server = server
        self.isSilent = isSilent
    }

    /// - Returns: Whether the network broke since the last call.
    @discardableResult func cut(after boundary: Boundary?) -> Bool {
        state.withLock { state in
            defer { state = State(left: boundary) }
            return state.isDown
        }
    }

    /// - Returns: How many of these bytes arrive.
    private func pass(_ bytes: Int) -> Int {
        state.withLock { state in
            if state.isDown { return 0 }
            switch state.left {
            case nil: return bytes
            case .parts(0):
                state.isDown = true
                return 0
            case .parts(let left):
                state.left = .parts(left - 1)
                return bytes
            case .bytes(let left):
                let passed = min(bytes, left)
                state.left = .bytes(left - passed)
                state.isDown = passed < bytes
                return passed
            }
        }
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var head = "\(request.method) \(request.url.path) HTTP/1.1\r\n\r\n"
        for header in request.headers { head += "\(header.name): \(header.value)\r\n" }
        let asked = head.utf8.count + request.body.count
        guard pass(asked) == asked else { throw URLError(.networkConnectionLost) }
        let response = try await server.send(request)
        let told =
            "HTTP/1.1 200 OK\r\n\r\n".utf8.count
            + response.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 }
        guard pass(told) == told else { throw URLError(.networkConnectionLost) }
        var body: [UInt8] = []
        for try await chunk in response.body { body += chunk }
        let passed = body.isEmpty ? 0 : pass(body.count)
        let (arrived, isWhole) = (Array(body.prefix(passed)), passed == body.count)
        let isSilent = isSilent
        return HTTPTransportResponse(
            status: response.status, headers: response.headers,
            body: AsyncThrowingStream { continuation in
                if !arrived.isEmpty { continuation.yield(arrived) }
                continuation.finish(
                    throwing: isWhole || isSilent ? nil : URLError(.networkConnectionLost))
            })
    }
}
