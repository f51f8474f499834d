// An app that imports Moorage alone, and has types of its own with names that Moorage has inside.
// Scripts/check-api compiles it as another package does. It never runs.
import Foundation
import GRDB
import Moorage

struct Note: Codable, FetchableRecord, PersistableRecord { var id: Int64, text: String }
struct Page { var notes: [Note] }
struct Scope { var name: String }
struct Change { var note: Note }
struct Batch { var changes: [Change] }
struct Conflict { var change: Change }
struct Checkpoint { var page: Page }
struct Key: Hashable { var id: Int64 }

func open(_ file: DatabaseQueue, _ url: URL) async throws -> Replica {
    var options = ReplicaOptions()
    options.maximumRowsPerPage = 500
    return try await Replica(
        database: file, hub: .http(url, credentials: .token { _ in "token" }),
        tables: [.table("note")], options: options)
}

func open(_ file: DatabaseQueue, beside hub: DirectConnection) async throws -> Replica {
    try await Replica(database: file, hub: .direct(hub), tables: [.table("note")])
}

func texts(_ replica: Replica) async throws -> [String] {
    try await replica.pendingChanges.fetch().map { change in
        let values = change.key.values.map { value in
            switch value {
            case .null: "null"
            case .integer(let integer): "\(integer)"
            case .real(let real): "\(real)"
            case .text(let text): text
            case .blob(let bytes): "\(bytes.count) bytes"
            }
        }
        return values.joined(separator: ", ")
    }
}

func reason(_ refused: RefusedChange) -> String? {
    refused.code == .foreignKey || refused.code == Refusal.Code.unique ? refused.message : nil
}

func isOffline(_ error: ReplicaError) -> Bool {
    error.code == .hub(.unreachable) || (error.cause as? HubError)?.code == .unreachable
}

func notes(_ replica: Replica) async throws -> [Note] {
    try await replica.overruledChanges.fetch().compactMap(\.mine).map { try Note(row: Row($0)) }
}

func follow(_ replica: Replica) async throws {
    for try await refused in replica.refusedChanges.values() where !refused.isEmpty { return }
}

func preview() -> (ReplicaStatus, PendingChange) {
    var status = ReplicaStatus()
    status.phase = .idle
    status.pendingCount = 1
    let change = PendingChange(
        table: "note", key: RowKey([.integer(1)]), kind: .update,
        before: ["text": .text("old")], after: ["text": .text("new")], editedAt: Date())
    return (status, change)
}
