import Foundation

/// A small disk in memory with a PostgreSQL server's data.
final class SmallDisk {
    struct CannotMount: Error, CustomStringConvertible {
        let description: String
    }

    private static let megabytes = 80
    private let folder: URL
    private var data: URL { folder.appending(path: "data") }
    private var ballast: URL { data.appending(path: "ballast") }

    private init(folder: URL) { self.folder = folder }

    static func makePostgres() async throws -> (SmallDisk, OwnPostgres) {
        var disk: SmallDisk?
        do {
            let server = try await OwnPostgres.make { data in
                let mounted = SmallDisk(folder: data.deletingLastPathComponent())
                try await mounted.mount()
                disk = mounted
            }
            guard let disk else { throw CannotMount(description: "no disk was made") }
            return (disk, server)
        } catch {
            try await disk?.unmount()
            throw error
        }
    }

    private func mount() async throws {
        let mount = try ChildProcess(
            [
                "mount", "-t", "tmpfs", "-o", "size=\(Self.megabytes)m,mode=700", "tmpfs",
                data.path,
            ], folder: folder, program: URL(fileURLWithPath: "/usr/bin/env"))
        guard await mount.wait() == 0 else {
            let words = mount.text
            try FileManager.default.removeItem(at: folder)
            throw CannotMount(description: words)
        }
    }

    private func unmount() async throws {
        let unmount = try ChildProcess(
            ["umount", data.path], folder: FileManager.default.temporaryDirectory,
            program: URL(fileURLWithPath: "/usr/bin/env"))
        await unmount.wait()
        try unmount.removeOutput()
    }

    /// Fills the rest of the disk, down to the last bytes.
    func fill() throws {
        guard FileManager.default.createFile(atPath: ballast.path, contents: nil),
            let file = FileHandle(forWritingAtPath: ballast.path)
        else { throw CannotMount(description: "no ballast") }
        for size in [1 << 20, 1 << 12] {
            let piece = Data(repeating: 0, count: size)
            while (try? file.write(contentsOf: piece)) != nil {}
        }
        try file.close()
    }

    func makeRoom() throws { try FileManager.default.removeItem(at: ballast) }

    func remove(_ server: OwnPostgres) async throws {
        await server.server.end()
        try await unmount()
        try await server.server.remove()
    }
}
