import Foundation
import MoorageHub

/// What a hub's work is where each device subscribed to ten projects, against the same devices with
/// the same rows by a claim.
struct SubscriptionsBenchmark {
    let plan: Plan
    let folder: URL

    private static let rowsEach = 100
    private static let liveChanges = 20

    /// 1,000 devices with 10,000 subscriptions, and fewer where few rows are asked for.
    private var devices: Int { plan.rows >= 100_000 ? 1_000 : 100 }

    private var items: ScopedItems {
        ScopedItems(
            kind: ProjectCrowd.kind, scopes: ProjectCrowd.projects(for: devices),
            rowsEach: Self.rowsEach)
    }

    func run(_ report: Report) async throws {
        try await run(report, "SQLite") { try await ScopedCentral(items, $0, in: folder) }
        guard let server = PostgresScratch.serverURL else {
            return report.note("MOORAGE_TEST_POSTGRES is not set: no subscriptions in PostgreSQL.")
        }
        var scratches: [PostgresScratch] = []
        defer { for scratch in scratches { try? scratch.remove() } }
        try await run(report, "PostgreSQL") { configuration in
            let scratch = try PostgresScratch(server)
            scratches.append(scratch)
            return try await ScopedCentral(items, configuration, on: scratch)
        }
    }

    /// - Parameter central: Makes a database for each way: a change reaches all devices of one.
    private func run(
        _ report: Report, _ name: String,
        _ central: (HubConfiguration) async throws -> ScopedCentral
    ) async throws {
        var crowds: [ProjectCrowd] = []
        for access in ProjectAccess.allCases {
            crowds.append(
                ProjectCrowd(devices, with: access, at: try await central(configuration(access))))
        }
        try await group(report, "first copies, \(name)", of: crowds, crowds[0].copiedRows, "rows") {
            crowd, _ in
            crowd.renew()
            return { try crowd.catchUp(bringing: crowd.copiedRows) }
        }
        try await group(report, "exchanges at rest, \(name)", of: crowds, devices, "exchanges") {
            crowd, _ in
            // What the exchanges before have written does not count.
            try crowd.catchUp(bringing: 0)
            return { try crowd.catchUp(bringing: 0) }
        }
        try await group(
            report, "exchanges after a change of one project, \(name)", of: crowds, devices,
            "exchanges"
        ) { crowd, number in
            try crowd.change(number)
            return { try crowd.catchUpWithChange() }
        }
        for crowd in crowds { try await crowd.follow(changesIn: Self.liveChanges) }
        try await group(
            report, "from a push to all live subscribers, \(name)", of: crowds, Self.liveChanges,
            "changes"
        ) { crowd, _ in
            return { try await crowd.hearChanges() }
        }
        for crowd in crowds { await crowd.leave() }
    }

    private func configuration(_ access: ProjectAccess) -> HubConfiguration {
        var configuration = items.hub
        if access.isOnRequest { configuration.scopes.onRequest = [ProjectCrowd.kind] }
        // The hub polls for pushes alone, and neither sends heartbeats nor checks the streams.
        configuration.live.interval = .seconds(3_600)
        configuration.live.heartbeat = .seconds(3_600)
        configuration.live.checkInterval = .seconds(3_600)
        return configuration
    }

    private func group(
        _ report: Report, _ title: String, of crowds: [ProjectCrowd], _ count: Int, _ unit: String,
        _ prepare: @escaping (ProjectCrowd, Int) async throws -> () async throws -> Void
    ) async throws {
        try await report.group(
            "\(devices) devices, \(title)", rows: count, of: unit, repetitions: plan.repetitions,
            crowds.map { crowd in
                Contender(name: crowd.access.name) { try await prepare(crowd, $0) }
            })
    }
}
