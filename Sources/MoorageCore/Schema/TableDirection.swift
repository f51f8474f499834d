/// Which way the rows of a table travel. The hub decides.
public enum TableDirection: String, Hashable, Sendable, CaseIterable {
    /// Both ways: a device receives rows and sends its changes.
    case both
    /// From the hub alone: the device's own writes fail at once.
    case down
    /// From the hub alone: the device's own writes are allowed, and the next exchange reverts them.
    case downReverting
    /// To the hub alone: a device sends its own rows and receives no rows.
    case up

    /// Whether the hub takes changes of it.
    public var acceptsChanges: Bool { self == .both || self == .up }
    /// Whether devices receive its rows.
    public var isReceived: Bool { self != .up }
}
