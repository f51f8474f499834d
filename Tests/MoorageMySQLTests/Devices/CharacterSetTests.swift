import Moorage
import MoorageCore
import TestSupport
import Testing

@testable import MoorageMySQL

/// Old databases are full of columns that take no emoji.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty))
struct `A character that a column's character set lacks` {
    @Test(arguments: MySQLServer.all)
    func `refuses its row alone, and the message names the column and the set`(
        server: MySQLServer
    ) async throws {
        try await Devices.run(
            server,
            """
            CREATE TABLE v (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4,
              b VARCHAR(20) CHARACTER SET utf8mb3, c TEXT CHARACTER SET latin1, n INT) #;
            INSERT INTO v VALUES (1, 'a', 'b', 'c', 1), (2, 'a', 'b', 'c', 2), (3, 'a', 'b', 'c', 3)
            """
        ) { devices in
            let a = try await devices.clone("A", ["v"])
            try await a.execute(
                """
                UPDATE v SET a = '🎸', b = '🎸' WHERE id = 1;
                UPDATE v SET b = 'ö', c = '漢' WHERE id = 2;
                UPDATE v SET a = '🎸', n = 9 WHERE id = 3;
                INSERT INTO v VALUES (4, '漢', '漢', '漢', 4);
                INSERT INTO v VALUES (5, '🎸', '漢', 'é', 5)
                """)
            #expect(try await devices.differences(a) == [])
            let refused = try await a.replica.refusedChanges.fetch()
            let expected: [Int64: String] = [
                1: "v.b has the character set utf8mb3", 2: "v.c has the character set latin1",
                4: "v.c has the character set latin1",
            ]
            #expect(refused.count == expected.count)
            for (id, words) in expected {
                let found = refused.first { $0.key.values == [.integer(id)] }
                #expect(found?.code == .type)
                #expect(found?.message.contains(words) == true, "\(found?.message ?? "taken")")
            }
            #expect(
                try devices.owner.rows("SELECT id, a, b, c, n FROM v ORDER BY id") == [
                    ["1", "a", "b", "c", "1"], ["2", "a", "b", "c", "2"],
                    ["3", "🎸", "b", "c", "9"],
                    ["5", "🎸", "漢", "é", "5"],
                ])
        }
    }
}
