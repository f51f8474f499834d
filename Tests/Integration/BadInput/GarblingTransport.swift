import Foundation
import Moorage
import MoorageCore
import MoorageWire

/// A network that does something to the answers of one path; switched off, it lets all pass.
final class GarblingTransport: HTTPTransport {
    enum Damage: Sendable, CaseIterable {
        case cutInHalf, cutBeforeTheEnd, cutInsideALine, empty, html, flippedBytes, notJSON,
            nullBytes,
            twiceTheAnswer, framesSwapped, welcomeMissing, hugeNumbers, wrongClasses, emptyLines
    }

    private let base = URLSessionTransport()
    private let damage: Damage
    private let state = Flag()

    init(_ damage: Damage) { self.damage = damage }

    func heal() { state.clear() }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let response = try await base.send(request)
        guard state.isSet, request.url.path.hasSuffix("exchange") else { return response }
        var bytes: [UInt8] = []
        for try await chunk in response.body { bytes += chunk }
        let damaged = garbled(bytes)
        var headers = response.headers
        if damage == .html { headers["content-type"] = "text/html" }
        return HTTPTransportResponse(
            status: response.status, headers: headers,
            body: AsyncThrowingStream { continuation in
                continuation.yield(damaged)
                continuation.finish()
            })
    }

    private func garbled(_ bytes: [UInt8]) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = bytes.split(separator: newline).map(Array.init)
        func joined(_ lines: [[UInt8]]) -> [UInt8] { Array(lines.map { $0 + [newline] }.joined()) }
        switch damage {
        case .cutInHalf: return Array(bytes.prefix(bytes.count / 2))
        case .cutBeforeTheEnd: return joined(lines.dropLast())
        case .cutInsideALine: return Array(bytes.dropLast(5))
        case .empty: return []
        case .html: return Array("<html><body>Please sign in</body></html>".utf8)
        case .flippedBytes:
            return bytes.enumerated().map { $0.offset % 37 == 36 ? $0.element ^ 0x55 : $0.element }
        case .notJSON: return Array("welcome!\nto our network\n".utf8)
        case .nullBytes: return bytes.map { $0 == UInt8(ascii: "\"") ? 0 : $0 }
        case .twiceTheAnswer: return bytes + bytes
        case .framesSwapped: return joined(lines.reversed())
        case .welcomeMissing: return joined(Array(lines.dropFirst()))
        case .hugeNumbers: return Array(text.replacing("1", with: "1e999").utf8)
        case .wrongClasses: return Array(text.replacing("[", with: "{").utf8)
        case .emptyLines: return joined(lines.map { _ in Array("{}".utf8) })
        }
    }
}

/// Set until it is cleared.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = true
    var isSet: Bool { lock.withLock { value } }
    func clear() { lock.withLock { value = false } }
}
