import TestSupport
import Testing

/// What the proxy does to a stream, as both ends see it.
@Suite(.ownThreads) struct `The proxy` {
    private let proxy: TCPProxy
    private let client: Socket
    private let server: Socket

    init() async throws {
        proxy = try TCPProxy()
        let listener = try Socket.listening()
        proxy.lead(to: [listener.port])
        let port = try #require(proxy.url.split(separator: ":").last.flatMap { Int($0) })
        client = try Socket.connected(to: port)
        var accepted: Socket?
        try await eventually("the proxy has connected") {
            accepted = listener.accepted()
            return accepted != nil
        }
        server = try #require(accepted)
    }

    private func send(_ text: String, from socket: Socket) -> Bool {
        Array(text.utf8).withUnsafeBytes { socket.sendAll($0) }
    }

    /// Reads so many bytes, or fewer when the stream ends.
    private func read(_ count: Int, at socket: Socket) -> String {
        var result: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        while result.count < count {
            let some = socket.receive(buffer)
            guard some > 0 else { break }
            result += buffer[..<some]
        }
        return String(decoding: result, as: UTF8.self)
    }

    @Test func `passes both ways`() {
        #expect(send("question", from: client))
        #expect(read(8, at: server) == "question")
        #expect(send("answer", from: server))
        #expect(read(6, at: client) == "answer")
        proxy.close()
    }

    @Test func `cuts in the middle of an answer`() {
        proxy.inject(.cutAfter(bytes: 4, .down))
        #expect(send("question", from: client))
        #expect(read(8, at: server) == "question")
        _ = send("answer", from: server)
        // The reset may lose the last bytes. More than four bytes never arrive.
        #expect("answ".hasPrefix(read(6, at: client)))
        #expect(proxy.broken == 1)
        proxy.close()
    }

    @Test func `ends one way and goes on the other`() {
        #expect(send("a", from: client))
        #expect(read(1, at: server) == "a")
        proxy.inject(.halfClose(.down))
        #expect(read(1, at: client).isEmpty)
        #expect(send("b", from: client))
        #expect(read(1, at: server) == "b")
        proxy.close()
    }

    @Test func `what is delayed comes when it is healed`() {
        proxy.inject(.pause(.up))
        #expect(send("late", from: client))
        proxy.heal()
        #expect(read(4, at: server) == "late")
        proxy.close()
    }

    @Test func `a stream that lost bytes does not go on`() async throws {
        proxy.inject(.drop(.up))
        #expect(send("lost", from: client))
        #expect(send("back", from: server))
        #expect(read(4, at: client) == "back")
        try await eventually("the proxy has lost the bytes") { proxy.hasLost }
        proxy.heal()
        #expect(read(1, at: server).isEmpty)
        proxy.close()
    }
}
