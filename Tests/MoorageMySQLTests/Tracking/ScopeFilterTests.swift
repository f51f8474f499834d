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

    @Test(arguments: MySQLServer.all)
    func `are not true for texts in a column of numbers, and stop no exchange`(
        server: MySQLServer
    ) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE item (
                  id INT PRIMARY KEY, amount INT, price DECIMAL(10,2), weight DOUBLE,
                  marked TINYINT(1), bits BIT(12)
                ) ENGINE = InnoDB;
                INSERT INTO item VALUES (1, 7, 1.5, 0.5, 1, 4095), (2, 8, 1.5, 0.5, 1, 4095)
                """)
            let filter = try RowFilter(
                "amount = 7 AND price = 1.5 AND weight < 1 AND marked AND bits = 4095")
            try subject.attach(
                ["item"], scopes: ScopeSettings(rules: ["item": filter.applied(to: [])]))
            func live() throws -> String? {
                try subject.database.perform { try $0.numberChanges() }
                return try owner.cell(
                    "SELECT group_concat(k0 ORDER BY k0) FROM moorage_track_1_item WHERE live")
            }
            #expect(try live() == "1")
            try owner.plain(
                """
                ALTER TABLE item CONVERT TO CHARACTER SET utf8mb4;
                ALTER TABLE item MODIFY amount VARCHAR(400), MODIFY price VARCHAR(20),
                  MODIFY weight TEXT, MODIFY marked VARCHAR(20);
                INSERT INTO item VALUES (3, 'some', '1.5', '0.5', '1', 4095),
                  (4, '7', 'dear', '0.5', '1', 4095), (5, '7', '1.5', '漢', '1', 4095),
                  (6, '7', '1.50', '1e-3', '1', 4095), (7, '7', '1.5', '0.5', 'yes', 4095),
                  (8, repeat('9', 400), '1.5', '9e308', '1', 4095), (9, '7', '1.5', '', '1', 4095)
                """)
            #expect(try live() == "1,6")
        }
    }
}
