import Foundation
import MoorageHub
import TestSupport
import Testing

/// A table that its owner changes in each way, while programs write and devices sync.
///
/// The same change of an equal table that Moorage does not track says what the database itself
/// makes a writer wait.
final class AlterLoad {
    /// How much there is of everything.
    struct Size: Sendable {
        let rows: Int
        /// Rows of each area but the last one, which has the rest.
        let areaRows: Int
        /// Devices that see one area.
        let scoped: Int
        /// Devices that see all of them.
        let whole: Int
        /// Whether eight programs write, and devices sync, while the table changes.
        let isBusy: Bool
    }

    /// A table's contents by area, as text.
    static let sums = """
        SELECT area, count(*), sum(id), sum(n), sum(length(body)) FROM big GROUP BY area
        """

    private static let rules = ScopeSettings(
        rules: ["big": [ScopeRule(.column(kind: "area", "area"))]],
        holdings: ["area": .claim("area")])

    private let centre: any Centre
    private let size: Size
    private let seed: UInt64
    private let hub: Hub
    private let owner: any OwnerSession
    private var devices: [LoadDevice] = []
    private var tracked: AlteredTable
    private var plain: AlteredTable

    /// Makes the tables, attaches one of them, clones the devices, and measures changes.
    ///
    /// - Parameter isOver: Asked after each change, and names what it leaves out.
    static func run(
        _ kind: CentreKind, _ size: Size, seed: UInt64,
        _ changes: [AlterKind] = AlterKind.allCases, until isOver: () -> Bool = { false }
    ) async throws {
        let centre = try kind.make()
        do {
            let load = try AlterLoad(centre, size, seed: seed)
            try await load.prepare()
            for (place, change) in changes.enumerated() {
                if place > 0, isOver() {
                    let rest = changes[place...].map(\.rawValue).joined(separator: ", ")
                    NightPlan.figures("ALTER on \(kind.rawValue): no time for \(rest)")
                    break
                }
                try await load.measure(change)
            }
        } catch {
            try centre.close()
            throw error
        }
        try centre.close()
    }

    private init(_ centre: any Centre, _ size: Size, seed: UInt64) throws {
        self.centre = centre
        self.size = size
        self.seed = seed
        var configuration = HubConfiguration()
        configuration.scopes = Self.rules
        hub = Hub(database: try centre.connector(), configuration: configuration)
        owner = try centre.openSession()
        if centre.kind == .mariadb {
            try owner.run("SET SESSION innodb_lock_wait_timeout = 50")
        }
        tracked = AlteredTable(name: "big", area: size.scoped)
        plain = AlteredTable(name: "plain", area: size.scoped)
    }

    private func prepare() async throws {
        if centre.kind == .sqlite { try centre.execute("PRAGMA journal_mode = WAL") }
        for statement in AlteredTable.lookup + [tracked.creation, plain.creation] {
            try owner.run(statement)
        }
        let count = size.scoped + size.whole
        // Nobody but its device writes such a row.
        var rows = (1...count).map { number in
            AlteredTable.values(
                id: -number, area: min(number - 1, size.scoped), body: "device \(number)")
        }
        for place in 0..<size.rows {
            // The numbers are scattered, and each place gets a key of its own.
            let key = place * 7_919 % (size.rows * 2 + 1)
            let area = min(place / size.areaRows, size.scoped)
            rows.append(AlteredTable.values(id: key, area: area, body: "row \(place)"))
            if rows.count < 1_000, place < size.rows - 1 { continue }
            try owner.run("INSERT INTO big VALUES \(rows.joined(separator: ", "))")
            rows = []
        }
        try owner.run("INSERT INTO plain SELECT * FROM big")
        _ = try await hub.attach(tables: ["big"])
        for number in 1...count {
            let area = number - 1
            let areas = area < size.scoped ? area...area : 0...size.scoped
            devices.append(try await LoadDevice(number: number, areas: areas, hub: hub))
        }
    }

    /// Changes both tables, and compares what became of writers and devices.
    private func measure(_ change: AlterKind) async throws {
        let plainSQL = plain.alter(change, on: centre.kind)
        let sql = tracked.alter(change, on: centre.kind)
        let without = try await beside("plain") { try self.change(plainSQL) }
        let hasLocklessCopy = change == .rebuild && centre.kind == .mariadb
        var (attached, afterwards) = (Period(), Period())
        let with = try await beside("big") {
            // What is pushed during a copy without a lock stays in the table that goes.
            if !hasLocklessCopy { try self.edit(change) }
            let period = try await self.whileDevicesSync {
                let period = try self.change(sql)
                if hasLocklessCopy { try self.edit(change) }
                let start = ContinuousClock.now
                _ = try await self.hub.attach(tables: ["big"])
                attached = Period(from: start, to: .now)
                return period
            }
            try await self.devices.last?.catchUp()
            afterwards = Period(from: attached.end, to: .now)
            return period
        }
        try await check(change, without, with, attached, afterwards)
    }

    /// Writes the row of each device.
    private func edit(_ change: AlterKind) throws {
        for device in devices { try device.write(text(change, device)) }
    }

    private func text(_ change: AlterKind, _ device: LoadDevice) -> String {
        "\(change.rawValue) on \(device.name)"
    }

    /// - Returns: When the change began and ended.
    private func change(_ sql: String) throws -> Period {
        var attempt = 1
        while true {
            let start = ContinuousClock.now
            do {
                try owner.run(sql)
                return Period(from: start, to: .now)
            } catch let error as any OwnerFailure where error.isExpected && attempt < 20 {
                attempt += 1
                // What failed in a transaction leaves it open.
                if centre.kind == .postgres { try owner.run("ROLLBACK") }
            }
        }
    }

    /// Runs work while the devices sync. In a quiet run they sync only afterwards.
    private func whileDevicesSync(_ work: () async throws -> Period) async throws -> Period {
        guard size.isBusy else { return try await work() }
        let isOver = Flag()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask { await device.keepSyncing { isOver.isSet } }
            }
            let period = try await work()
            isOver.set()
            try await group.waitForAll()
            return period
        }
    }

    /// Runs work while eight programs write to a table. In a quiet run one row is written.
    private func beside(
        _ table: String, _ work: () async throws -> Period
    ) async throws -> Written {
        guard size.isBusy else {
            let period = try await work()
            try owner.run("UPDATE \(table) SET n = n + 1 WHERE id = 0")
            return Written(period: period, writers: [], count: 1)
        }
        let writers = try LatencyWriter.eight(
            on: centre, table: table, rows: size.rows, seed: seed)
        let ends = writers.map { $0.start() }
        let period: Period
        do {
            try await Task.sleep(for: .milliseconds(500))
            period = try await work()
        } catch {
            for writer in writers { writer.stop() }
            throw error
        }
        for writer in writers { writer.stop() }
        for end in ends { try await end.value }
        return Written(period: period, writers: writers, count: writers.map(\.count).reduce(0, +))
    }

    private func check(
        _ change: AlterKind, _ without: Written, _ with: Written, _ attached: Period,
        _ afterwards: Period
    ) async throws {
        let name = "ALTER on \(centre.kind.rawValue), \(change.rawValue)"
        for device in devices { try await device.catchUp() }
        // What one device pushed last has to reach the others.
        for device in devices { try await device.catchUp() }
        let sums = Dictionary(
            uniqueKeysWithValues: try owner.run(Self.sums).map { ($0[0], $0) })
        var problems: [String] = []
        var (most, failures) = (0, [String: Int]())
        // A row that came without a number comes again with it, and a changed key is two rows.
        let written = 2 * (with.count + devices.count)
        for device in devices {
            problems += try await device.problems(sums)
            let there = try centre.text("SELECT body FROM big WHERE id = \(device.key)")
            if there != text(change, device) {
                problems.append("\(device.name) wrote its row, and there is \(there ?? "nothing")")
            }
            let counts = device.takeCounts()
            failures.merge(counts.failures, uniquingKeysWith: +)
            most = max(most, counts.received)
            if !change.isReadAgain(on: centre.kind), counts.received > written {
                problems.append(
                    "\(device.name) got \(counts.received) rows, and \(written / 2) were written")
            }
        }
        #expect(problems == [], "\(name), MOORAGE_SEED=\(seed)")
        guard size.isBusy else { return }
        let tries = failures.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        NightPlan.figures(
            """
            \(name): \(size.rows) rows in \(with.period.milliseconds) ms, \
            \(without.period.milliseconds) ms without Moorage; a writer waited \
            \(with.wait(in: with.period)) ms at most, \
            \(without.wait(in: without.period)) ms without Moorage, \
            \(with.wait(in: attached)) ms in the attach of \(attached.milliseconds) ms, \
            \(with.wait(in: afterwards)) ms afterwards; \
            \(with.count) writes, a device got \(most) rows at most\
            \(change.isReadAgain(on: centre.kind) ? ", reading again" : ""); failed syncs: \
            \(tries.isEmpty ? "none" : tries.joined(separator: ", "))
            """)
    }

    /// What eight programs wrote beside a change.
    private struct Written {
        let period: Period
        let writers: [LatencyWriter]
        let count: Int

        /// The longest wait of a writer that began within a time, in milliseconds.
        func wait(in period: Period) -> Int {
            Int((writers.map { $0.longest(from: period.start, to: period.end) }.max() ?? 0) * 1_000)
        }
    }

    /// When something began and ended.
    private struct Period: Sendable {
        let start: ContinuousClock.Instant
        let end: ContinuousClock.Instant

        init(from start: ContinuousClock.Instant = .now, to end: ContinuousClock.Instant = .now) {
            self.start = start
            self.end = end
        }

        var milliseconds: Int { Int((end - start) / .milliseconds(1)) }
    }

    /// Something that becomes so once. `@unchecked Sendable`: the lock guards it.
    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isSet: Bool { lock.withLock { value } }
        func set() { lock.withLock { value = true } }
    }
}
