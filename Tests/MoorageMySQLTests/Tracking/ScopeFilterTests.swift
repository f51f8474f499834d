import MoorageHub
import TestSupport
import Testing

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Filters on MySQL` {
    @Test(arguments: MySQLServer.all)
    func `compare texts by their bytes, whatever the collation`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE item (
                  id INT PRIMARY KEY,
                  name VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci,
                  kind ENUM ('a', 'b c') CHARACTER SET latin1, marked BIT(1), big BIGINT UNSIGNED
                ) ENGINE = InnoDB;
                INSERT INTO item VALUES (1, 'Ann', 'a', b'1', 5), (2, 'ann', 'a', b'1', 5),
                  (3, 'ann', 'b c', b'1', 5), (4, 'ann ', 'a', b'1', 5), (5, 'ann', 'a', b'0', 5),
                  (6, 'ann', 'a', b'1', 18446744073709551615), (7, 'ann', 'a', NULL, 5)
                """)
            let filter = try RowFilter("name = 'ann' AND kind = 'a' AND marked AND big > -1")
            try subject.attach(
                ["item"], scopes: ScopeSettings(rules: ["item": filter.applied(to: [])]))
            try subject.database.perform { try $0.numberChanges() }
            #expect(
                try owner.cell(
                    """
                    SELECT group_concat(k0 ORDER BY k0) FROM moorage_track_1_item WHERE live
                    """) == "2,6")
        }
    }
}
