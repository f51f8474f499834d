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

extension [Scope: ScopePriority] {
    /// Equal exactly when the priorities are; empty without any. It is a part of a scan's name, so
    /// that a scan in another order starts again.
    package var signature: String {
        if isEmpty { return "" }
        var fingerprint = Fingerprint()
        for (scope, priority) in sorted(by: { $0.key < $1.key }) {
            fingerprint.add(scope.name.utf8)
            fingerprint.add(UInt64(priority.pass))
        }
        return fingerprint.hex
    }
}
