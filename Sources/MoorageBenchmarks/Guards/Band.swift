/// Where a count must lie.
struct Band {
    let expected: Double
    /// Of the expected count, to either side.
    let percent: Double

    /// Steps and allocations are the same in each run. How much memory is asked for also goes by what the
    /// allocator had at hand.
    static func percent(of kind: Counts.Kind) -> Double { kind == .bytes ? 5 : 1 }

    /// What is next to nothing may swing by more than a percentage of it.
    private static let slack = 0.05

    var range: ClosedRange<Double> {
        let width = max(abs(expected) * percent / 100, Self.slack)
        return (expected - width)...(expected + width)
    }
}
