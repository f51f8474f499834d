import Foundation
import TestSupport
import Testing

@Suite("The command serve", .ownThreads, .enabled(if: ChildProcess.command != nil))
struct ServeStartTests {
    /// A folder with an attached example.
    private func withShop(_ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let place = URL(filePath: folder.path("."))
        for command in ["sample", "attach"] {
            let process = try ChildProcess([command, "sqlite:shop.db"], folder: place)
            #expect(await process.wait() == 0, "\(process.text)")
        }
        try await body(place)
    }

    private func serve(port: Int, in folder: URL) throws -> ChildProcess {
        try ChildProcess(
            ["serve", "sqlite:shop.db", "--listen", "127.0.0.1:\(port)"],
            environment: ["MOORAGE_SECRET": "quick-start-secret"], folder: folder)
    }

    @Test func `says what it serves once it listens`() async throws {
        try await withShop { folder in
            let server = try serve(port: 0, in: folder)
            try await eventually("the server listens, or has ended") {
                server.text.contains("Listening on ") || !server.isRunning
            }
            #expect(server.text.contains("Serving "))
            await server.stop()
        }
    }

    @Test func `says nothing of it on a port that is taken`() async throws {
        let taken = try ClosedPort()
        try await withShop { folder in
            let server = try serve(port: taken.number, in: folder)
            #expect(await server.wait() == 78)
            #expect(server.text.contains("127.0.0.1:\(taken.number)"))
            #expect(!server.text.contains("Serving "))
        }
        withExtendedLifetime(taken) {}
    }
}
