import Foundation
import MoorageHub

/// What one tenant's exchange costs beside the others in the same table: a row that somebody changes,
/// and the exchange that brings it.
struct TenantsBenchmark {
    let plan: Plan
    let folder: URL

    private static let rowsEach = 1_000
    private static let exchanges = 200
    private static let tenant = 7

    /// A thousand tenants where a million rows are asked for.
    private var counts: [Int] { plan.rows >= 1_000_000 ? [10, 100, 1_000] : [10, 100] }

    func run(_ report: Report) async throws {
        var contenders: [Contender] = []
        for count in counts {
            let items = Self.items(of: count)
            contenders.append(
                try Self.contender(try await ScopedCentral(items, items.hub, in: folder)))
        }
        try await group(report, "SQLite", contenders)
        guard let server = PostgresScratch.serverURL else {
            return report.note("MOORAGE_TEST_POSTGRES is not set: no tenants in PostgreSQL.")
        }
        contenders = []
        var scratches: [PostgresScratch] = []
        defer { for scratch in scratches { try? scratch.remove() } }
        for count in counts {
            let scratch = try PostgresScratch(server)
            scratches.append(scratch)
            let items = Self.items(of: count)
            contenders.append(
                try Self.contender(try await ScopedCentral(items, items.hub, on: scratch)))
        }
        try await group(report, "PostgreSQL", contenders)
    }

    private func group(_ report: Report, _ name: String, _ contenders: [Contender]) async throws {
        try await report.group(
            "exchanges of one tenant of \(Self.rowsEach) rows, \(name)", rows: Self.exchanges,
            repetitions: plan.repetitions, contenders)
    }

    private static func items(of tenants: Int) -> ScopedItems {
        ScopedItems(kind: "tenant", scopes: tenants, rowsEach: rowsEach)
    }

    private static func contender(_ central: ScopedCentral) throws -> Contender {
        let device = ScopedDevice(
            central,
            of: Principal(subject: "user \(tenant)", claims: ["tenant": [String(tenant)]]))
        try device.catchUp()
        return Contender(name: "\(central.items.scopes) tenants") { _ in
            return {
                for number in 0..<exchanges {
                    try central.change(central.items.key(number % rowsEach, in: tenant))
                    guard try device.catchUp() == 1 else {
                        throw BenchmarkFailure("The exchange did not bring the row.")
                    }
                }
            }
        }
    }
}
