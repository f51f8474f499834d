/// Converts edit times to the hub's clock, even where the device's clock is wrong
/// (docs/reference/hub.md, Times).
///
/// An edit lies between the preparation of the replica's previous batch and now. Within that
/// interval the device's time decides, corrected by the offset measured in this exchange.
package struct EditTimes: Hashable, Sendable {
    /// Milliseconds to add to a time of the device.
    package let offset: Int64
    package let earliest: HubTime
    package let now: HubTime

    /// - Parameters:
    ///   - sentAt: When the device sent the request.
    ///   - now: When the request came in.
    ///   - previousBatch: When the replica's previous batch was prepared; `nil` for the first.
    package init(sentAt: DeviceTime, now: HubTime, previousBatch: HubTime?) {
        offset = now.milliseconds(since: HubTime(milliseconds: sentAt.milliseconds))
        self.now = now
        earliest = min(previousBatch ?? HubTime(milliseconds: .min), now)
    }

    package func place(_ deviceTime: DeviceTime, isAgain: Bool = false) -> HubTime {
        // A sum that overflows becomes the largest or smallest number, so that edits keep their
        // order.
        let time = min(HubTime(milliseconds: (deviceTime + offset).milliseconds), now)
        // A change that is offered again can be older than the previous batch. It must not win by a
        // later time.
        return isAgain ? time : max(time, earliest)
    }
}
