/// The bands that are checked in: a line for each count, `guard`, `count`, `expected` and `percent`, with
/// tabs between them. Lines that begin with `#` are comments.
struct BandFile {
    private var bands: [String: Band] = [:]

    init(_ text: String) throws {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard cells.count == 4, let expected = Double(cells[2]), let percent = Double(cells[3]),
                expected.isFinite, percent >= 0, percent.isFinite
            else { throw BenchmarkFailure("This is no band: \(line)") }
            bands["\(cells[0])\t\(cells[1])"] = Band(expected: expected, percent: percent)
        }
    }

    private static let versionsPrefix = "# Recorded with: "

    /// What the bands were recorded with; `nil` when the file does not say.
    static func versions(in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix(versionsPrefix) }
            .map { String($0.dropFirst(versionsPrefix.count)) }
    }

    func band(of kind: Counts.Kind, in name: String) -> Band? {
        bands["\(name)\t\(kind.rawValue)"]
    }

    /// - Parameter counts: What was counted. Widths stay as they are, and so does a band that the
    ///   count lies in: otherwise many small steps would move it further than one may be.
    func text(
        recording counts: [(name: String, counts: Counts)], versions: String
    ) -> String {
        var lines = [
            "# What hot paths take for each row or operation; Scripts/guards compares, and",
            "# Scripts/guards --record writes this file (docs/development/testing.md, Guards). The last number is",
            "# the width of the band in percent, and may be changed by hand.",
            Self.versionsPrefix + versions,
        ]
        for (name, counts) in counts {
            for (kind, value) in counts.named {
                let known = band(of: kind, in: name)
                let percent = known?.percent ?? Band.percent(of: kind)
                var expected = value
                if let known, known.range.contains(value) { expected = known.expected }
                lines.append(
                    "\(name)\t\(kind.rawValue)\t\(Report.text(expected, 2))\t\(Report.text(percent, 1))"
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
