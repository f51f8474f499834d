/// A hub in this process, for a replica: the hub makes it, and the replica is given it.
///
/// It shows nothing of the messages between the two, which may change with every version.
public struct DirectConnection: Sendable {
    package let hub: any HubConnection

    package init(_ hub: any HubConnection) { self.hub = hub }
}
