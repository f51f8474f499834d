import CZlib
import MoorageCore

/// Unpacks a gzip stream that came from outside, piece by piece, within a limit.
///
/// Unchecked: a stream is read by one task.
public final class GzipReader: @unchecked Sendable {
    /// What every gzip stream begins with; no message of ours does.
    public static let mark: [UInt8] = [0x1F, 0x8B]

    private var stream = z_stream()
    private let limit: Int
    private var total = 0
    /// The stream came to its end, and its checksum is right.
    public private(set) var isAtEnd = false

    /// - Parameter limit: How many bytes may come out in all.
    public init(limit: Int) {
        self.limit = limit
        let code = czlib_inflate_init(&stream, MAX_WBITS + 16)
        precondition(code == Z_OK, "zlib has no memory")
    }

    deinit { inflateEnd(&stream) }

    /// Unpacks a piece, and hands on what comes out in pieces of 64 KB at most.
    ///
    /// - Throws: ``HubError`` `malformed` for what is no gzip or goes on behind its end, `tooLarge`
    ///   beyond the limit; what `take` throws.
    public func read(_ piece: [UInt8], _ take: ([UInt8]) throws -> Void) throws {
        var next = 0
        while next < piece.count || (next == piece.count && stream.avail_out == 0 && next > 0) {
            guard !isAtEnd else { throw Self.malformed }
            var code = Z_OK
            let chunk = piece.withUnsafeBufferPointer { piece in
                [UInt8](unsafeUninitializedCapacity: 65_536) { chunk, count in
                    let rest = UnsafeBufferPointer(rebasing: piece[next...])
                    stream.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
                    stream.avail_in = UInt32(rest.count)
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    code = inflate(&stream, Z_NO_FLUSH)
                    count = chunk.count - Int(stream.avail_out)
                    next = piece.count - Int(stream.avail_in)
                    stream.next_in = nil
                }
            }
            switch code {
            case Z_OK: break
            case Z_STREAM_END: isAtEnd = true
            // Nothing is left to do with this piece.
            case Z_BUF_ERROR: return
            default: throw Self.malformed
            }
            total += chunk.count
            guard total <= limit else {
                throw HubError(.tooLarge, "What was compressed is larger than \(limit) bytes.")
            }
            if !chunk.isEmpty { try take(chunk) }
            if isAtEnd, next == piece.count { return }
        }
    }

    private static let malformed = HubError(.malformed, "The message is no gzip, or damaged.")
}
