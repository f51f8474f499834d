import Foundation
import MoorageTesting
import TestSupport
import Testing

/// A connection that ends in good order in the middle of an answer's head, as when a proxy stops.
@Suite(.ownThreads, .enabled(if: FireDevice.program != nil))
struct `An answer's head that is cut off` {
    @Test func `is a hub that cannot be reached`() async throws {
        try await FileManager.withTemporaryFolder("cut", in: ScratchFolder.parent) { folder in
            let listener = try Socket.listening()
            let client = try ChildProcess(
                [
                    folder.appending(path: "device.db").path, "http://127.0.0.1:\(listener.port)",
                    "item",
                ], environment: ["SWIFT_BACKTRACE": "enable=no"], folder: folder,
                program: FireDevice.program)
            try await eventually("the client has said what it met") {
                if let connection = listener.accepted() { Self.answer(connection) }
                return !client.isRunning || client.text.contains("\n")
            }
            _ = await client.killNow()
            #if canImport(FoundationNetworking)
                // Here Foundation's URLSession on Linux may end the program with its known trap,
                // and with no other error.
                #expect(
                    client.text.hasPrefix("later ") || client.text.contains(FireDevice.knownTrap))
            #else
                #expect(client.text.hasPrefix("later "))
            #endif
        }
    }

    private static func answer(_ connection: Socket) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        _ = connection.receive(buffer)
        _ = Array("HTTP/1.1 200 OK\r\nContent-Ty".utf8).withUnsafeBytes { connection.sendAll($0) }
        connection.finishSending()
    }
}
