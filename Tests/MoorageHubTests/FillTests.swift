import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// What columns of a device had before they were synced, offered to the hub.
@Suite(.ownThreads) struct `Fills at the hub` {
    static let schema = """
        CREATE TABLE site (
          id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, mood TEXT, height INTEGER, gone INTEGER);
        CREATE TABLE tree (
          id TEXT NOT NULL PRIMARY KEY, site TEXT REFERENCES site(id) ON DELETE CASCADE, mood TEXT);
        INSERT INTO site(id, name) VALUES ('s', 'Hut'), ('r', 'Barn');
        INSERT INTO tree(id, site) VALUES ('t', 's');
        """

    private let mood: [String: (Value, Value)] = ["mood": (.null, .text("calm"))]
    private let both: [String: (Value, Value)] = [
        "mood": (.null, .text("calm")), "name": (.text("Hut"), .text("Lodge")),
    ]

    private func replica(_ bench: HubBench) throws -> ScriptedReplica {
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        return replica
    }

    /// The site `s` at the hub and on the replica, which must be the same.
    private func site(_ bench: HubBench, _ replica: ScriptedReplica) throws -> [Value] {
        let row = try #require(
            try bench.rows("SELECT id, name, mood, height, gone FROM site WHERE id = 's'").first)
        #expect(replica.rows["site"]?[RowKey([.text("s")])] == row)
        return row
    }

    private func site(_ name: String, _ mood: Value, gone: Value = .null) -> [Value] {
        [.text("s"), .text(name), mood, .null, gone]
    }

    // MARK: Values

    @Test func `go in where the central value is what the device saw`() throws {
        let bench = try HubBench(schema: Self.schema)
        let replica = try replica(bench)
        let change = replica.update("site", .text("s"), set: both).filling("mood", replica)
        #expect(try replica.push(change) == [.applied])
        #expect(try site(bench, replica) == site("Lodge", .text("calm")))
        #expect(try bench.conflicts().isEmpty)
    }

    @Test(
        arguments: MergeRule.deciding + [.keepBoth], TableRules.Granularity.allCases)
    func `are dropped in silence where another value is there, and the page brings it`(
        rule: MergeRule, granularity: TableRules.Granularity
    ) throws {
        let bench = try HubBench(
            schema: Self.schema,
            rules: ["site": TableRules(rule: rule, granularity: granularity)])
        let replica = try replica(bench)
        try bench.sql("UPDATE site SET mood = 'glad' WHERE id = 's'")
        try replica.exchange()
        let change = replica.update("site", .text("s"), set: mood).filling("mood", replica)
        let frames = try replica.exchange(replica.batch([change]))
        #expect(replica.outcomes(frames) == [Outcome(kind: .applied)])
        // The replica knew the row: it comes because it was asked for.
        #expect(replica.pages(frames).flatMap(\.tables).flatMap(\.rows).count == 1)
        #expect(try site(bench, replica) == site("Hut", .text("glad")))
        #expect(try bench.rows("SELECT count(*) FROM site") == [[.integer(2)]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `stay beside edits that lose, and do not save their group`() throws {
        for group in [nil, 1] {
            let bench = try HubBench(
                schema: Self.schema, rules: ["site": TableRules(rule: .server)])
            let replica = try replica(bench)
            try bench.sql("UPDATE site SET name = 'Shed' WHERE id = 's'")
            let change = replica.update("site", .text("s"), set: both)
                .filling("mood", replica, group: group)
            let outcome = try replica.push(change)[0]
            if group == nil {
                #expect(outcome == .overruled)
            } else if case .refused(let refusal) = outcome {
                #expect(refusal.code == .group)
            } else {
                Issue.record("taken: \(outcome)")
            }
            #expect(
                try site(bench, replica) == site("Shed", group == nil ? .text("calm") : .null))
        }
    }

    @Test func `go with the row that is kept beside the central one`() throws {
        let bench = try HubBench(schema: Self.schema, rules: ["site": TableRules(rule: .keepBoth)])
        let replica = try replica(bench)
        try bench.sql("UPDATE site SET name = 'Shed' WHERE id = 's'")
        let change = replica.update("site", .text("s"), set: both).filling("mood", replica)
        #expect(try replica.push(change) == [.merged])
        #expect(
            try bench.rows("SELECT name, mood FROM site WHERE id <> 'r' ORDER BY name")
                == [[.text("Lodge"), .text("calm")], [.text("Shed"), .null]])
        // Offered again, the change finds its row, though the fill would now be lost.
        try bench.sql("UPDATE site SET mood = 'glad' WHERE id = 's'")
        #expect(try replica.push(change) == [.merged])
        #expect(try bench.rows("SELECT count(*) FROM site") == [[.integer(3)]])
    }

    @Test func `that are sent again change nothing, and get the same outcomes`() throws {
        let bench = try HubBench(schema: Self.schema)
        let replica = try replica(bench)
        let change = replica.update("site", .text("s"), set: mood).filling("mood", replica)
        let batch = replica.batch([
            change, replica.update("site", .text("r"), set: both).filling("mood", replica),
        ])
        let first = try #require(replica.answer(try replica.exchange(batch)))
        try bench.sql("UPDATE site SET mood = NULL WHERE id = 's'")
        let second = try #require(replica.answer(try replica.exchange(batch)))
        #expect(second.status == .alreadyApplied && second.outcomes == first.outcomes)
        #expect(try site(bench, replica) == site("Hut", .null))
        // In another batch it is another offer.
        #expect(try replica.push(change) == [.applied])
        #expect(try site(bench, replica) == site("Hut", .text("calm")))
        try bench.sql("UPDATE site SET mood = 'glad' WHERE id = 's'")
        #expect(try replica.push(change) == [.applied])
        #expect(try site(bench, replica) == site("Hut", .text("glad")))
    }

    // MARK: Rows that are gone

    @Test func `of a row that is gone are dropped, and not logged with its edits`() throws {
        let bench = try HubBench(schema: Self.schema)
        let replica = try replica(bench)
        try bench.sql("DELETE FROM site WHERE id = 's'")
        let fill = replica.update("site", .text("s"), set: mood).filling("mood", replica)
        #expect(try replica.push(fill) == [.applied])
        #expect(replica.rows["site"]?[RowKey([.text("s")])] == nil)
        #expect(try bench.conflicts().isEmpty)
        let change = replica.update("site", .text("s"), set: both).filling("mood", replica)
        guard case .refused(let refusal) = try replica.push(change)[0] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .gone)
        #expect(try bench.conflicts().map { $0[3] } == [#"{"name":"Lodge"}"#])
    }

    @Test(arguments: TableRules.UpdateOfDeleted.allCases)
    func `never bring a soft-deleted row back`(updates: TableRules.UpdateOfDeleted) throws {
        let bench = try HubBench(
            schema: Self.schema,
            rules: ["site": TableRules(updateOfDeleted: updates, softDelete: "gone")])
        let replica = try replica(bench)
        try bench.sql("UPDATE site SET gone = 1 WHERE id = 's'")
        let fill = replica.update("site", .text("s"), set: mood).filling("mood", replica)
        #expect(try replica.push(fill) == [.applied])
        #expect(try site(bench, replica) == site("Hut", .null, gone: .integer(1)))
        #expect(try bench.conflicts().isEmpty)
        // An edit that is there already does not help it.
        let done = replica.update(
            "site", .text("s"),
            set: ["mood": (.null, .text("calm")), "name": (.text("Hall"), .text("Hut"))]
        ).filling("mood", replica)
        _ = try replica.push(done)
        #expect(try site(bench, replica) == site("Hut", .null, gone: .integer(1)))
        let change = replica.update("site", .text("s"), set: both).filling("mood", replica)
        let outcome = try replica.push(change)[0]
        #expect((outcome == .applied) == (updates == .resurrect))
        #expect(
            try site(bench, replica)
                == (updates == .resurrect
                    ? site("Lodge", .null) : site("Hut", .null, gone: .integer(1))))
    }

    @Test func `never soft-delete a row`() throws {
        let bench = try HubBench(
            schema: Self.schema, rules: ["site": TableRules(softDelete: "gone")])
        let replica = try replica(bench)
        let gone: [String: (Value, Value)] = ["gone": (.null, .integer(1))]
        let fill = replica.update("site", .text("s"), set: gone).filling("gone", replica)
        #expect(try replica.push(fill) == [.applied])
        #expect(try site(bench, replica) == site("Hut", .null))
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `keep no row from the delete of its parent`() throws {
        let bench = try HubBench(schema: Self.schema)
        let replica = try replica(bench)
        let delete = replica.delete("site", before: site("Hut", .null))
        bench.timed {}
        let fill = replica.update("tree", .text("t"), set: mood).filling("mood", replica)
        #expect(try replica.push(fill, delete) == [.applied, .applied])
        #expect(try bench.rows("SELECT count(*) FROM tree") == [[.integer(0)]])
    }

    // MARK: Times

    @Test func `are no edits: the row keeps its time, and others win as before`() throws {
        let bench = try HubBench(
            schema: Self.schema,
            classes: [
                ReplicaClass(
                    name: "supervisors", priority: 5,
                    replicas: ["00000000-0000-4000-8000-000000000001"])
            ])
        let (first, second) = (try replica(bench), try ScriptedReplica(bench, 2))
        try second.exchange()
        try bench.sql("UPDATE site SET name = 'Shed' WHERE id = 's'")
        let times = "SELECT changed_at FROM moorage_track_1_site ORDER BY 1"
        let before = try bench.rows(times)
        bench.timed {}
        let edit = second.update(
            "site", .text("s"), set: ["name": (.text("Hut"), .text("Lodge"))])
        bench.timed {}
        #expect(
            try first.push(first.update("site", .text("s"), set: mood).filling("mood", first))
                == [.applied])
        #expect(try bench.rows(times) == before)
        #expect(try second.push(edit) == [.applied])
        #expect(
            try bench.rows("SELECT name, mood FROM site WHERE id = 's'")
                == [[.text("Lodge"), .text("calm")]])
    }
}

/// Fills that a user, or a device at all, may not write.
@Suite(.ownThreads) struct `Fills and rights` {
    private let both: [String: (Value, Value)] = [
        "mood": (.null, .text("calm")), "name": (.text("Hut"), .text("Lodge")),
    ]

    private func push(_ bench: HubBench, _ columns: String...) throws -> [Outcome.Kind] {
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let change = replica.update(
            "site", .text("s"), set: both.filter { columns.contains($0.key) })
        return try replica.push(change.filling("mood", replica))
    }

    private func site(_ bench: HubBench) throws -> [[Value]] {
        try bench.rows("SELECT name, mood FROM site WHERE id = 's'")
    }

    @Test func `are dropped where the user may not write the column`() throws {
        for rights in [TableRights(), TableRights(update: true, columns: ["name"])] {
            let bench = try HubBench(
                schema: `Fills at the hub`.schema,
                rights: RightSettings(tables: ["site": ["*": rights]]))
            #expect(try push(bench, "mood") == [.applied])
            #expect(try site(bench) == [[.text("Hut"), .null]])
            #expect(try bench.conflicts().isEmpty)
        }
    }

    @Test func `leave the edits beside them`() throws {
        let bench = try HubBench(
            schema: `Fills at the hub`.schema,
            rights: RightSettings(
                tables: ["site": ["*": TableRights(update: true, columns: ["name"])]]))
        #expect(try push(bench, "mood", "name") == [.applied])
        #expect(try site(bench) == [[.text("Lodge"), .null]])
    }

    @Test func `are not logged with an edit that is refused`() throws {
        let bench = try HubBench(
            schema: `Fills at the hub`.schema,
            rights: RightSettings(
                tables: ["site": ["*": TableRights(update: true, columns: ["mood"])]]))
        guard case .refused(let refusal) = try push(bench, "mood", "name")[0] else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.code == .permission)
        #expect(try bench.conflicts().map { $0[3] } == [#"{"name":"Lodge"}"#])
        #expect(try site(bench) == [[.text("Hut"), .null]])
    }

    @Test(arguments: [TableDirection.down, .downReverting])
    func `are dropped where rows only come down`(direction: TableDirection) throws {
        let bench = try HubBench(
            schema: `Fills at the hub`.schema, directions: ["site": direction])
        #expect(try push(bench, "mood") == [.applied])
        #expect(try site(bench) == [[.text("Hut"), .null]])
        #expect(try bench.conflicts().isEmpty)
    }

    @Test func `are dropped where the column only comes down`() throws {
        let bench = try HubBench(
            schema: `Fills at the hub`.schema, columns: ["site": ColumnSettings(downOnly: ["mood"])]
        )
        #expect(try push(bench, "mood", "name") == [.applied])
        #expect(try site(bench) == [[.text("Lodge"), .null]])
    }

    @Test func `are in the audit trail if they go in`() async throws {
        let bench = try HubBench(schema: `Fills at the hub`.schema, audit: AuditPolicy())
        try bench.sql("UPDATE site SET mood = 'glad' WHERE id = 'r'")
        let replica = try ScriptedReplica(bench, 1)
        try replica.exchange()
        let mood = both.filter { $0.key == "mood" }
        _ = try replica.push(
            replica.update("site", .text("r"), set: mood).filling("mood", replica),
            replica.update("site", .text("s"), set: both).filling("mood", replica))
        let lines = try await bench.hub.audit()
        #expect(lines.map(\.key) == [#"["s"]"#])
        #expect(lines.first?.columns == #"["mood","name"]"#)
    }
}

extension Change {
    /// The same with one column as a fill.
    func filling(
        _ column: String, _ replica: ScriptedReplica, group: Int? = nil, isAgain: Bool = false
    ) -> Change {
        guard case .update(let edits) = operation else { return self }
        let filled = replica.table(table).column(named: column)
        return Change(
            table: table, key: key,
            operation: .update(
                edits.map {
                    ColumnEdit(
                        column: $0.column, old: $0.old, new: $0.new, isFill: $0.column == filled)
                }), editedAt: editedAt, isAgain: isAgain, group: group)
    }
}
