#if !canImport(CZlib)
    /// What the client links where there is no zlib: it never asks for compressed answers, and
    /// refuses one that comes all the same.
    package final class GzipReader: Sendable {
        package init(limit: Int) throws { throw HubError.noCompression }

        package var isAtEnd: Bool { true }

        package func add(_ piece: [UInt8]) {}

        package func read() throws(HubError) -> [UInt8]? { throw HubError.noCompression }
    }

    /// It cannot be made: ask ``Compression/isAvailable`` first.
    package final class GzipWriter: Sendable {
        package init(level: Int32 = 1) throws { throw HubError.noCompression }

        package func write(_ piece: [UInt8], isLast: Bool = false) -> [UInt8] { piece }
    }
#endif
