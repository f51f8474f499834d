#if canImport(Glibc)
    import Glibc
    private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
    import Darwin
    private let streamSocket = SOCK_STREAM
#endif

/// Ports for servers that tests start, and may start again.
public enum FreePort {
    /// Below those that the system gives to connections, and to servers on port 0.
    private static let range = 20_000..<32_000
    private static let attempts = 5

    /// There is no such port to be had.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Starts a server on a free port. Another program may be faster to take it: then the server ends,
    /// and another port is tried, five in all.
    ///
    /// - Parameter start: Starts the server on the port that it gets; it throws where the server ends.
    /// - Returns: What `start` returned.
    /// - Throws: What the last try threw; ``Hang`` and a cancellation at once.
    public static func start<Result>(_ start: (Int) async throws -> Result) async throws -> Result {
        for _ in 1..<attempts {
            do { return try await start(find()) } catch let error where mayTryAgain(error) {}
        }
        return try await start(find())
    }

    private static func mayTryAgain(_ error: any Error) -> Bool {
        !(error is Hang) && !(error is CancellationError)
    }

    /// A port that nobody listens on at the moment.
    private static func find() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: range)
            if isFree(port) { return port }
        }
        throw Failure(description: "no port of \(range) is free")
    }

    /// Binds a socket, and closes it again at once.
    private static func isFree(_ port: Int) -> Bool {
        let handle = socket(AF_INET, streamSocket, 0)
        defer { close(handle) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
