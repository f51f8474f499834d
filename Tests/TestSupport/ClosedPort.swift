#if canImport(Glibc)
    import Glibc
    private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
    import Darwin
    private let streamSocket = SOCK_STREAM
#endif

/// A port of the loopback at which nobody listens, and that no other program gets meanwhile.
///
/// It is closed as long as the object lives: `withExtendedLifetime(port) {}` at a test's end.
public final class ClosedPort: Sendable {
    /// There is no such port to be had.
    public struct Failure: Error {
        public let what: String
    }

    public let number: Int
    private let descriptor: Int32

    /// Binds a socket that does not listen.
    public init() throws {
        let handle = socket(AF_INET, streamSocket, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(handle, address, size) == 0 ? getsockname(handle, address, &size) : -1
            }
        }
        guard result == 0 else {
            let what = "bind: \(errno)"
            close(handle)
            throw Failure(what: what)
        }
        descriptor = handle
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
