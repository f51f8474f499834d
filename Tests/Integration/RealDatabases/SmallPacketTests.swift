import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageMySQL
import TestSupport
import Testing

extension Night {
    /// The hub splits what it sends to MariaDB by the server's `max_allowed_packet`.
    @Suite(
        "A server that takes small packets", .ownThreads, .night(.fire),
        .enabled(if: OwnMariaDB.program != nil))
    struct SmallPackets {
        private static func run(
            _ bindsArrays: Bool, _ test: (MySQLLink, Device) async throws -> Void
        ) async throws {
            try await OwnMariaDB.with { own in
                let root = try MySQLLink(url: own.url("mysql"))
                try root.run("SET GLOBAL max_allowed_packet = 1048576; CREATE DATABASE small")
                let owner = try MySQLLink(url: own.url("small"))
                try owner.run(
                    """
                    CREATE TABLE item (id VARCHAR(120) CHARACTER SET utf8mb4 PRIMARY KEY,
                      note LONGTEXT CHARACTER SET utf8mb4, data LONGBLOB) ENGINE = InnoDB
                    """)
                let database = try MySQLDatabase(
                    url: own.url("small", user: "moorage"), options: .init(bindsArrays: bindsArrays)
                )
                defer { database.close() }
                let hub = Hub(database: database)
                _ = try await hub.attach(tables: nil)
                let folder = try TemporaryFolder()
                defer { folder.remove() }
                let file = try DatabaseQueue(path: folder.path("a.db"))
                let replica = try await Replica.clone(
                    into: file, from: .direct(hub), tables: ["item"])
                try await test(owner, Device(name: "A", file: file, replica: replica))
            }
        }

        private static func count(_ owner: MySQLLink, _ condition: String) throws -> Int {
            try owner.number("SELECT count(*) FROM item WHERE \(condition)")
        }

        @Test(arguments: [true, false])
        func `gets a batch in parts`(bindsArrays: Bool) async throws {
            try await Self.run(bindsArrays) { owner, device in
                // 6,000 long keys alone exceed a packet.
                try device.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
                    INSERT INTO item (id, note)
                    SELECT printf('%0110d', i), printf('%0300d', i) FROM n
                    """)
                try await device.replica.sync()
                #expect(try Self.count(owner, "length(note) = 300") == 6000)
                try device.execute("UPDATE item SET note = note || '\u{1}\u{1}'")
                try await device.replica.sync()
                #expect(try Self.count(owner, "length(note) = 302") == 6000)
                #expect(try await device.replica.verify().isEmpty)
                try device.execute("DELETE FROM item WHERE id > printf('%0110d', 100)")
                try await device.replica.sync()
                #expect(try Self.count(owner, "1 = 1") == 100)
                #expect(try await device.replica.refusedChanges.fetch().isEmpty)
            }
        }

        @Test(arguments: [true, false])
        func `takes one value as large as it can, and a larger one is refused by name`(
            bindsArrays: Bool
        ) async throws {
            try await Self.run(bindsArrays) { owner, device in
                try device.execute(
                    """
                    INSERT INTO item VALUES ('a', 'small', NULL), ('b', 'small', NULL), ('c', NULL, zeroblob(1000000));
                    INSERT INTO item VALUES ('d', NULL, zeroblob(1048576)), ('e', printf('%01200000d', 1), NULL)
                    """)
                try await device.replica.sync()
                #expect(try Self.count(owner, "1 = 1") == 3)
                var refused = try await device.replica.refusedChanges.fetch()
                #expect(refused.map(\.code) == [.tooLarge, .tooLarge])
                #expect(Set(refused.map { $0.message.contains("item.data") }) == [true, false])
                #expect(refused.allSatisfy { $0.message.contains("max_allowed_packet") })
                // The same in an update. JSON writes each of these characters as six.
                try device.execute(
                    """
                    UPDATE item SET note = replace(printf('%0900000d', 0), '0', char(1)) WHERE id = 'a';
                    UPDATE item SET data = zeroblob(2000000) WHERE id = 'b'
                    """)
                try await device.replica.sync()
                #expect(try Self.count(owner, "length(note) = 900000") == 1)
                // By its length the value fits into a packet with others. Written in JSON it does
                // not.
                try device.execute(
                    """
                    UPDATE item SET note = replace(printf('%0240000d', 0), '0', char(10)) WHERE id = 'a';
                    UPDATE item SET note = replace(printf('%0240000d', 0), '0', char(1)) WHERE id = 'c'
                    """)
                try await device.replica.sync()
                #expect(try Self.count(owner, "length(note) = 240000") == 2)
                refused = try await device.replica.refusedChanges.fetch()
                #expect(refused.count == 3)
                #expect(try await device.replica.pendingChanges.fetch().isEmpty)
                #expect(try await device.replica.verify().isEmpty)
            }
        }
    }
}
