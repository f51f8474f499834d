/// Where an answer lists a row. Here is the hub, and there is the client.
enum ManifestSection: String, CaseIterable, Hashable, Sendable {
    case missingHere, missingThere, newerHere, newerThere, conflicting, gone

    /// How a client's row compares with the hub's.
    enum Comparison: Hashable, Sendable {
        /// The client names what the hub has.
        case same
        /// The hub has a later one than the client names.
        case laterHere
        /// The client has a later one than the hub.
        case laterThere
        /// The two differ, and nothing says which one is later.
        case different
        /// The client names nothing that could be compared.
        case unknown
    }
}

extension ManifestEntry {
    /// The section of a row that the hub has; `nil` where both have the same.
    func section(_ comparison: ManifestSection.Comparison) -> ManifestSection? {
        switch comparison {
        case .same:
            // The same digest is the same row, whoever wrote it.
            if case .digest = state, !isDeleted { return nil }
            return hasChanged ? .newerThere : nil
        case .laterThere: return .newerThere
        case .laterHere: return hasChanged ? .conflicting : .newerHere
        case .different: return isSynced == true ? .newerHere : .conflicting
        case .unknown:
            if isDeleted { return .newerThere }
            return isSynced == true ? .newerHere : .conflicting
        }
    }

    /// The section of a row that the hub does not have.
    ///
    /// - Parameter wasHere: Whether the hub remembers one that is gone.
    func sectionWithoutRow(wasHere: Bool) -> ManifestSection {
        isGoneInAnyCase || wasHere ? .gone : .missingHere
    }

    /// Whether a row that the hub does not have is gone, whatever the hub remembers.
    var isGoneInAnyCase: Bool {
        if case .version = state { return true }
        return isDeleted || isSynced == true
    }

    /// Whether the client says that it changed the row.
    private var hasChanged: Bool { isDeleted || isSynced == false }
}
