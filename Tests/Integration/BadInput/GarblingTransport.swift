import Foundation
import Moorage
import MoorageCore
import MoorageWire

/// A network that damages the answers of one path. After ``heal()`` it passes every answer
/// unchanged.
final class GarblingTransport: HTTPTransport {
    enum Damage: Sendable, CaseIterable {
        case cutInHalf, cutBeforeTheEnd, cutInsideALine, empty, html, flippedBytes, notJSON,
            nullBytes,
            twiceTheAnswer, framesSwapped, welcomeMissing, hugeNumbers, wrongClasses, emptyLines
    }

    private let base = URLSessionTransport()
    private let damage: Damage
    private let encoding: WireEncoding
    private let state = Flag()

    /// - Parameter encoding: The encoding that requests ask the hub for.
    init(_ damage: Damage, in encoding: WireEncoding) {
        self.damage = damage
        self.encoding = encoding
    }

    func heal() { state.clear() }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let asked = request.headers.map { header in
            header.name == "Accept" && request.url.path.hasSuffix("exchange")
                ? (name: "Accept", value: encoding.answerType) : header
        }
        let response = try await base.send(
            HTTPTransportRequest(
                method: request.method, url: request.url, headers: asked, body: request.body))
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
        let text = String(decoding: bytes, as: UTF8.self)
        var reader = FrameReader(encoding, maximumFrameBytes: .max)
        reader.add(bytes)
        var frames: [[UInt8]] = []
        while let frame = try? reader.next() { frames.append(encoding.encoded(frame)) }
        func joined(_ frames: [[UInt8]]) -> [UInt8] { encoding.beginning + frames.joined() }
        let nothing: [UInt8] = encoding == .json ? Array("{}\n".utf8) : [3, 0] + Array("{}".utf8)
        switch damage {
        case .cutInHalf: return Array(bytes.prefix(bytes.count / 2))
        case .cutBeforeTheEnd: return joined(frames.dropLast())
        case .cutInsideALine: return Array(bytes.dropLast(5))
        case .empty: return []
        case .html: return Array("<html><body>Please sign in</body></html>".utf8)
        case .flippedBytes:
            return bytes.enumerated().map { $0.offset % 37 == 36 ? $0.element ^ 0x55 : $0.element }
        case .notJSON: return Array("welcome!\nto our network\n".utf8)
        case .nullBytes: return bytes.map { $0 == UInt8(ascii: "\"") ? 0 : $0 }
        case .twiceTheAnswer: return bytes + bytes
        case .framesSwapped: return joined(frames.reversed())
        case .welcomeMissing: return joined(Array(frames.dropFirst()))
        case .hugeNumbers: return Array(text.replacing("1", with: "1e999").utf8)
        case .wrongClasses: return Array(text.replacing("[", with: "{").utf8)
        case .emptyLines: return joined(frames.map { _ in nothing })
        }
    }
}

/// A flag that is set until it is cleared.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = true
    var isSet: Bool { lock.withLock { value } }
    func clear() { lock.withLock { value = false } }
}
