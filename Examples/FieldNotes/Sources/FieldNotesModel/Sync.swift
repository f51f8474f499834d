import Foundation
import GRDB
import Moorage
import MoorageUI

/// The app's sync layer, whole: the replica, what runs it, and what screens show of it.
@MainActor public final class Sync {
    public nonisolated static let tables: [ReplicaTable] = [
        .table(Site.self, rowStates: true), .table(Note.self, rowStates: true),
    ]
    public let replica: Replica
    public private(set) lazy var state = ReplicaState(replica)
    public private(set) lazy var conflicts = ConflictsModel(replica)
    private lazy var lifeCycle = ReplicaLifeCycle(replica)
    private var events: AnyObject?

    public init(_ replica: Replica) { self.replica = replica }

    public convenience init(_ file: any DatabaseWriter, hub: URL, user: Session) async throws {
        let hub = ReplicaHub.http(hub, credentials: user.credentials)
        try await self.init(
            .open(database: file, hub: hub, tables: Self.tables, migrator: AppDatabase.migrator))
    }

    /// Stays in sync from now on, as the system allows.
    public func start() {
        #if canImport(UIKit)
            events = SystemEvents(reportedTo: lifeCycle, isInFront: true)
        #else
            lifeCycle.enteredForeground()
        #endif
    }

    /// Empties the file for another user. What was not sent is in the copy.
    public func startOver(archivingTo copy: URL) async throws {
        try await replica.startOver(archivingTo: copy.path)
        lifeCycle.enteredForeground()
    }
}
