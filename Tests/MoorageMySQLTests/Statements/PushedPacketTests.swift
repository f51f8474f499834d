import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageMySQL

/// The server closes the connection on a packet above its limit: 16 MiB, unless the owner set
/// `max_allowed_packet`.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `More than a packet` {
    private static let columns = [TableColumns(name: "item", columns: ["id", "note"])]

    /// - Parameter work: Gets the server's limit in bytes.
    private static func attached(
        _ server: MySQLServer, bindsArrays: Bool = true,
        _ work: (_ subject: MySQLSubject, _ owner: MySQLSession, _ packet: Int) throws -> Void
    ) throws {
        try server.withDatabase(options: .init(bindsArrays: bindsArrays)) { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE item (id INT PRIMARY KEY, note LONGTEXT CHARACTER SET utf8mb4)
                ENGINE = InnoDB
                """)
            try subject.attach()
            let limit = try owner.cell("SELECT @@max_allowed_packet")
            try work(subject, owner, try #require(limit.flatMap { Int($0) }))
        }
    }

    /// Pushes one batch.
    ///
    /// - Returns: The hub's answer to each change.
    private static func push(
        _ operations: [(id: Int64, operation: Change.Operation)], as number: Int64, to hub: Hub
    ) throws -> [Outcome.Kind] {
        let batch = Batch(
            number: number, nonce: "n\(number)", preparedAt: 0, tables: columns,
            changes: operations.map {
                Change(
                    table: "item", key: RowKey([.integer($0.id)]), operation: $0.operation,
                    editedAt: 0)
            })
        let request = ExchangeRequest(
            replica: "00000000-0000-4000-8000-000000000001", hub: nil, sentAt: 0, tables: columns,
            cursor: .start, schemaVersion: nil, batch: batch, limits: PageLimits())
        var kinds: [Outcome.Kind] = []
        try hub.exchange(request) { (frame: Frame) in
            if case .outcomes(let answer) = frame { kinds = answer.outcomes.map(\.kind) }
        }
        return kinds
    }

    private static func expectTooLarge(_ kind: Outcome.Kind, packet: Int) {
        guard case .refused(let refusal) = kind else {
            Issue.record("\(kind)")
            return
        }
        #expect(refusal.code == .tooLarge)
        #expect(refusal.message.contains("The column item.note has a value"))
        #expect(refusal.message.contains("max_allowed_packet of \(packet) bytes"))
    }

    @Test(arguments: MySQLServer.first, [true, false])
    func `in one value is refused by name, and the rest of the batch goes in`(
        server: MySQLServer, bindsArrays: Bool
    ) throws {
        try Self.attached(server, bindsArrays: bindsArrays) { subject, owner, packet in
            // The hub itself accepts more than the server does.
            let limits = HubLimits(maximumBatchBytes: 4 * packet, maximumValueBytes: 2 * packet)
            let hub = Hub(
                database: subject.mysql, configuration: HubConfiguration(limits: limits))
            let large = Value.text(String(repeating: "x", count: packet))
            let inserted = try Self.push(
                [
                    (1, .insert([.integer(1), .text("a")])), (2, .insert([.integer(2), large])),
                    (3, .insert([.integer(3), .text("c")])),
                ], as: 1, to: hub)
            try #require(inserted.count == 3)
            #expect([inserted[0], inserted[2]] == [.applied, .applied])
            Self.expectTooLarge(inserted[1], packet: packet)
            let rows = "SELECT id, note FROM item ORDER BY id"
            #expect(try owner.rows(rows) == [["1", "a"], ["3", "c"]])

            let updated = try Self.push(
                [
                    (1, .update([ColumnEdit(column: 1, old: .text("a"), new: large)])),
                    (3, .update([ColumnEdit(column: 1, old: .text("c"), new: .text("d"))])),
                ], as: 2, to: hub)
            try #require(updated.count == 2)
            Self.expectTooLarge(updated[0], packet: packet)
            #expect(updated[1] == .applied)
            #expect(try owner.rows(rows) == [["1", "a"], ["3", "d"]])
        }
    }

    @Test(arguments: MySQLServer.first, [true, false])
    func `in the rows of an insert goes in in parts`(server: MySQLServer, bindsArrays: Bool) throws
    {
        try Self.attached(server, bindsArrays: bindsArrays) { subject, owner, packet in
            let note = Value.text(String(repeating: "x", count: packet / 4))
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                try connection.begin(.write)
                try connection.insert(
                    table, columns: [0, 1], rows: (1...5).map { [.integer($0), note] })
                try connection.commit()
            }
            let whole = "SELECT count(*) FROM item WHERE length(note) = \(packet / 4)"
            #expect(try owner.cell(whole) == "5")
        }
    }

    @Test(arguments: MySQLServer.first)
    func `in the rows of an update goes in in parts`(server: MySQLServer) throws {
        try Self.attached(server) { subject, owner, packet in
            try owner.plain("INSERT INTO item (id) VALUES (1), (2), (3), (4), (5)")
            let note = Value.text(String(repeating: "x", count: packet / 4))
            // As JSON it is six times as long: no list of rows can contain it.
            let escaped = Value.text(String(repeating: "\u{1}", count: packet / 6))
            try subject.inConnection { connection in
                let table = try #require(try connection.attachedTables().first)
                try connection.begin(.write)
                try connection.update(
                    table, columns: [1],
                    rows: (1...5).map { id in
                        KeyedValues(
                            key: table.description.key([.integer(id)]),
                            values: [id < 5 ? note : escaped])
                    })
                try connection.commit()
            }
            let lengths = try owner.rows("SELECT length(note) FROM item ORDER BY id")
            let expected = Array(repeating: packet / 4, count: 4) + [packet / 6]
            #expect(lengths.compactMap { $0[0] } == expected.map { String($0) })
        }
    }
}
