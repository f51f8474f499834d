/// Prints the guards' counts beside their bands, as they come, and keeps what lies outside.
struct GuardTable {
    let bands: BandFile
    private(set) var outside: [String] = []

    init(bands: BandFile) {
        self.bands = bands
        Report.write("| path | count | each | band | ratio | |")
        Report.write("|---|---|---|---|---|---|")
    }

    mutating func add(_ name: String, _ counts: Counts) {
        for (kind, value) in counts.named {
            let count = kind.rawValue
            guard let band = bands.band(of: kind, in: name) else {
                outside.append("\(name), \(count): there is no band")
                write(name, count, value, "none", "", "!")
                continue
            }
            let (low, high) = (band.range.lowerBound, band.range.upperBound)
            let isInside = band.range.contains(value)
            write(
                name, count, value, "\(Report.text(low, 2)) to \(Report.text(high, 2))",
                band.expected == 0 ? "" : Report.text(value / band.expected, 3),
                isInside ? "" : "!")
            if isInside { continue }
            let side =
                value > high
                ? "more than \(Report.text(high, 2))" : "less than \(Report.text(low, 2))"
            outside.append("\(name), \(count): \(Report.text(value, 2)) is \(side)")
        }
    }

    private func write(
        _ name: String, _ count: String, _ value: Double, _ band: String, _ ratio: String,
        _ flag: String
    ) {
        Report.write(
            "| \(name) | \(count) | \(Report.text(value, 2)) | \(band) | \(ratio) | \(flag) |")
    }

    /// - Parameters:
    ///   - versions: What was counted with.
    ///   - recorded: What the bands were recorded with.
    func explain(versions: String, recorded: String?) {
        Report.write("\nOutside of the bands:")
        for line in outside { Report.write("  \(line)") }
        Report.write("Counted with:  \(versions)")
        Report.write("Recorded with: \(recorded ?? "unknown")")
        Report.write(
            """
            What became more is to be mended, or its reason told with the new band; what became less \
            wants a new band, so that it stays. Scripts/guards --record writes the bands. Where \
            only the versions differ, record them again from the commit before.
            """)
    }
}
