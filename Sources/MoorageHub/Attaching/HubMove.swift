public import MoorageCore
import MoorageWire

/// A hub that goes on in another central database, into which the owner copied the rows
/// (docs/decisions/0103-moves-and-restores.md).
public struct HubMove: Hashable, Sendable {
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
    /// - Throws: ``HubError`` `configuration` where the id has another form, `differentHub` where
    ///   the database is attached as another hub.
    func check(_ move: HubMove, isAttached: Bool) throws {
        guard HubMove.isHubID(move.hub) else { throw HubError.noHubID(move.hub) }
        guard isAttached, let own = try value("hub"), !own.hasSameBytes(as: move.hub) else {
            return
        }
        throw HubError.attachedAsOtherHub(own, not: move.hub)
    }

    /// Records when the rows were copied. A time that has not come yet counts as now.
    func record(_ move: HubMove) throws {
        let now = try connection.now()
        try setCopied(at: min(move.copiedAt ?? now, now))
    }
}
