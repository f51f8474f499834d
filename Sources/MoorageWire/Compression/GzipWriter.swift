#if canImport(CZlib)
    import CZlib
    import MoorageCore

    /// Compresses a stream as gzip (RFC 1952), piece by piece.
    ///
    /// It uses about 270 KB until it is released.
    ///
    /// Unchecked: one task writes a stream.
    package final class GzipWriter: @unchecked Sendable {
        /// zlib keeps the address of the stream.
        private let stream: UnsafeMutablePointer<z_stream>

        /// - Parameter level: 1 is the fastest. With the layout of blocks, more effort makes them only
        ///   a little smaller (docs/development/performance.md).
        /// - Throws: ``HubError`` `busy` when there is no memory.
        package init(level: Int32 = 1) throws {
            stream = .allocate(capacity: 1)
            stream.initialize(to: z_stream())
            // `deinit` runs after a throw, too.
            guard czlib_deflate_init(stream, level, MAX_WBITS + 16) == Z_OK else {
                throw HubError.noMemoryToCompress
            }
        }

        deinit {
            deflateEnd(stream)
            stream.deallocate()
        }

        /// Compresses a piece.
        ///
        /// - Parameter isLast: Ends the stream. Otherwise a reader can unpack everything up to here.
        package func write(_ piece: [UInt8], isLast: Bool = false) -> [UInt8] {
            var packed: [UInt8] = []
            piece.withUnsafeBufferPointer { piece in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
                stream.pointee.avail_in = UInt32(piece.count)
                var code = Z_OK
                repeat {
                    packed += [UInt8](unsafeUninitializedCapacity: 32_768) { chunk, count in
                        stream.pointee.next_out = chunk.baseAddress
                        stream.pointee.avail_out = UInt32(chunk.count)
                        code = deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
                        count = chunk.count - Int(stream.pointee.avail_out)
                    }
                    // The chunk is full, so there may be more output.
                } while stream.pointee.avail_out == 0 && code != Z_STREAM_END
                stream.pointee.next_in = nil
            }
            return packed
        }
    }
#endif
