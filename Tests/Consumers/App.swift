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
    return try await Replica.open(
        database: file, hub: .http(url, credentials: .token { _ in "token" }),
        tables: [.table(Note.self)], migrator: DatabaseMigrator(), options: options)
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

func buttons(_ replica: Replica, _ file: DatabaseQueue) async throws -> [Bool] {
    let rights = try await replica.rights(on: "note")
    let observed: WriteRights = try await file.read { try replica.rights($0, on: "note") }
    let none = WriteRights(mayInsert: false, fixedOnUpdate: ["text"])
    return [
        rights.mayInsert, rights.mayUpdate, rights.mayDelete, rights.mayMove,
        rights.mayInsert(column: "text"), rights.mayUpdate(column: "text"), observed == none,
    ]
}

func open(project: Int64, _ replica: Replica) async throws -> [String] {
    let (scope, priority): (String, ScopePriority) = ("project/\(project)", .high)
    try await replica.subscribe(to: scope, priority: priority, timeToLive: .seconds(86_400))
    for try await subscriptions in replica.subscriptions.values() {
        let state = subscriptions.first { $0.scope == scope }?.state
        if state == .complete { break }
        if state == .unavailable { try await replica.unsubscribe(from: scope) }
    }
    let preview = Subscription(scope: scope, priority: .low, endsAt: Date(), state: .loading)
    let all: [Subscription] = try await replica.subscriptions.fetch() + [preview]
    return all.filter { $0.priority != .normal }.map { "\($0.id): \($0.priority.rawValue)" }
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
