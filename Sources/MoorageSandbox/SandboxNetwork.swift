/// The way between a device of a sandbox and the hub.
public struct SandboxNetwork: Hashable, Sendable {
    enum Kind: Hashable {
        case offline
        /// Chances that a request, or its answer, gets lost; and how long a request takes.
        case online(lost: Double, delay: Duration)
    }

    let kind: Kind

    /// Everything arrives at once.
    public static let online = SandboxNetwork(kind: .online(lost: 0, delay: .zero))

    /// Nothing arrives.
    public static let offline = SandboxNetwork(kind: .offline)

    /// Requests get lost, and answers break off in the middle.
    ///
    /// - Parameter chance: How likely each of the two is, from 0 to 1.
    public static func lossy(_ chance: Double = 0.2) -> SandboxNetwork {
        SandboxNetwork(kind: .online(lost: chance, delay: .zero))
    }

    /// Each request waits before it arrives.
    ///
    /// - Parameter delay: How long, by the real clock.
    public static func slow(_ delay: Duration) -> SandboxNetwork {
        SandboxNetwork(kind: .online(lost: 0, delay: delay))
    }

    var isOffline: Bool { kind == .offline }
}
