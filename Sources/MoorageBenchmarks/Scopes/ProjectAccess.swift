/// Why a device gets the rows of its projects.
enum ProjectAccess: CaseIterable {
    /// The claim of its user names them.
    case claim
    /// The claim names them, and the device subscribed to each.
    case subscription
    /// The claim names all projects that there are, and the device subscribed to its own.
    case subscriptionAmongAll

    var isOnRequest: Bool { self != .claim }

    var name: String {
        switch self {
        case .claim: "10 projects by a claim"
        case .subscription: "10 subscriptions, of 10 projects that the user may see"
        case .subscriptionAmongAll: "10 subscriptions, of all projects"
        }
    }
}
