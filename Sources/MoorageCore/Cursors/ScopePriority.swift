/// Which rows arrive first where a device has much to read.
public enum ScopePriority: String, Hashable, Sendable, CaseIterable {
    /// Before everything else.
    case high
    /// With everything for which the device named no priority.
    case normal
    /// After everything else.
    case low

    /// The place among all priorities, from 0 for those that come first.
    package var pass: Int {
        switch self {
        case .high: 0
        case .normal: 1
        case .low: 2
        }
    }
}
