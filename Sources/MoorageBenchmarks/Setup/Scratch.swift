import Foundation
import MoorageTesting

/// A folder that is removed at the end.
enum Scratch {
    static func with(_ body: @Sendable (URL) async throws -> Void) async throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "moorage-bench-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try await body(folder)
        } catch {
            try files.removeFolder(at: folder)
            throw error
        }
        try files.removeFolder(at: folder)
    }
}
