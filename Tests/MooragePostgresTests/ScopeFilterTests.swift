import MoorageHub
import TestSupport
import Testing

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Filters on PostgreSQL` {
    @Test func `stop no writer when a column gets another type`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE TABLE item (id int PRIMARY KEY, amount int, state text);
                INSERT INTO item VALUES (1, 7, 'open'), (2, 8, 'open'), (3, 8, 'a $moorage$ b')
                """)
            let filter = try RowFilter("amount = 7 OR amount > 5 AND state = 'a $moorage$ b'")
            try subject.attach(scopes: ScopeSettings(rules: ["item": filter.applied(to: [])]))
            func live() throws -> [[String?]] {
                try owner.rows("SELECT k0 FROM moorage_track_1_item WHERE live ORDER BY 1")
            }
            #expect(try live() == [["1"], ["3"]])
            try owner.execute("ALTER TABLE item ALTER amount TYPE text USING 'many'")
            try owner.execute(
                """
                INSERT INTO item VALUES (4, 'some', 'a $moorage$ b'), (5, '7', 'open');
                UPDATE item SET state = 'closed' WHERE id = 1
                """)
            #expect(try live() == [["3"], ["5"]])
        }
    }

    @Test func `compare enums, citext and padded texts by their bytes`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                """
                CREATE EXTENSION citext;
                CREATE TYPE mood AS ENUM ('happy', 'sad');
                CREATE TABLE item (id int PRIMARY KEY, mood mood, name citext, code char(5));
                INSERT INTO item VALUES (1, 'happy', 'Ann', 'x'), (2, 'sad', 'ann', 'x'),
                  (3, 'happy', 'ann', 'x'), (4, 'happy', 'ann', 'y')
                """)
            let filter = try RowFilter("mood = 'happy' AND name = 'ann' AND code = 'x'")
            try subject.attach(scopes: ScopeSettings(rules: ["item": filter.applied(to: [])]))
            #expect(
                try owner.rows("SELECT k0 FROM moorage_track_1_item WHERE live") == [["3"]])
        }
    }
}
