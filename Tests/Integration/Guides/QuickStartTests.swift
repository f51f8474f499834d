import Foundation
import TestSupport
import Testing

/// The commands of README.md, as a shell runs them.
@Suite("The quick start", .ownThreads, .enabled(if: ChildProcess.command != nil))
struct QuickStartTests {
    /// The first block of a language on the page that has a text.
    private func block(_ language: String, with text: String) throws -> PageBlock {
        try #require(
            PageBlock.all(language).first { $0.page == "README.md" && $0.text.contains(text) })
    }

    /// The commands after the build, for a server on another port.
    private func script(port: Int) throws -> String {
        let lines = try block("sh", with: "moorage serve").lines
        let listening = "(exec 3<>/dev/tcp/127.0.0.1/\(port)) 2>/dev/null"
        return lines.joined(separator: "\n")
            .replacing(":8080", with: ":\(port)")
            .replacing(
                "sleep 2", with: "until \(listening); do jobs %1 >/dev/null; sleep 0.1; done")
    }

    @Test func `ends with a row that came from another device`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let command = try #require(ChildProcess.command)
        try await FreePort.start { port in
            let shell = try ChildProcess(
                ["-euc", script(port: port)],
                environment: [
                    "PATH": "\(command.deletingLastPathComponent().path):/usr/bin:/bin",
                    "MOORAGE_SECRET": "quick-start-secret",
                ], folder: URL(filePath: folder.path(".")), program: URL(filePath: "/bin/bash"))
            let status = await shell.wait()
            let lines = shell.text.split(separator: "\n").map(String.init)
            #expect(status == 0, "\(shell.text)")
            let shown = try block("text", with: "Lindvik").lines
            #expect(lines.filter { shown.contains($0) } == shown, "\(shell.text)")
        }
    }
}
