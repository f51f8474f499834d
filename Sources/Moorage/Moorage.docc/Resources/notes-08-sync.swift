import Foundation
import GRDB
import Moorage

func openReplica(_ database: DatabasePool) async throws -> Replica {
    try await Replica.open(
        database: database,
        hub: .http(
            URL(string: "http://127.0.0.1:8080")!,
            secret: ProcessInfo.processInfo.environment["MOORAGE_SECRET"]),
        tables: [.table(Note.self, firstContact: .upload)],
        migrator: Note.migrator)
}
