public import MoorageCore
import MoorageWire

/// A hub that goes on in another central database, into which the owner copied the rows
/// (docs/decisions/0103-moves-and-restores.md).
public struct HubMove: Hashable, Sendable {
    /// Milliseconds by which the clocks of the two databases may differ. An answer that counts as
    /// older than the copy would be lost.
    static let margin: Int64 = 300_000

    /// The hub's id, which ``RestoreReport/hub`` shows.
    public let hub: String
    /// When the rows were copied, by the clock of the database that they were copied into. Until
    /// then the old database may have answered replicas. `nil` for the time of the attach.
    public let copiedAt: HubTime?

    /// - Parameters:
    ///   - hub: The hub's id.
    ///   - copiedAt: When the copy began; leave it out where no replica synced with the old
    ///     database since.
    public init(hub: String, copiedAt: HubTime? = nil) {
        self.hub = hub
        self.copiedAt = copiedAt
    }

    /// Whether a text has the form of a hub's id: a UUID in lower case.
    package static func isHubID(_ text: String) -> Bool {
        guard let bytes = UUIDText.bytes(text) else { return false }
        return UUIDText.text(bytes).hasSameBytes(as: text)
    }
}

extension Metadata {
    /// Checks that this database may go on as the hub of a move.
    ///
    /// - Parameter isThere: Whether the database has Moorage's own tables.
    /// - Throws: ``HubError`` `differentHub` where the database is attached as another hub. It is
    ///   `configuration` where the id has another form. It is the same where the database is this
    ///   hub already, and has met replicas or was never a copy.
    func check(_ move: HubMove, isThere: Bool) throws {
        guard HubMove.isHubID(move.hub) else { throw HubError.noHubID(move.hub) }
        guard isThere, let own = try value("hub") else { return }
        guard own.hasSameBytes(as: move.hub) else {
            throw HubError.attachedAsOtherHub(own, not: move.hub)
        }
        // Replicas would not offer again what this database answered before it was restored.
        guard try value("copied_at") != nil, try !hasMetReplicas() else {
            throw HubError.attachedAsThisHub(own)
        }
    }

    private func hasMetReplicas() throws -> Bool {
        try !connection.run("SELECT 1 FROM moorage_replica LIMIT 1", []).isEmpty
    }

    /// Records when the rows were copied. A time that has not come yet counts as now.
    func record(_ move: HubMove) throws {
        let now = try connection.now()
        let named = move.copiedAt.map { $0 - HubMove.margin }
        try setCopied(at: min(named ?? now, now))
    }
}
