#if canImport(CZlib)
    import CZlib
    import MoorageCore

    /// Unpacks a gzip stream that came from outside, piece by piece, within a limit.
    ///
    /// Unchecked: one task reads a stream.
    package final class GzipReader: @unchecked Sendable {
        private static let chunkBytes = 65_536

        /// zlib keeps the address of the stream.
        private let stream: UnsafeMutablePointer<z_stream>
        private let limit: Int
        private var total = 0
        private var piece: [UInt8] = []
        private var next = 0
        /// The last chunk was full, so there may be more output without more input.
        private var mayHaveMore = false
        /// Whether the stream has ended, with the right checksum.
        package private(set) var isAtEnd = false

        /// - Parameter limit: How many bytes may come out in total.
        /// - Throws: ``HubError`` `busy` when there is no memory.
        package init(limit: Int) throws {
            self.limit = limit
            stream = .allocate(capacity: 1)
            stream.initialize(to: z_stream())
            // `deinit` runs after a throw, too.
            guard czlib_inflate_init(stream, MAX_WBITS + 16) == Z_OK else {
                throw HubError.noMemoryToUnpack
            }
        }

        deinit {
            inflateEnd(stream)
            stream.deallocate()
        }

        /// Adds a piece, after the one before was read to its end.
        package func add(_ piece: [UInt8]) {
            self.piece = piece
            next = 0
        }

        /// The next chunk of what the piece contains, at most 64 KB; `nil` when the piece has no more.
        ///
        /// - Throws: ``HubError`` `malformed` for data that is no gzip or continues behind its end,
        ///   `tooLarge` beyond the limit.
        package func read() throws(HubError) -> [UInt8]? {
            while next < piece.count || mayHaveMore {
                guard !isAtEnd else { throw HubError.notGzip }
                var code = Z_OK
                let chunk = piece.withUnsafeBufferPointer { piece in
                    [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { chunk, count in
                        let rest = UnsafeBufferPointer(rebasing: piece[next...])
                        stream.pointee.next_in = UnsafeMutablePointer(mutating: rest.baseAddress)
                        stream.pointee.avail_in = UInt32(rest.count)
                        stream.pointee.next_out = chunk.baseAddress
                        stream.pointee.avail_out = UInt32(chunk.count)
                        code = inflate(stream, Z_NO_FLUSH)
                        count = chunk.count - Int(stream.pointee.avail_out)
                        next = piece.count - Int(stream.pointee.avail_in)
                        stream.pointee.next_in = nil
                    }
                }
                mayHaveMore = stream.pointee.avail_out == 0 && code == Z_OK
                switch code {
                case Z_OK: break
                case Z_STREAM_END: isAtEnd = true
                // Nothing is left to do with this piece.
                case Z_BUF_ERROR: mayHaveMore = false
                default: throw HubError.notGzip
                }
                guard chunk.count <= limit - total else {
                    throw HubError.unpackedTooLarge(limit)
                }
                total += chunk.count
                if !chunk.isEmpty { return chunk }
                if code == Z_BUF_ERROR { return nil }
            }
            return nil
        }
    }
#endif
