import Foundation

/// Measures groups of contenders, the repetitions interleaved, and prints medians with ratios to
/// the first of each group.
struct Report {
    /// - Parameter unit: What `rows` counts.
    func group(
        _ title: String, rows: Int, of unit: String = "rows", repetitions: Int,
        _ contenders: [Contender]
    ) async throws {
        var costs = [[Cost]](repeating: [], count: contenders.count)
        for repetition in 0..<repetitions {
            for (index, contender) in contenders.enumerated() {
                let work = try await contender.prepare(repetition)
                costs[index].append(try await Cost.measure(work))
            }
        }
        Self.write("\n### \(title) (\(rows) \(unit), median of \(repetitions))\n")
        Self.write("| way | wall ms | CPU ms | \(unit)/s | × wall | × CPU |")
        Self.write("|---|---|---|---|---|---|")
        let first = Self.median(costs[0])
        for (contender, costs) in zip(contenders, costs) {
            let cost = Self.median(costs)
            let cells = [
                contender.name, Self.text(cost.wall * 1000, 1), Self.text(cost.cpu * 1000, 1),
                Self.text(Double(rows) / cost.wall, 0), Self.text(cost.wall / first.wall, 2),
                Self.text(cost.cpu / first.cpu, 2),
            ]
            Self.write("| " + cells.joined(separator: " | ") + " |")
        }
    }

    /// Sizes, with ratios to the first.
    func sizes(_ title: String, rows: Int, _ sizes: [(name: String, bytes: Int)]) {
        Self.write("\n### \(title) (\(rows) rows)\n")
        Self.write("| what | bytes | bytes a row | × |")
        Self.write("|---|---|---|---|")
        let first = Double(max(1, sizes[0].bytes))
        for (name, bytes) in sizes {
            let perRow = Self.text(Double(bytes) / Double(rows), 1)
            Self.write(
                "| \(name) | \(bytes) | \(perRow) | \(Self.text(Double(bytes) / first, 2)) |")
        }
    }

    /// How long single operations took, with ratios of the medians to the first's.
    func latencies(_ title: String, _ measured: [(name: String, seconds: [Double])]) {
        Self.write("\n### \(title)\n")
        Self.write("| what | times | p50 ms | p99 ms | × p50 |")
        Self.write("|---|---|---|---|---|")
        let first = Self.percentile(50, of: measured[0].seconds)
        for (name, seconds) in measured {
            let median = Self.percentile(50, of: seconds)
            let cells = [
                name, String(seconds.count), Self.text(median * 1000, 2),
                Self.text(Self.percentile(99, of: seconds) * 1000, 2),
                Self.text(median / first, 2),
            ]
            Self.write("| " + cells.joined(separator: " | ") + " |")
        }
    }

    /// The nearest rank; 0 of nothing.
    static func percentile(_ percent: Int, of values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, (sorted.count * percent + 99) / 100 - 1)]
    }

    /// What a row costs in work on several sizes, with ratios to the first.
    func perRow(_ title: String, _ measured: [(name: String, rows: Int, seconds: Double)]) {
        Self.write("\n### \(title)\n")
        Self.write("| what | rows | wall ms | µs a row | × a row |")
        Self.write("|---|---|---|---|---|")
        func each(_ entry: (name: String, rows: Int, seconds: Double)) -> Double {
            entry.seconds / Double(max(1, entry.rows))
        }
        for entry in measured {
            let cells = [
                entry.name, String(entry.rows), Self.text(entry.seconds * 1000, 1),
                Self.text(each(entry) * 1_000_000, 2),
                Self.text(each(entry) / each(measured[0]), 2),
            ]
            Self.write("| " + cells.joined(separator: " | ") + " |")
        }
    }

    /// Memory before and after, of work on several sizes.
    func memory(_ title: String, _ measured: [(name: String, before: Int, peak: Int)]) {
        Self.write("\n### \(title)\n")
        Self.write("| what | before MiB | peak MiB | growth MiB |")
        Self.write("|---|---|---|---|")
        for (name, before, peak) in measured {
            let cells = [before, peak, peak - before].map { Self.text(Double($0) / 1_048_576, 1) }
            Self.write("| \(name) | " + cells.joined(separator: " | ") + " |")
        }
    }

    func note(_ text: String) { Self.write("\n\(text)") }

    /// At once: a run that is broken off has told what it measured.
    static func write(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func median(_ costs: [Cost]) -> Cost {
        func middle(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            let half = sorted.count / 2
            return sorted.count.isMultiple(of: 2)
                ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
        }
        return Cost(wall: middle(costs.map(\.wall)), cpu: middle(costs.map(\.cpu)))
    }

    static func text(_ number: Double, _ digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
        let rounded = (number * scale).rounded() / scale
        guard digits > 0 else { return String(Int64(rounded)) }
        let parts = String(rounded).split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        let padded = fraction + String(repeating: "0", count: max(0, digits - fraction.utf8.count))
        return "\(parts[0]).\(padded)"
    }
}
