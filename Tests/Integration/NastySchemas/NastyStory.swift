import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import Testing

/// Attaches, clones, edits on both devices and at the centre, syncs, verifies, and detaches.
enum NastyStory {
    static func tell(_ schema: NastySchema, _ kind: CentreKind) async throws {
        try await World.run(kind, schema: [], attaches: false) { world in
            try await prepare(schema, world)
            let original = try await SchemaDump.text(world.centre, folder: world.folder)
            let report = try await world.hub.attach()
            expectAll(report, schema, kind)
            let attached =
                try await schema.isDumpedAttached || isNightly
                ? SchemaDump.text(world.centre, folder: world.folder) : nil
            let a = try await world.clone("A", pageRows: schema.pageRows)
            let b = try await world.clone("B", pageRows: schema.pageRows)
            try await expectEqual(world, a, b, "cloned")

            let before = try updatedRows(schema, world, a)
            try edit(schema, world, a, b)
            // Twice, because what the centre's triggers do to A's rows may come only with B's
            // exchange.
            try await world.converge(a, b)
            try await world.converge(a, b)
            for device in [a, b] {
                let refused = try await device.replica.refusedChanges.fetch()
                #expect(refused.map { "\(device.name) \($0.table): \($0.message)" } == [])
                let withheld = try await device.replica.withheldValues.fetch()
                #expect(withheld.map { "\(device.name) \($0.table): \($0.reason)" } == [])
            }
            try await expectEqual(world, a, b, "at rest")
            try expectRows(schema, world)
            let after = try updatedRows(schema, world, a)
            for (row, old) in before {
                let new = try #require(after[row], "\(row)")
                #expect(new != old, "\(row)")
            }

            let again = try await world.hub.attach()
            #expect(again.attached == report.attached && again.removed == [])
            #expect(again.unsupported == report.unsupported)
            try await expectDump(attached, world, "attached again")
            try await world.converge(a, b)
            try await expectEqual(world, a, b, "attached again")

            try await world.hub.detach()
            try await expectDump(original, world, "detached")
        }
    }

    private static func expectEqual(
        _ world: World, _ a: Device, _ b: Device, _ when: Comment
    ) async throws {
        let differences = try await world.differences(a, b)
        #expect(differences.prefix(20) == [], when)
    }

    private static func prepare(_ schema: NastySchema, _ world: World) async throws {
        let kind = world.centre.kind
        if kind == .postgres { try world.centre.execute("SET TIME ZONE 'UTC'") }
        for statement in schema.statements(kind) { try world.centre.execute(statement) }
        for part in [NastySchema.anchors, Array(NastySchema.first.dropFirst(2))] {
            let rows = schema.tables.flatMap { table in
                part.map { schema.insert(schema.row($0, of: table, kind), into: table, kind) }
            }
            try world.centre.execute(rows.joined(separator: ";\n"))
        }
    }

    private static func expectAll(
        _ report: AttachReport, _ schema: NastySchema, _ kind: CentreKind
    ) {
        let attached = Set(report.attached.map { Array($0.name.utf8) })
        let expected = schema.tables.map(\.name) + schema.others
        #expect(attached == Set(expected.map { Array($0.utf8) }))
        #expect(report.attached.count == expected.count)
        #expect(report.unsupported.map(\.name).sorted() == schema.passedOver(kind).sorted())
        #expect(report.unsupported.allSatisfy { $0.reason.hasSuffix(".") })
    }

    private static func edit(
        _ schema: NastySchema, _ world: World, _ a: Device, _ b: Device
    ) throws {
        let kind = world.centre.kind
        try a.file.write { db in
            for sql in schema.edits(part: 0, at: .sqlite, centre: kind) + schema.atA {
                try db.execute(sql: sql)
            }
        }
        try b.file.write { db in
            for sql in schema.edits(part: 1, at: .sqlite, centre: kind) + schema.atB {
                try db.execute(sql: sql)
            }
        }
        for sql in schema.edits(part: 2, at: kind, centre: kind) + schema.atCentre {
            try world.centre.execute(sql)
        }
    }

    /// Expects each part's insert and no deleted row. A row with another key has only that key.
    /// Each table has the right number of rows.
    private static func expectRows(_ schema: NastySchema, _ world: World) throws {
        let kind = world.centre.kind
        for table in schema.tables {
            let source = "SELECT count(*) FROM \(NastySQL.name(table.name))"
            if !schema.growing.contains(table.name) {
                #expect(
                    try world.centre.count(source) == NastySchema.first.count, "\(table.name)")
            }
            let outcome = schema.outcome(table, at: kind, centre: kind)
            for condition in outcome.here {
                #expect(
                    try world.centre.count("\(source) WHERE \(condition)") == 1,
                    "\(table.name): \(condition)")
            }
            for condition in outcome.gone {
                #expect(
                    try world.centre.count("\(source) WHERE \(condition)") == 0,
                    "\(table.name): \(condition)")
            }
        }
    }

    /// The rows that the edits update, as a device has them.
    private static func updatedRows(_ schema: NastySchema, _ world: World, _ device: Device) throws
        -> [String: Row]
    {
        try device.file.read { db in
            var rows: [String: Row] = [:]
            for table in schema.tables {
                for condition in schema.updates(table, at: .sqlite, centre: world.centre.kind) {
                    let from = "\(NastySQL.name(table.name)) WHERE \(condition)"
                    rows[from] = try Row.fetchOne(db, sql: "SELECT * FROM \(from)")
                }
            }
            return rows
        }
    }

    private static func expectDump(_ dump: String?, _ world: World, _ when: Comment) async throws {
        guard let dump else { return }
        let now = try await SchemaDump.text(world.centre, folder: world.folder) ?? ""
        if now == dump { return }
        let before = dump.split(separator: "\n", omittingEmptySubsequences: false)
        let difference = now.split(separator: "\n", omittingEmptySubsequences: false)
            .difference(from: before)
        let lines = difference.map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
        Issue.record(
            "\(when.rawValue): the schema is another one:\n\(lines.prefix(30).joined(separator: "\n"))"
        )
    }
}
