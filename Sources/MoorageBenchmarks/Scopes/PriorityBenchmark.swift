import Foundation
import MoorageCore
import MoorageHub
import MoorageWire

/// When one project of many is complete on a device that copies all of them, with a high priority
/// and without.
struct PriorityBenchmark {
    let plan: Plan
    let folder: URL

    private static let rowsEach = 100

    private var items: ScopedItems {
        ScopedItems(
            kind: "project", scopes: max(1, plan.rows / Self.rowsEach) + 1,
            rowsEach: Self.rowsEach)
    }

    func run(_ report: Report) async throws {
        try measure(report, "SQLite", try await ScopedCentral(items, items.hub, in: folder))
        try await PostgresScratch.with(report, orNote: "no priorities in PostgreSQL") { scratch in
            try measure(
                report, "PostgreSQL", try await ScopedCentral(items, items.hub, on: scratch))
        }
    }

    private func measure(_ report: Report, _ name: String, _ central: ScopedCentral) throws {
        let ways: [(name: String, priority: ScopePriority)] = [
            ("without a priority", .normal), ("a high priority", .high),
        ]
        var copies = [[PartialCopy]](repeating: [], count: ways.count)
        for _ in 0..<plan.repetitions {
            for (index, way) in ways.enumerated() {
                copies[index].append(try copy(central, way.priority))
            }
        }
        report.partialCopies(
            "one project of \(Self.rowsEach) rows among \(items.rows), \(name)",
            zip(ways, copies).map { ($0.name, $1) })
    }

    private func copy(
        _ central: ScopedCentral, _ priority: ScopePriority
    ) throws -> PartialCopy {
        // Of the other projects about as many come before it by name as behind it.
        let project = items.scopes / 2
        let device = ScopedDevice(
            central,
            of: Principal(
                subject: "user", claims: ["project": (0..<items.scopes).map { String($0) }]),
            requesting: [RequestedScope(items.scope(project), priority: priority)])
        let wanted = Value.integer(Int64(project))
        var progress = PartialCopy()
        var missing = items.rowsEach
        let start = ContinuousClock.now
        try device.catchUp { page in
            for table in page.tables {
                if let place = table.columns.firstIndex(of: "place") {
                    missing -= table.rows.count(where: { $0[place] == wanted })
                }
                progress.whole.rows += table.content.count
            }
            progress.whole.pages += 1
            progress.whole.seconds = start.duration(to: .now) / .seconds(1)
            if missing == 0, progress.part == nil { progress.part = progress.whole }
        }
        guard missing == 0 else { throw BenchmarkFailure("Not all rows of the project came.") }
        return progress
    }
}
