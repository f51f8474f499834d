import Foundation

/// Measures groups of contenders, the repetitions interleaved, and prints medians with ratios to
/// the first of each group.
struct Report {
    func group(
        _ title: String, rows: Int, repetitions: Int, _ contenders: [Contender]
    ) async throws {
        var costs = [[Cost]](repeating: [], count: contenders.count)
        for repetition in 0..<repetitions {
            for (index, contender) in contenders.enumerated() {
                let work = try await contender.prepare(repetition)
                costs[index].append(try await Cost.measure(work))
            }
        }
        Self.write("\n### \(title) (\(rows) rows, median of \(repetitions))\n")
        Self.write("| way | wall ms | CPU ms | rows/s | × wall | × CPU |")
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

    func note(_ text: String) { Self.write("\n\(text)") }

    /// At once: a run that is broken off has told what it measured.
    private static func write(_ line: String) {
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

    private static func text(_ number: Double, _ digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
        let rounded = (number * scale).rounded() / scale
        guard digits > 0 else { return String(Int64(rounded)) }
        let parts = String(rounded).split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        let padded = fraction + String(repeating: "0", count: max(0, digits - fraction.utf8.count))
        return "\(parts[0]).\(padded)"
    }
}
