#if Server
    import Foundation

    #if canImport(Glibc)
        import Glibc
        private let streamSocket = Int32(SOCK_STREAM.rawValue)
        private let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        import Darwin
        private let streamSocket = SOCK_STREAM
        private let descriptors = RLIMIT_NOFILE
    #endif

    /// A TCP connection that sends exactly the bytes that it gets, and reads what comes.
    ///
    /// Blocking calls run on threads of their own. Unchecked: a test uses it from one task.
    final class RawConnection: @unchecked Sendable {
        private let descriptor: Int32
        private var received: [UInt8] = []

        struct Failure: Error { let what: String }

        /// How many files and sockets this process may have open.
        static var maximumDescriptors: Int {
            var limit = rlimit()
            return getrlimit(descriptors, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
        }

        init(port: Int, receiveBuffer: Int32? = nil) throws {
            descriptor = socket(AF_INET, streamSocket, 0)
            // A safety net alone: no test waits for it.
            var timeout = timeval(tv_sec: 600, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
            if var receiveBuffer {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port)).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw Failure(what: "connect: \(errno)") }
        }

        deinit { close(descriptor) }

        /// Sends all of it; `false` when the other side has closed.
        @discardableResult
        func send(_ bytes: [UInt8]) async -> Bool {
            await blocking { [descriptor] in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(0x4000))
                    }
                    guard count > 0 else { return false }
                    rest = rest.dropFirst(count)
                }
                return true
            }
        }

        @discardableResult
        func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

        func finishSending() { shutdown(descriptor, Int32(1)) }

        /// Reads until the other side closes.
        func readToEnd() async -> String {
            while await readSome() {}
            return consume(received.count)
        }

        /// Reads up to and with a text; `nil` when the other side closes before it came.
        func read(through marker: String) async -> String? {
            let marker = Array(marker.utf8)
            while true {
                if let end = received.firstEnd(of: marker) { return consume(end) }
                guard await readSome() else { return nil }
            }
        }

        private func consume(_ count: Int) -> String {
            let text = String(decoding: received.prefix(count), as: UTF8.self)
            received.removeFirst(count)
            return text
        }

        private func readSome() async -> Bool {
            let piece = await blocking { [descriptor] in
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &buffer, buffer.count, 0)
                return Array(buffer.prefix(max(0, count)))
            }
            received += piece
            return !piece.isEmpty
        }

        private func blocking<Result: Sendable>(
            _ work: @escaping @Sendable () -> Result
        ) async -> Result {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: work()) }
            }
        }
    }

    extension [UInt8] {
        fileprivate func firstEnd(of marker: [UInt8]) -> Int? {
            guard count >= marker.count else { return nil }
            return (0...(count - marker.count)).first {
                self[$0..<($0 + marker.count)].elementsEqual(marker)
            }.map { $0 + marker.count }
        }
    }

    /// An answer as it came: status, header fields in lower case, body without its chunks.
    struct RawAnswer {
        let status: Int
        let fields: [String: String]
        let body: String

        init(_ text: String) {
            let parts = text.splitOnce("\r\n\r\n")
            let lines = parts.0.components(separatedBy: "\r\n")
            status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
            var fields: [String: String] = [:]
            for line in lines.dropFirst() {
                let (name, value) = line.splitOnce(":")
                fields[name.lowercased()] = value.trimmingCharacters(in: .whitespaces)
            }
            self.fields = fields
            guard fields["transfer-encoding"] == "chunked" else {
                body = parts.1
                return
            }
            var rest = Array(parts.1.utf8)[...]
            var body: [UInt8] = []
            while let end = Array(rest).firstEnd(of: [13, 10]),
                let size = Int(String(decoding: rest.prefix(end - 2), as: UTF8.self), radix: 16),
                size > 0
            {
                rest = rest.dropFirst(end)
                body += rest.prefix(size)
                rest = rest.dropFirst(size + 2)
            }
            self.body = String(decoding: body, as: UTF8.self)
        }

        var lines: [String] { body.split(separator: "\n").map { String($0) } }
    }

    extension String {
        fileprivate func splitOnce(_ separator: String) -> (String, String) {
            guard let range = range(of: separator) else { return (self, "") }
            return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
        }
    }
#endif
