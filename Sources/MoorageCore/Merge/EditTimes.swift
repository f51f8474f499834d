/// Places edits on the hub's clock, whatever the device's clock says (docs/design.md, 5.3, Times).
///
/// An edit lies between the moment the replica's previous batch was prepared and now. Within that
/// interval its own time decides, corrected by the offset measured in this exchange.
public struct EditTimes: Hashable, Sendable {
    /// Milliseconds to add to a time of the device.
    public let offset: Int64
    public let earliest: HubTime
    public let now: HubTime

    /// - Parameters:
    ///   - sentAt: When the device sent the request.
    ///   - now: When the request came in.
    ///   - previousBatch: When the replica's previous batch was prepared; `nil` for the first.
    public init(sentAt: DeviceTime, now: HubTime, previousBatch: HubTime?) {
        offset = now.milliseconds(since: HubTime(milliseconds: sentAt.milliseconds))
        self.now = now
        earliest = min(previousBatch ?? HubTime(milliseconds: .min), now)
    }

    public func place(_ deviceTime: DeviceTime, isAgain: Bool = false) -> HubTime {
        // A sum beyond 64 bits keeps its side, so that edits keep their order.
        let time = min(HubTime(milliseconds: (deviceTime + offset).milliseconds), now)
        // What is offered again was made at any time before: it must not gain by being late.
        return isAgain ? time : max(time, earliest)
    }
}
