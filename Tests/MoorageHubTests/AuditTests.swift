import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `The audit trail` {
    private func replica(_ bench: HubBench, _ number: Int, _ name: String) throws
        -> ScriptedReplica
    {
        let replica = try ScriptedReplica(bench, number)
        replica.principal = Principal(subject: name)
        try replica.exchange()
        return replica
    }

    private let row: [Value] = [.text("a"), .text("Ann"), .null, .null, .null]

    @Test func `names user, row, columns and outcome of each change, and no value`() async throws {
        let bench = try HubBench(audit: AuditPolicy())
        let ann = try replica(bench, 1, "ann")
        let batch = ann.batch([
            ann.insert("customer", row),
            ann.update("customer", .text("b"), set: ["city": (.text("x"), .text("Oslo"))]),
            ann.insert("purchase", [.integer(1), .text("nobody"), .null]),
            Change(table: "customer", key: RowKey([.text("c")]), operation: .refetch, editedAt: 1),
        ])
        try ann.exchange(batch)
        // The same batch again is no other change.
        try ann.exchange(batch)
        let lines = try await bench.hub.audit()
        #expect(Set(lines.map(\.subject)) == ["ann"] && lines.count == 3)
        #expect(
            Set(lines.map { "\($0.table) \($0.key) \($0.operation) \($0.columns ?? "")" }) == [
                #"customer ["a"] insert "#, #"customer ["b"] update ["city"]"#,
                "purchase [1] insert ",
            ])
        #expect(lines.first { $0.table == "purchase" }?.outcome == "refused")
        #expect(
            lines.first { $0.operation == "insert" && $0.table == "customer" }?.outcome == "applied"
        )
        let text = try bench.rows("SELECT * FROM moorage_audit").description
        #expect(!text.contains("Ann") && !text.contains("Oslo"))
        var filter = AuditFilter()
        filter.subject = "bob"
        #expect(try await bench.hub.audit(filter).isEmpty)
        filter = AuditFilter()
        filter.table = "customer"
        filter.key = #"["a"]"#
        #expect(try await bench.hub.audit(filter).count == 1)
    }

    @Test func `is not kept where nobody asks for it, and not for longer than said`() async throws {
        let silent = try HubBench()
        let user = try replica(silent, 1, "ann")
        _ = try user.push(user.insert("customer", row))
        #expect(try await silent.hub.audit().isEmpty)
        let bench = try HubBench(audit: AuditPolicy(keeping: .seconds(86_400)))
        let ann = try replica(bench, 1, "ann")
        _ = try ann.push(ann.insert("customer", row))
        try bench.sql("UPDATE moorage_audit SET at = at - 90000000")
        try bench.pass(days: 2)
        _ = try ann.push(ann.delete("customer", before: row))
        try ann.exchange()
        #expect(try await bench.hub.audit().map(\.operation) == ["delete"])
    }

    @Test func `and all else about a person can be had, and forgotten`() async throws {
        let bench = try HubBench(audit: AuditPolicy())
        let (ann, bob) = (try replica(bench, 1, "ann"), try replica(bench, 2, "bob"))
        for user in [ann, bob] {
            _ = try user.push(
                user.insert("purchase", [.integer(1), .text("nobody"), .text("mine")]))
        }
        let data = try await bench.hub.personalData(about: "ann")
        #expect(data.replicas.map(\.id) == [ann.id])
        #expect(data.conflicts.count == 1 && data.audit.count == 1)
        #expect(try await bench.hub.forget(subject: "ann") == data)
        let after = try await bench.hub.personalData(about: "ann")
        #expect(after.replicas.isEmpty && after.conflicts.isEmpty && after.audit.isEmpty)
        // The others' stays, and a forgotten device does not begin a new epoch for everyone.
        #expect(try await bench.hub.personalData(about: "bob").audit.count == 1)
        let epoch = try bench.rows("SELECT value FROM moorage_meta WHERE name = 'epoch'")
        let error = #expect(throws: HubError.self) {
            try ann.exchange(ann.batch([ann.insert("customer", row)]))
        }
        #expect(error?.code == .replicaRevoked)
        #expect(try bench.rows("SELECT value FROM moorage_meta WHERE name = 'epoch'") == epoch)
        try bob.exchange()
        let text = try [
            "moorage_registration", "moorage_replica", "moorage_grant", "moorage_audit",
        ]
        .map { try bench.rows("SELECT * FROM \($0)").description }.joined()
        #expect(!text.contains("ann") && text.contains("bob"))
    }

    @Test func `and a device that is to be wiped is told so though its user is forgotten`()
        async throws
    {
        let bench = try HubBench()
        let ann = try replica(bench, 1, "ann")
        _ = try await bench.hub.set(.toBeWiped, replica: ann.id)
        _ = try await bench.hub.forget(subject: "ann")
        for _ in 0..<2 {
            let error = #expect(throws: HubError.self) { try ann.exchange() }
            #expect(error?.code == .replicaWiped)
        }
    }
}
