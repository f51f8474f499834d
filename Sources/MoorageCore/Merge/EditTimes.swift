/// Places edits on the hub's clock, whatever the device's clock says (docs/design.md, 5.3, Times).
///
/// An edit lies between the moment the replica's previous batch was prepared and now. Within that
/// interval its own time decides, corrected by the offset measured in this exchange.
public struct EditTimes: Hashable, Sendable {
    /// Milliseconds to add to a time of the device.
    public let offset: Int64
    public let earliest: Int64
    public let now: Int64

    /// - Parameters:
    ///   - sentAt: The device's clock when it sent the request.
    ///   - now: The hub's clock when the request came in.
    ///   - previousBatch: When the replica's previous batch was prepared, by the hub's clock; `nil`
    ///     for the first.
    public init(sentAt: Int64, now: Int64, previousBatch: Int64?) {
        let (difference, overflow) = now.subtractingReportingOverflow(sentAt)
        offset = overflow ? (sentAt < 0 ? .max : .min) : difference
        self.now = now
        earliest = min(previousBatch ?? .min, now)
    }

    public func place(_ deviceTime: Int64, isAgain: Bool = false) -> Int64 {
        if planted(.deviceClockBelieved) { return deviceTime }
        let (sum, overflow) = deviceTime.addingReportingOverflow(offset)
        // A sum beyond 64 bits keeps its side, so that edits keep their order.
        let corrected = overflow ? (deviceTime < 0 ? .min : .max) : sum
        let time = min(corrected, now)
        // What is offered again was made at any time before: it must not gain by being late.
        return isAgain ? time : max(time, earliest)
    }
}
