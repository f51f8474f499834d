extension Duration {
    /// Whole milliseconds. A duration that does not fit becomes the longest or shortest one that
    /// does.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, more) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !overflow, !more else { return seconds < 0 ? .min : .max }
        return sum
    }

    /// Seconds with their fraction.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
