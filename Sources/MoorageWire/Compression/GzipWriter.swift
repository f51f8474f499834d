import CZlib

/// Compresses a stream as gzip (RFC 1952), piece by piece.
///
/// It holds about 270 KB until it is gone.
///
/// Unchecked: a stream is written by one task.
public final class GzipWriter: @unchecked Sendable {
    private var stream = z_stream()

    /// What the encoding is called in `Content-Encoding`.
    public static let name = "gzip"

    /// Level 1: pages are laid out so that more effort makes them little smaller (docs/performance.md).
    public init(level: Int32 = 1) {
        let code = czlib_deflate_init(&stream, level, MAX_WBITS + 16)
        precondition(code == Z_OK, "zlib has no memory")
    }

    deinit { deflateEnd(&stream) }

    /// Compresses a piece.
    ///
    /// - Parameter isLast: Ends the stream; otherwise what comes out can be unpacked up to here.
    public func write(_ piece: [UInt8], isLast: Bool = false) -> [UInt8] {
        var packed: [UInt8] = []
        piece.withUnsafeBufferPointer { piece in
            stream.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
            stream.avail_in = UInt32(piece.count)
            var code = Z_OK
            repeat {
                let chunk = [UInt8](unsafeUninitializedCapacity: 32_768) { chunk, count in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    code = deflate(&stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
                    count = chunk.count - Int(stream.avail_out)
                }
                packed += chunk
                // Full to the brim: there may be more.
            } while stream.avail_out == 0 && code != Z_STREAM_END
            stream.next_in = nil
        }
        return packed
    }
}
