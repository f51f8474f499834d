import Foundation

#if canImport(Glibc)
    import Glibc
    private let streamSocket = Int32(SOCK_STREAM.rawValue)
    private let quietly = Int32(MSG_NOSIGNAL)
#else
    import Darwin
    private let streamSocket = SOCK_STREAM
    private let quietly = Int32(0)
#endif

/// One blocking TCP socket on the loopback. It closes once, when its last owner releases it.
final class Socket: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        #if !canImport(Glibc)
            var isOn: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, 4)
        #endif
    }

    deinit { close(descriptor) }

    /// Listens on a free port.
    static func listening() throws -> Socket {
        let socket = try Socket.made()
        let isBound = withAddress(port: 0) { bind(socket.descriptor, $0, $1) }
        guard isBound == 0, listen(socket.descriptor, 64) == 0 else {
            throw Failure(description: "listen: \(errno)")
        }
        return socket
    }

    static func connected(to port: Int) throws -> Socket {
        let socket = try Socket.made()
        let result = withAddress(port: port) { connect(socket.descriptor, $0, $1) }
        guard result == 0 else { throw Failure(description: "connect: \(errno)") }
        return socket
    }

    private static func made() throws -> Socket {
        let descriptor = Foundation.socket(AF_INET, streamSocket, 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
        return Socket(descriptor: descriptor)
    }

    private static func withAddress(
        port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    var port: Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : 0
    }

    /// The next connection, or `nil` when none comes for a moment.
    func accepted() -> Socket? {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&question, 1, 100) == 1 else { return nil }
        let descriptor = accept(self.descriptor, nil, nil)
        return descriptor >= 0 ? Socket(descriptor: descriptor) : nil
    }

    /// Waits for bytes. Returns 0 at the end of the stream, or when it broke.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    /// - Returns: Whether all bytes were sent.
    func sendAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, quietly)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Ends the outgoing stream. The other side may go on sending.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Wakes whoever waits on it for bytes. Closing it then resets the connection, as when a
    /// process is gone or a network gives up.
    func breakOff() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RD))
    }
}
