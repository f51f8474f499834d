/// Whether this build can compress messages and unpack them. Windows has no zlib of its own.
package enum Compression {
    #if canImport(CZlib)
        package static let isAvailable = true
    #else
        package static let isAvailable = false
    #endif

    /// The name of the encoding in `Content-Encoding`.
    package static let name = "gzip"
    /// The first bytes of every gzip stream. None of our messages begins with them.
    package static let magic: [UInt8] = [0x1F, 0x8B]
}
