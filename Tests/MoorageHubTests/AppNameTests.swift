import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// To new apps, `customer.city` is `client.town`. To old ones it is `person.place`.
@Suite(.ownThreads) struct `A table with names in apps` {
    private static let tableNames = ["customer": AppNames(name: "client", renamedFrom: ["person"])]
    private static let columns = [
        "customer": ColumnSettings(
            names: ["city": AppNames(name: "town", renamedFrom: ["place"])])
    ]

    private func bench(
        rules: [String: TableRules] = [:], rights: RightSettings = RightSettings(),
        audit: AuditPolicy? = nil, minimumClientVersions: [String: String] = [:]
    ) throws -> HubBench {
        let bench = try HubBench(
            rules: rules, columns: Self.columns, tableNames: Self.tableNames, rights: rights,
            audit: audit, minimumClientVersions: minimumClientVersions)
        try bench.sql("INSERT INTO customer(id, name, city) VALUES ('a', 'Ann', 'Oslo')")
        return bench
    }

    private func old(_ bench: HubBench) throws -> ScriptedReplica {
        try ScriptedReplica(
            bench, 1, own: ["customer": "person", "customer.city": "place"])
    }

    private func new(_ bench: HubBench) throws -> ScriptedReplica {
        try ScriptedReplica(bench, 2, own: ["customer": "client", "customer.city": "town"])
    }

    private func cities(_ replica: ScriptedReplica, _ table: String) -> [Value] {
        replica.rows[table, default: [:]].values.map { $0[2] }
    }

    private func tables(_ replica: ScriptedReplica, _ frames: [Frame]) -> [TableColumns] {
        replica.pages(frames).flatMap(\.tables).map {
            TableColumns(name: $0.table, columns: $0.columns)
        }
    }

    private func welcome(_ frames: [Frame]) throws -> Welcome {
        guard case .welcome(let welcome)? = frames.first else {
            throw HubError(.internalError, "The first frame is a welcome.")
        }
        return welcome
    }

    // MARK: Exchanges

    @Test func `goes to each replica under the names that it asked for`() throws {
        let bench = try bench()
        let (old, new, plain) = (try old(bench), try new(bench), try ScriptedReplica(bench, 3))
        #expect(
            tables(old, try old.exchange()) == [
                TableColumns(name: "person", columns: ["id", "name", "place", "credit", "code"])
            ])
        #expect(
            tables(new, try new.exchange()) == [
                TableColumns(name: "client", columns: ["id", "name", "town", "credit", "code"])
            ])
        #expect(tables(plain, try plain.exchange()).map(\.name) == ["customer"])
        // A rename in an app has nobody read the table again.
        let signature = plain.cursor.tables["customer"]
        #expect(signature != nil && old.cursor.tables["person"] == signature)
        #expect(new.cursor.tables["client"] == signature)
    }

    @Test func `takes edits under any of them`() throws {
        let bench = try bench()
        let (old, new) = (try old(bench), try new(bench))
        try old.exchange()
        try new.exchange()
        let edit = old.update("person", .text("a"), set: ["place": (.text("Oslo"), .text("Rome"))])
        #expect(try old.push(edit) == [.applied])
        try new.exchange()
        #expect(cities(new, "client") == [.text("Rome")])
        let other = new.update("client", .text("a"), set: ["town": (.text("Rome"), .text("Bonn"))])
        #expect(try new.push(other) == [.applied])
        let row: [Value] = [.text("b"), .text("Bob"), .text("Kiel"), .null, .null]
        #expect(try new.push(new.insert("client", row)) == [.applied])
        try old.exchange()
        #expect(Set(cities(old, "person")) == [.text("Bonn"), .text("Kiel")])
        #expect(
            try bench.rows("SELECT city FROM customer ORDER BY id")
                == [[.text("Bonn")], [.text("Kiel")]])
        #expect(try old.push(old.delete("person", before: row)) == [.applied])
        try new.exchange()
        #expect(new.removed == [RowName(table: "client", key: RowKey([.text("b")]))])
    }

    @Test func `tells a replica what it lost to by position in its own columns`() throws {
        let bench = try bench(rules: ["customer": TableRules(rule: .server)])
        let old = try old(bench)
        try old.exchange()
        try bench.sql("UPDATE customer SET city = 'Bern'")
        let edit = old.update("person", .text("a"), set: ["place": (.text("Oslo"), .text("Rome"))])
        let outcome = try #require(old.outcomes(try old.exchange(old.batch([edit]))).first)
        #expect(outcome.kind == .overruled)
        let place = try #require(old.table("person").column(named: "place"))
        #expect(outcome.overruling?.theirs?.map(\.column) == [place])
        #expect(try bench.conflicts().first?[4]?.contains(#""city""#) == true)
    }

    @Test func `has its own names in the audit trail`() async throws {
        let bench = try bench(audit: AuditPolicy())
        let old = try old(bench)
        try old.exchange()
        let edit = old.update("person", .text("a"), set: ["place": (.text("Oslo"), .text("Rome"))])
        _ = try old.push(edit)
        let lines = try await bench.hub.audit()
        #expect(lines.map(\.table) == ["customer"] && lines.map(\.columns) == [#"["city"]"#])
    }

    /// The replica has nothing yet in the column that it added beside the old one.
    @Test func `sends a row to the replica that inserted it under another column name`() throws {
        let bench = try bench()
        let (old, new) = (try old(bench), try new(bench))
        try new.exchange()
        func row(_ id: String) -> [Value] {
            [.text(id), .text("Bob"), .text("Kiel"), .null, .null]
        }
        #expect(
            old.outcomes(try new.exchange(old.batch([old.insert("person", row("b"))]))).map(\.kind)
                == [.applied])
        #expect(new.rows["client"]?[RowKey([.text("b")])] == row("b"))
        // A row that it has as it asks for it is not sent.
        new.batchNumber = 1
        #expect(try new.push(new.insert("client", row("c"))) == [.applied])
        #expect(new.rows["client"]?[RowKey([.text("c")])] == nil)
    }

    @Test func `withholds a row by the replica's names`() throws {
        let bench = try bench()
        try bench.sql("INSERT INTO customer(id, name, city) VALUES ('w', 'W', x'FF')")
        let old = try old(bench)
        try old.exchange()
        #expect(old.withheld.map(\.row.table) == ["person"])
        #expect(old.withheld.map(\.column) == ["place"])
    }

    @Test func `is compared under the replica's names`() throws {
        let bench = try bench()
        let old = try old(bench)
        try old.exchange()
        func compare(_ table: String, _ column: String) throws -> CompareAnswer {
            let request = CompareRequest(
                replica: old.id, table: TableColumns(name: table, columns: ["id", column]),
                after: nil, maximumRows: 10, cursor: .start, withValues: false)
            return try bench.hub.comparison(CompareRequest(decoding: request.encoded()))
        }
        let answer = try compare("person", "place")
        #expect(answer.rows.count == 1 && answer.rows[0].fingerprint != nil)
        #expect(try compare("client", "town") == answer)
        #expect(try compare("customer", "city") == answer)
    }

    @Test func `comes over live streams under each replica's names`() throws {
        let bench = try bench()
        let (old, new) = (try old(bench), try new(bench))
        try old.exchange()
        try new.exchange()
        var streams = [
            try #require(try bench.hub.open(old.request(nil).live, for: nil) { _ in }),
            try #require(try bench.hub.open(new.request(nil).live, for: nil) { _ in }),
        ]
        try bench.sql("UPDATE customer SET city = 'Bern'")
        var found: [[String]] = []
        for place in streams.indices {
            while case .page(let page)? = try streams[place].poll() {
                found += page.tables.map { [$0.table, $0.columns[2]] }
            }
        }
        #expect(found == [["person", "place"], ["client", "town"]])
    }

    @Test func `gets keys under the replica's name`() throws {
        let bench = try HubBench(
            rules: ["purchase": TableRules(keyBlock: 10)],
            tableNames: ["purchase": AppNames(name: "order")])
        let replica = try ScriptedReplica(bench, 1, own: ["purchase": "order"])
        let request = ExchangeRequest(
            replica: replica.id, hub: nil, sentAt: replica.now, tables: replica.tables,
            cursor: .start, schemaVersion: nil, batch: nil,
            keys: [KeysLeft(table: "order", count: 15)], limits: PageLimits())
        var frames: [Frame] = []
        try bench.hub.exchange(request, for: nil) { (frame: Frame) in frames.append(frame) }
        let block = try #require(try welcome(frames).keys.first)
        #expect(block.table == "order" && block.last - block.first == 9)
    }

    // MARK: What a replica may not have

    @Test func `that the user may not read is named as the replica asked`() throws {
        let bench = try bench(rights: RightSettings(tables: ["customer": ["boss": .all]]))
        let old = try old(bench)
        let frames = try old.exchange()
        #expect(try welcome(frames).suspended.map(\.name) == ["person"])
        #expect(tables(old, frames).isEmpty)
        let insert = old.insert("person", [.text("b"), .text("Bob"), .null, .null, .null])
        guard case .refused(let refusal)? = try old.push(insert).first else {
            Issue.record("It was taken.")
            return
        }
        #expect(refusal.code == .permission)
    }

    @Test func `wants a newer app, whatever the app calls it`() throws {
        let bench = try bench(minimumClientVersions: ["customer": "2"])
        let old = try old(bench)
        old.clientVersion = "1"
        let frames = try old.exchange()
        #expect(try welcome(frames).suspended.map(\.code) == [.clientTooOld])
        #expect(tables(old, frames).isEmpty)
        let insert = old.insert("person", [.text("b"), .text("Bob"), .null, .null, .null])
        let answer = old.answer(try old.exchange(old.batch([insert])))
        #expect(answer?.status == .notAccepted)
    }

    /// No device asks so: a made-up request.
    @Test func `is not sent twice, or mixed up, for a request with two of its names`() throws {
        let bench = try bench()
        let replica = try ScriptedReplica(bench, 1)
        func exchange(_ tables: [TableColumns], _ batch: Batch? = nil) throws -> [Frame] {
            let request = ExchangeRequest(
                replica: replica.id, hub: nil, sentAt: replica.now, tables: tables,
                cursor: .start, schemaVersion: nil, batch: batch, limits: PageLimits())
            var frames: [Frame] = []
            try bench.hub.exchange(request, for: nil) { (frame: Frame) in frames.append(frame) }
            return frames
        }
        let mixed = [TableColumns(name: "client", columns: ["id", "name", "town", "city"])]
        #expect(tables(replica, try exchange(mixed)).isEmpty)
        let change = Change(
            table: "client", key: RowKey([.text("a")]),
            operation: .update([ColumnEdit(column: 3, old: .text("Oslo"), new: .text("Rome"))]),
            editedAt: replica.now)
        let batch = Batch(
            number: 1, nonce: "n", preparedAt: replica.now, tables: mixed, changes: [change])
        #expect(replica.answer(try exchange(mixed, batch))?.status == .notAccepted)
        let twice = ["client", "person"].map { TableColumns(name: $0, columns: ["id", "city"]) }
        #expect(tables(replica, try exchange(twice)).map(\.name) == ["client"])
        #expect(try bench.rows("SELECT city FROM customer") == [[.text("Oslo")]])
    }

    // MARK: The owner

    @Test func `is in use as long as a replica has it by any name`() async throws {
        let bench = try bench()
        let (old, new) = (try old(bench), try new(bench))
        for replica in [old, new] {
            replica.report = DeviceReport()
            try replica.exchange()
        }
        let hub = bench.hub
        #expect(try await hub.checkDrop(ofTable: "customer", column: "city").needCount == 2)
        #expect(try await hub.checkDrop(ofTable: "customer", column: "place").needCount == 1)
        #expect(try await hub.checkDrop(ofTable: "person").needCount == 1)
        let restored = try await hub.restoreCheck()
        #expect(restored.tables.first { $0.name == "customer" }?.replicaCount == 2)
        let usage = try await hub.schemaUsage()
        let customer = try #require(usage.tables.first { $0.name == "customer" })
        #expect(customer.replicaCount == 2 && customer.lackingColumns.isEmpty)
    }

    private static let refused: [(tables: [String: AppNames], columns: [String: AppNames])] = [
        (["nothing": AppNames(name: "a")], [:]),
        (["customer": AppNames(name: "purchase")], [:]),
        (["customer": AppNames(name: "Line")], [:]),
        (["customer": AppNames(name: "a"), "line": AppNames(renamedFrom: ["A"])], [:]),
        (["customer": AppNames(name: "SQLite_a")], [:]),
        (["customer": AppNames(renamedFrom: ["_moorage_a"])], [:]),
        (["customer": AppNames(name: "")], [:]),
        (["customer": AppNames(renamedFrom: (0...16).map { "n\($0)" })], [:]),
        ([:], ["nothing": AppNames(name: "a")]),
        ([:], ["city": AppNames(name: "NAME")]),
        ([:], ["city": AppNames(renamedFrom: ["code"])]),
        ([:], ["city": AppNames(name: "a"), "code": AppNames(renamedFrom: ["a"])]),
        ([:], ["city": AppNames(name: "a", renamedFrom: ["a"])]),
        ([:], ["city": AppNames(name: String(repeating: "a", count: 64))]),
        ([:], ["city": AppNames(name: "a\u{0}")]),
    ]

    @Test(arguments: refused.indices)
    func `cannot have a name that means something else, or that a device cannot have`(
        number: Int
    ) async throws {
        let (tables, columns) = Self.refused[number]
        let bench = try HubBench(
            columns: columns.isEmpty ? [:] : ["customer": ColumnSettings(names: columns)],
            tableNames: tables)
        let error = await #expect(throws: HubError.self) {
            try await bench.hub.checkConfiguration()
        }
        #expect(error?.code == .configuration)
    }
}
