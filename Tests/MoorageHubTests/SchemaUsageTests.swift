import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `What replicas need of the schema` {
    /// A replica that has reported what it asks for.
    ///
    /// - Parameter hidden: Columns that its app does not have.
    @discardableResult
    private func replica(
        _ bench: HubBench, _ number: Int, of name: String? = "ann", tables: [String]? = nil,
        without hidden: Set<String> = [], _ report: DeviceReport = DeviceReport()
    ) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, number, tables: tables, hidden: hidden)
        replica.principal = name.map { Principal(subject: $0) }
        replica.report = report
        try replica.exchange()
        return replica
    }

    /// Which replicas may need it, with the reason.
    private func needs(
        _ bench: HubBench, _ table: String, _ column: String? = nil
    ) async throws -> [String: DropCheck.Need] {
        let check = try await bench.hub.checkDrop(ofTable: table, column: column)
        #expect(check.needCount == check.replicas.count)
        #expect(check.isSafe == check.replicas.isEmpty)
        return Dictionary(uniqueKeysWithValues: check.replicas.map { ($0.summary.id, $0.need) })
    }

    @Test(arguments: ["ann", nil])
    func `are the tables and columns that they ask for`(name: String?) async throws {
        let bench = try HubBench()
        let new = try replica(bench, 1, of: name)
        let old = try replica(bench, 2, of: name, tables: ["purchase"], without: ["note"])
        #expect(try await needs(bench, "purchase", "note") == [new.id: .requested])
        #expect(
            try await needs(bench, "purchase", "customer")
                == [new.id: .requested, old.id: .requested])
        #expect(try await needs(bench, "purchase").count == 2)
        #expect(try await needs(bench, "line") == [new.id: .requested])
        #expect(try await needs(bench, "line", "amount") == [new.id: .requested])
    }

    @Test func `are those of the last report`() async throws {
        let bench = try HubBench()
        let before = try replica(bench, 1)
        #expect(try await needs(bench, "purchase", "note") == [before.id: .requested])
        // Its app is updated.
        try replica(bench, 1, without: ["note"])
        #expect(try await needs(bench, "purchase", "note") == [:])
        // An exchange without a report changes nothing.
        before.report = nil
        try before.exchange()
        #expect(try await needs(bench, "purchase", "note") == [:])
    }

    @Test func `are everything where the hub does not know`() async throws {
        let bench = try HubBench()
        let silent = try ScriptedReplica(bench, 1, tables: ["customer"])
        silent.principal = Principal(subject: "ann")
        try silent.exchange()
        let old = try replica(bench, 2, tables: ["customer"])
        // An older hub recorded its report.
        try bench.sql(
            """
            UPDATE moorage_report SET report = replace(report, '"requested"', '"other"')
            """)
        #expect(try await bench.hub.replicas().contains { $0.id == old.id && $0.report != nil })
        #expect(
            try await needs(bench, "line", "amount") == [silent.id: .unknown, old.id: .unknown])
        let check = try await bench.hub.checkDrop(ofTable: "line")
        #expect(check.counts.counted == 2 && check.counts.unknown == 2)
        let damaged = try replica(bench, 3, tables: ["customer"])
        try bench.sql("UPDATE moorage_report SET report = '{' WHERE replica = '\(damaged.id)'")
        #expect(try await needs(bench, "line")[damaged.id] == .unknown)
    }

    @Test func `are all columns of a table that the device has suspended`() async throws {
        let bench = try HubBench()
        let replica = try replica(
            bench, 1, tables: ["customer"], DeviceReport(suspendedTables: ["line"]))
        #expect(try await needs(bench, "line", "amount") == [replica.id: .suspended])
        #expect(try await needs(bench, "purchase") == [:])
        // The report names no more tables than these, so there may be others.
        replica.report = DeviceReport(suspendedTables: (1...100).map { "t\($0)" })
        try replica.exchange()
        #expect(try await needs(bench, "purchase") == [replica.id: .unknown])
        #expect(try await needs(bench, "customer") == [replica.id: .requested])
    }

    @Test func `do not count where they are away or refused`() async throws {
        let bench = try HubBench(
            retention: RetentionPolicy(time: .seconds(10 * 86_400), steps: 2))
        let away = try replica(bench, 1)
        let revoked = try replica(bench, 2)
        let present = try replica(bench, 3, tables: ["customer"])
        let days = 9 * 86_400_000
        for (table, column) in [
            ("moorage_report", "reported_at"), ("moorage_registration", "seen_at"),
        ] {
            try bench.sql(
                """
                UPDATE \(table) SET \(column) = \(column) - \(days) WHERE replica = '\(away.id)'
                """)
        }
        #expect(
            try await needs(bench, "line")
                == [away.id: .requested, revoked.id: .requested])
        _ = try await bench.hub.set(.revoked, replica: revoked.id)
        #expect(try await needs(bench, "line") == [away.id: .requested])
        let recent = try await bench.hub.checkDrop(
            ofTable: "line", seenWithin: .seconds(8 * 86_400))
        #expect(recent.isSafe && recent.counts.counted == 1)
        #expect(recent.counts.away == 1 && recent.counts.refused == 1)
        let usage = try await bench.hub.schemaUsage(seenWithin: .seconds(8 * 86_400))
        #expect(usage.counts.counted == 1 && usage.versions.map(\.replicaCount) == [1])
        _ = try await bench.hub.set(.active, replica: revoked.id)
        #expect(try await needs(bench, "line")[revoked.id] == .requested)
        #expect(try await needs(bench, "line")[present.id] == nil)
    }

    @Test func `are asked about by names that somebody knows`() async throws {
        let bench = try HubBench()
        let replica = try replica(bench, 1)
        let unknown: [(table: String, column: String?, code: HubError.Code)] = [
            ("lines", nil, .unknownTable), ("lines", "amount", .unknownTable),
            ("line", "amounts", .unknownColumn), ("Line", nil, .unknownTable),
        ]
        for (table, column, code) in unknown {
            let error = await #expect(throws: HubError.self) {
                try await bench.hub.checkDrop(ofTable: table, column: column)
            }
            #expect(error?.code == code)
        }
        // The hub stops syncing a table that the replica still asks for.
        try bench.sql("DELETE FROM moorage_table WHERE name = 'line'")
        #expect(try await needs(bench, "line", "amount") == [replica.id: .requested])
    }

    @Test func `are listed up to a limit, the last seen first`() async throws {
        let bench = try HubBench()
        let replicas = try (1...60).map { try replica(bench, $0) }
        let check = try await bench.hub.checkDrop(ofTable: "line", limit: 2)
        #expect(check.needCount == 60)
        #expect(check.replicas.map(\.summary.id) == [replicas[59].id, replicas[58].id])
    }

    @Test func `are summed up by the versions of the app`() async throws {
        let bench = try HubBench()
        try replica(bench, 1, DeviceReport(appVersion: "2.10", schemaVersion: "7", pendingCount: 2))
        let last = try replica(
            bench, 2, DeviceReport(appVersion: "2.10", schemaVersion: "7", pendingCount: .max))
        try replica(
            bench, 3, tables: ["purchase"], without: ["note"],
            DeviceReport(appVersion: "2.9", schemaVersion: "6"))
        try replica(bench, 4, tables: ["customer"])
        let usage = try await bench.hub.schemaUsage()
        #expect(usage.versions.map(\.appVersion) == ["2.10", "2.9", nil])
        #expect(usage.versions.map(\.schemaVersion) == ["7", "6", nil])
        #expect(usage.versions.map(\.replicaCount) == [2, 1, 1])
        #expect(usage.versions.map(\.pendingCount) == [.max, 0, 0])
        let seen = try await bench.hub.replicas().first { $0.id == last.id }?.seenAt
        #expect(usage.versions.first?.lastSeenAt == seen)
        let tables = Dictionary(uniqueKeysWithValues: usage.tables.map { ($0.name, $0) })
        #expect(tables.mapValues(\.replicaCount) == ["customer": 3, "purchase": 3, "line": 2])
        let lacking = tables.mapValues { $0.lackingColumns.map { "\($0.name) \($0.replicaCount)" } }
        #expect(lacking == ["customer": [], "purchase": ["note 1"], "line": []])
        #expect(usage.counts.counted == 4 && usage.counts.unknown == 0)
    }

    @Test func `lack nothing that the hub hides`() async throws {
        let bench = try HubBench(columns: ["purchase": ColumnSettings(hidden: ["note"])])
        try replica(bench, 1, without: ["note"])
        let usage = try await bench.hub.schemaUsage()
        #expect(usage.tables.allSatisfy { $0.lackingColumns.isEmpty })
        #expect(try await needs(bench, "purchase", "note") == [:])
    }
}
