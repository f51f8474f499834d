/// How a hub finds out that it has something for a replica that is away.
public struct NewsPolicy: Hashable, Sendable {
    /// The shortest time between two polls.
    public var interval: Duration = .seconds(2)
    /// How many replicas the hub watches; about 2 kB of memory each. Of more, it watches those that
    /// came first.
    public var maximumReplicas = 50_000
    /// A replica that is away for longer is not watched any more.
    public var maximumAbsence: Duration = .seconds(30 * 86_400)

    /// The default values.
    public init() {}
}
