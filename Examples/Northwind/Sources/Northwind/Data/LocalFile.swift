import Foundation
import GRDB

/// The app's own database file: plain GRDB.
enum LocalFile {
    /// Whether the file contains a complete copy.
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    static func open(_ path: String) throws -> DatabaseQueue {
        guard exists(path) else {
            throw AppError(
                "There is no \(path) yet. While the hub can be reached: northwind login <name>")
        }
        return try DatabaseQueue(path: path)
    }
}
