import Foundation
import GRDB
import Moorage
import MoorageHub

/// What a person waits for after installing an app: the first row, the rows of the open screen, and
/// all rows. The screen's rows have a high priority, or none.
struct FirstScreenBenchmark {
    let plan: Plan
    let folder: URL

    /// A user may have 10,000 scopes.
    private static let mostScopes = 1_000
    private static let fewestRowsEach = 100

    private struct Waits {
        var firstRow: Double?
        var firstScreen: Double?
        var whole = 0.0
    }

    func run(_ report: Report) async throws {
        let scopes = max(2, min(Self.mostScopes, plan.rows / Self.fewestRowsEach))
        let items = ScopedItems(
            kind: "project", scopes: scopes, rowsEach: max(1, plan.rows / scopes))
        let central = try await ScopedCentral(items, items.hub, in: folder)
        let ways: [(name: String, priority: ScopePriority)] = [
            ("without a priority", .normal), ("a high priority for the screen", .high),
        ]
        var measured = [[Waits]](repeating: [], count: ways.count)
        for _ in 0..<plan.repetitions {
            for (index, way) in ways.enumerated() {
                measured[index].append(try await copy(central, way.priority))
            }
        }
        report.waits(
            "the first copy of \(items.rows) rows, of which the screen shows \(items.rowsEach)",
            zip(ways, measured).map { way, waits in
                (
                    way.name, waits.map { $0.firstRow ?? $0.whole },
                    waits.map { $0.firstScreen ?? $0.whole }, waits.map(\.whole)
                )
            })
    }

    /// A new file, an app that watches its screen, and a sync until all rows are here.
    private func copy(_ central: ScopedCentral, _ priority: ScopePriority) async throws -> Waits {
        let items = central.items
        // As many scopes come before it as after it: they come by name.
        let project = (0..<items.scopes).sorted { items.scope($0) < items.scope($1) }[
            items.scopes / 2]
        let user = Principal(
            subject: "user", claims: ["project": (0..<items.scopes).map { String($0) }])
        let path = folder.appending(path: "\(UUID().uuidString).db").path
        let database = try DatabasePool(path: path)
        let start = ContinuousClock.now
        let replica = try await Replica.open(
            database: database, hub: .direct(central.hub.connection(for: user)),
            tables: [.table("item")])
        try await replica.subscribe(to: items.scope(project).name, priority: priority)
        // The hub's table has an index for the screen, and the app makes its own.
        try await database.write { try $0.execute(sql: "CREATE INDEX item_place ON item(place)") }
        let seen = Task { try await watch(database, project, items.rowsEach, since: start) }
        while try await !replica.sync().isCaughtUp {}
        let whole = start.duration(to: .now) / .seconds(1)
        var waits = try await seen.value
        waits.whole = whole
        try FileManager.default.removeItem(atPath: path)
        return waits
    }

    /// Follows the app's own query until the screen has all its rows.
    private func watch(
        _ database: DatabasePool, _ project: Int, _ rows: Int, since start: ContinuousClock.Instant
    ) async throws -> Waits {
        var waits = Waits()
        let shown = ValueObservation.tracking { db in
            (
                try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM item)") ?? false,
                try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM item WHERE place = ?", arguments: [project]) ?? 0
            )
        }
        for try await (hasRows, count) in shown.values(in: database) {
            let now = start.duration(to: .now) / .seconds(1)
            if hasRows, waits.firstRow == nil { waits.firstRow = now }
            guard count == rows else { continue }
            waits.firstScreen = now
            break
        }
        return waits
    }
}

extension Report {
    /// Medians of how long three things took, with the ratios of the first two to the third.
    fileprivate func waits(
        _ title: String,
        _ measured: [(name: String, firstRow: [Double], firstScreen: [Double], whole: [Double])]
    ) {
        Self.write("\n### \(title)\n")
        Self.write("| way | first row s | first screen s | all rows s | row / all | screen / all |")
        Self.write("|---|---|---|---|---|---|")
        for (name, firstRow, firstScreen, whole) in measured {
            let all = Self.percentile(50, of: whole)
            let row = Self.percentile(50, of: firstRow)
            let screen = Self.percentile(50, of: firstScreen)
            let cells = [
                name, Self.text(row, 2), Self.text(screen, 2), Self.text(all, 2),
                Self.text(row / all, 2), Self.text(screen / all, 2),
            ]
            Self.write("| " + cells.joined(separator: " | ") + " |")
        }
    }
}
