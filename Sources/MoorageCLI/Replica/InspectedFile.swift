#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageConfiguration

    /// A replica's file on a connection that cannot write it. An app may be writing it meanwhile.
    /// Without a write-ahead log, a commit of the app waits while a report is read.
    final class InspectedFile: Sendable {
        let path: String
        private let queue: DatabaseQueue
        /// Where a copy is, which is read in the file's place; `nil` without one.
        let folder: URL?
        /// Whether somebody may have written the file while it was copied.
        let mayBeTorn: Bool

        var isCopy: Bool { folder != nil }

        /// - Throws: ``CommandFailure`` for a file that is no replica, and `metadataNewer`.
        init(_ path: String) async throws {
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure.noReplicaFile(path)
            }
            // SQLite's journals are beside the file, and not beside a link to it.
            let file = URL(filePath: path).resolvingSymlinksInPath().path
            self.path = file
            do {
                queue = try Self.open(file, readonly: true)
                folder = nil
                mayBeTorn = false
            } catch let error as DatabaseError where error.needsWriting {
                // The last write broke off, and nobody has undone or completed it since. That is a
                // write, and a copy is made for it.
                mayBeTorn = error.resultCode == .SQLITE_CANTOPEN
                let folder = try Self.copy(file, of: path)
                do {
                    let name = URL(filePath: file).lastPathComponent
                    queue = try Self.open(folder.appending(path: name).path, readonly: false)
                } catch {
                    Self.remove(folder)
                    throw Self.failure(error, path)
                }
                self.folder = folder
            } catch {
                throw Self.failure(error, path)
            }
            switch try await queue.read(ReplicaInspection.format) {
            case .noReplica: throw CommandFailure.notReplica(path)
            case .earlier: throw CommandFailure.earlierReplica(path)
            case .readable: break
            }
        }

        deinit { folder.map(Self.remove) }

        private static func open(_ path: String, readonly: Bool) throws -> DatabaseQueue {
            var configuration = Configuration()
            configuration.readonly = readonly
            configuration.busyMode = .timeout(10)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // A file that cannot be read fails here, and not in the middle of the work.
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
            return queue
        }

        private static func failure(_ error: any Error, _ path: String) -> CommandFailure {
            (error as? DatabaseError)?.resultCode == .SQLITE_NOTADB
                ? CommandFailure.notDatabase(path) : CommandFailure.unopenableFile(path)
        }

        /// Copies the file with its journals into a folder of its own.
        ///
        /// - Parameter path: As the user named it.
        private static func copy(_ file: String, of path: String) throws -> URL {
            let files = FileManager.default
            let folder = files.temporaryDirectory.appending(
                path: "moorage-inspect-\(UUID().uuidString)")
            // The rows are for nobody else on a computer that many use.
            try files.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            do {
                for suffix in ["", "-wal", "-journal"]
                where files.fileExists(atPath: file + suffix) {
                    let name = URL(filePath: file).lastPathComponent + suffix
                    try files.copyItem(
                        atPath: file + suffix, toPath: folder.appending(path: name).path)
                }
            } catch {
                remove(folder)
                throw CommandFailure.unopenableFile(path)
            }
            return folder
        }

        /// What stays in the folder for temporary files, the system removes.
        private static func remove(_ folder: URL) {
            try? FileManager.default.removeItem(at: folder)
        }

        // MARK: Reading

        /// Reads in one transaction, so that all is of one moment.
        func read<Result: Sendable>(
            _ body: @escaping @Sendable (ReplicaInspection) throws -> Result
        ) async throws -> Result {
            try await queue.read { [path] db in
                try body(try ReplicaInspection(db, path: path))
            }
        }

        /// The address of the hub that a command last synced the file with; `nil` without one.
        func address() async throws -> String? {
            try await queue.read { try ReplicaFile.value("address", in: $0) }
        }

        /// A number that is another one after each commit of others.
        func version() async throws -> Int {
            try await queue.read { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
        }
    }

    extension DatabaseError {
        /// A connection that may only read cannot read the file as it is.
        fileprivate var needsWriting: Bool {
            [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(resultCode)
        }
    }
#endif
