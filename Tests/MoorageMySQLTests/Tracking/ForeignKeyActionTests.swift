import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// InnoDB carries foreign-key actions out without firing a trigger (docs/decisions/0036).
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Foreign-key actions` {
    /// Runs statements one by one. After each of them, the tracking equals the rows.
    private static func follow(
        _ server: MySQLServer, _ schema: String, scopes: ScopeSettings = ScopeSettings(),
        tables: [String]? = nil, _ statements: [String]
    ) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            // MySQL needs a setting to accept a foreign key that refers to a part of a key.
            if try !owner.rows("SHOW VARIABLES LIKE 'restrict_fk_on_non_standard_key'").isEmpty {
                try owner.plain("SET SESSION restrict_fk_on_non_standard_key = OFF")
            }
            try owner.plain(schema.replacing("#", with: "ENGINE = InnoDB"))
            try subject.attach(tables, scopes: scopes)
            let mirror = try Mirror(subject)
            #expect(try mirror.differences() == [])
            for statement in statements {
                try owner.plain(statement)
                #expect(try mirror.differences() == [], "\(statement)")
            }
        }
    }

    private static let tree = """
        CREATE TABLE a (id INT PRIMARY KEY, code VARCHAR(20) UNIQUE, n INT) #;
        CREATE TABLE b (id INT PRIMARY KEY, a INT, code VARCHAR(20),
          FOREIGN KEY (a) REFERENCES a(id) ON DELETE CASCADE ON UPDATE CASCADE,
          FOREIGN KEY (code) REFERENCES a(code) ON DELETE SET NULL ON UPDATE CASCADE) #;
        CREATE TABLE c (b INT, place INT, PRIMARY KEY (b, place),
          FOREIGN KEY (b) REFERENCES b(id) ON DELETE CASCADE ON UPDATE CASCADE) #;
        CREATE TABLE d (id INT PRIMARY KEY, b INT, place INT, code VARCHAR(20),
          FOREIGN KEY (b, place) REFERENCES c(b, place) ON DELETE SET NULL ON UPDATE CASCADE) #;
        CREATE TABLE e (id INT PRIMARY KEY, b INT,
          FOREIGN KEY (b) REFERENCES d(b) ON DELETE CASCADE ON UPDATE SET NULL) #;
        INSERT INTO a VALUES (1, 'one', 0), (2, 'two', 0), (3, 'three', 0), (4, 'four', 0);
        INSERT INTO b VALUES (10, 1, 'one'), (11, 1, 'two'), (20, 2, 'two'), (30, 3, NULL), (40, 4, 'one');
        INSERT INTO c VALUES (10, 1), (10, 2), (11, 1), (20, 1), (30, 1), (40, 1);
        INSERT INTO d VALUES (100, 10, 1, 'x'), (101, 10, 2, 'x'), (102, 20, 1, 'x'), (103, 40, 1, 'x');
        INSERT INTO e VALUES (1, 10), (2, 20), (3, 40), (4, NULL)
        """

    @Test(arguments: MySQLServer.all)
    func `are followed down a tree, through keys that change on the way`(server: MySQLServer) throws
    {
        try Self.follow(
            server, Self.tree,
            [
                "UPDATE a SET id = 7 WHERE id = 3",
                "UPDATE a SET code = 'uno' WHERE id = 1",
                "UPDATE b SET id = 21 WHERE id = 20",
                "UPDATE c SET place = 9 WHERE b = 10 AND place = 1",
                "UPDATE a SET id = id + 100 ORDER BY id DESC",
                "DELETE FROM b WHERE id = 21",
                "DELETE FROM c WHERE b = 10 AND place = 9",
                "BEGIN; DELETE FROM a WHERE id = 101; INSERT INTO a VALUES (101, 'uno', 1); COMMIT",
                "BEGIN; DELETE FROM a WHERE id = 104; ROLLBACK",
                "DELETE FROM a",
            ])
    }

    @Test(arguments: MySQLServer.usual)
    func `are followed after REPLACE, upserts, several tables at once and LOAD DATA`(
        server: MySQLServer
    ) throws {
        let file = "../moorage_load_\(UInt32.random(in: 0 ... .max)).txt"
        try Self.follow(
            server, Self.tree,
            [
                "REPLACE INTO a VALUES (1, 'one', 5)",
                "REPLACE INTO a VALUES (9, 'two', 5)",
                "REPLACE INTO b VALUES (11, 9, 'two')",
                "INSERT INTO a VALUES (4, 'four', 1) ON DUPLICATE KEY UPDATE id = 44, n = 7",
                "INSERT IGNORE INTO a VALUES (44, 'four', 1), (45, 'five', 1)",
                """
                UPDATE a JOIN b ON b.a = a.id SET a.n = 3, b.code = NULL WHERE a.id = 44
                """,
                "UPDATE a JOIN b ON b.a = a.id SET a.code = concat(a.code, '!') WHERE a.id >= 4",
                "DELETE b, c FROM b JOIN c ON c.b = b.id WHERE b.id = 40",
                "DELETE a, b FROM a JOIN b ON b.a = a.id WHERE a.id = 3",
                "SELECT 9, 'nine', 1 UNION SELECT 46, 'six', 1 INTO OUTFILE '\(file)'",
                "LOAD DATA INFILE '\(file)' REPLACE INTO TABLE a",
                """
                SET foreign_key_checks = 0; DELETE FROM a WHERE id = 9; UPDATE b SET id = 999 WHERE id = 11;
                SET foreign_key_checks = 1
                """,
            ])
    }

    @Test(arguments: MySQLServer.usual)
    func `are followed in a table that refers to itself`(server: MySQLServer) throws {
        // MySQL 9.6 and newer counts the tables of an action each time that it meets them, and
        // refuses more than 30 (6575). With two such foreign keys nobody can delete a row.
        let refuses = try server.session("mysql").rows(
            "SHOW VARIABLES LIKE 'innodb_native_foreign_keys'")
        guard refuses.first?.last != "OFF" else { return }
        try Self.follow(
            server,
            """
            CREATE TABLE t (id INT PRIMARY KEY, up INT, side INT,
              FOREIGN KEY (up) REFERENCES t(id) ON DELETE CASCADE,
              FOREIGN KEY (side) REFERENCES t(id) ON DELETE SET NULL) #;
            INSERT INTO t VALUES (1, NULL, NULL), (2, 1, NULL), (3, 2, 1), (4, 3, 2), (5, 4, 1), (6, 5, 5),
              (7, NULL, 4), (8, NULL, NULL), (9, 8, 7)
            """,
            [
                "DELETE FROM t WHERE id = 6", "DELETE FROM t WHERE id = 4",
                "REPLACE INTO t VALUES (8, NULL, 7)", "DELETE FROM t WHERE id IN (1, 7)",
                "DELETE FROM t",
            ])
    }

    /// The rows form a chain of the greatest depth that InnoDB deletes.
    @Test(arguments: MySQLServer.usual)
    func `are followed as deep as the server goes`(server: MySQLServer) throws {
        let rows = (1...14).map { "(\($0), \($0 == 1 ? "NULL" : String($0 - 1)))" }
        try Self.follow(
            server,
            """
            CREATE TABLE t (id INT PRIMARY KEY, up INT,
              FOREIGN KEY (up) REFERENCES t(id) ON DELETE CASCADE) #;
            INSERT INTO t VALUES \(rows.joined(separator: ", "))
            """, ["DELETE FROM t WHERE id = 1"])
    }

    @Test(arguments: MySQLServer.usual)
    func `are followed on two ways to one table, and around a cycle`(server: MySQLServer) throws {
        try Self.follow(
            server,
            """
            CREATE TABLE top (id INT PRIMARY KEY, low INT) #;
            CREATE TABLE l (id INT PRIMARY KEY, top INT,
              FOREIGN KEY (top) REFERENCES top(id) ON DELETE CASCADE ON UPDATE CASCADE) #;
            CREATE TABLE r (id INT PRIMARY KEY, top INT,
              FOREIGN KEY (top) REFERENCES top(id) ON DELETE SET NULL ON UPDATE CASCADE) #;
            CREATE TABLE low (id INT PRIMARY KEY, l INT, r INT,
              FOREIGN KEY (l) REFERENCES l(id) ON DELETE CASCADE ON UPDATE CASCADE,
              FOREIGN KEY (r) REFERENCES r(id) ON DELETE SET NULL ON UPDATE CASCADE) #;
            ALTER TABLE top ADD FOREIGN KEY (low) REFERENCES low(id) ON DELETE SET NULL ON UPDATE CASCADE;
            INSERT INTO top VALUES (1, NULL), (2, NULL), (3, NULL);
            INSERT INTO l VALUES (10, 1), (20, 2), (30, 3); INSERT INTO r VALUES (11, 1), (21, 2), (31, 3);
            INSERT INTO low VALUES (100, 10, 11), (200, 20, 11), (300, 30, 31), (301, NULL, 31);
            UPDATE top SET low = 100 WHERE id = 2; UPDATE top SET low = 300 WHERE id = 3
            """,
            [
                "UPDATE top SET id = 7 WHERE id = 2", "UPDATE r SET id = 12 WHERE id = 11",
                "UPDATE low SET id = 101 WHERE id = 100", "DELETE FROM r WHERE id = 31",
                "DELETE FROM top WHERE id = 1", "DELETE FROM l WHERE id = 30",
                "DELETE FROM top",
            ])
    }

    @Test(arguments: MySQLServer.all)
    func `move rows between scopes`(server: MySQLServer) throws {
        let settings = ScopeSettings(
            rules: [
                "project": [ScopeRule(.column(kind: "area", "area"))],
                "task": [ScopeRule(.through(["project"]))],
                "step": [ScopeRule(.through(["task"]))],
            ], holdings: ["area": .claim("area")])
        try Self.follow(
            server,
            """
            CREATE TABLE area (id INT PRIMARY KEY, name VARCHAR(20)) #;
            CREATE TABLE project (id INT PRIMARY KEY, area INT,
              FOREIGN KEY (area) REFERENCES area(id) ON DELETE SET NULL ON UPDATE CASCADE) #;
            CREATE TABLE task (id INT PRIMARY KEY, project INT,
              FOREIGN KEY (project) REFERENCES project(id) ON DELETE SET NULL ON UPDATE CASCADE) #;
            CREATE TABLE step (task INT, place INT, PRIMARY KEY (task, place),
              FOREIGN KEY (task) REFERENCES task(id) ON DELETE CASCADE ON UPDATE CASCADE) #;
            INSERT INTO area VALUES (1, 'north'), (2, 'south'), (3, 'west');
            INSERT INTO project VALUES (10, 1), (20, 2), (21, 2), (30, NULL);
            INSERT INTO task VALUES (100, 10), (101, 10), (200, 20), (210, 21), (300, 30);
            INSERT INTO step VALUES (100, 1), (100, 2), (101, 1), (200, 1), (210, 1), (300, 1)
            """, scopes: settings,
            [
                "UPDATE area SET id = 5 WHERE id = 1", "UPDATE task SET id = 102 WHERE id = 101",
                "UPDATE project SET area = 3 WHERE id = 21",
                "UPDATE project SET id = 31 WHERE id = 30",
                "DELETE FROM area WHERE id = 2", "DELETE FROM project WHERE id = 10",
                "DELETE FROM task WHERE id = 210", "UPDATE project SET area = 5",
                "BEGIN; UPDATE area SET id = 6 WHERE id = 5; DELETE FROM area WHERE id = 6; COMMIT",
            ])
    }

    /// Nobody who has not tried knows that it may not be locked then.
    @Test(arguments: MySQLServer.usual)
    func `do not stop an owner's trigger that goes from the child to the parent`(
        server: MySQLServer
    )
        throws
    {
        try Self.follow(
            server,
            """
            CREATE TABLE orders (id INT PRIMARY KEY, amount INT NOT NULL DEFAULT 0, code INT UNIQUE) #;
            CREATE TABLE line (id INT PRIMARY KEY, orders INT NOT NULL, code INT,
              FOREIGN KEY (orders) REFERENCES orders(id) ON DELETE CASCADE ON UPDATE CASCADE,
              FOREIGN KEY (code) REFERENCES orders(code) ON DELETE SET NULL ON UPDATE CASCADE) #;
            CREATE TRIGGER counts AFTER INSERT ON line FOR EACH ROW
              UPDATE orders SET amount = amount + 1, code = coalesce(code, 0) + 1 WHERE id = NEW.orders;
            CREATE TRIGGER counts_too AFTER DELETE ON line FOR EACH ROW
              UPDATE orders SET amount = amount - 1 WHERE id = OLD.orders;
            INSERT INTO orders (id) VALUES (1), (2)
            """,
            [
                "INSERT INTO line VALUES (10, 1, NULL), (11, 1, NULL)",
                "INSERT INTO line VALUES (12, 1, 2)", "DELETE FROM line WHERE id = 10",
            ]
                // On MySQL the owner's trigger may not write a table that this statement deletes
                // from (1442).
                + (Self.followsEverything(server)
                    ? ["DELETE orders, line FROM orders JOIN line ON line.orders = orders.id"] : [])
        )
    }

    /// More paths than statements can list: each row has two parents, so each generation doubles
    /// the paths.
    @Test(arguments: MySQLServer.usual)
    func `are followed from parents to children, however many ways there are`(server: MySQLServer)
        throws
    {
        guard try Self.followsEverything(server) else { return }
        try Self.follow(
            server,
            """
            CREATE TABLE person (id INT PRIMARY KEY, mother INT, father INT, friend INT,
              FOREIGN KEY (mother) REFERENCES person(id) ON DELETE CASCADE,
              FOREIGN KEY (father) REFERENCES person(id) ON DELETE CASCADE,
              FOREIGN KEY (friend) REFERENCES person(id) ON DELETE SET NULL) #;
            INSERT INTO person VALUES (1, NULL, NULL, NULL), (2, NULL, NULL, 1), (3, 1, 2, NULL), (4, 3, NULL, 1),
              (5, NULL, 3, 4), (6, 5, 4, 5), (7, 6, 5, 7), (8, NULL, NULL, 7), (9, 8, 8, 9), (10, NULL, 9, 6),
              (11, 10, NULL, NULL), (12, NULL, 11, NULL), (13, 12, NULL, NULL), (14, NULL, 13, NULL)
            """,
            [
                "DELETE FROM person WHERE id = 7", "DELETE FROM person WHERE id = 4",
                "REPLACE INTO person VALUES (5, NULL, NULL, 8)", "DELETE FROM person WHERE id = 8",
                "BEGIN; DELETE FROM person WHERE id = 2; ROLLBACK", "DELETE FROM person",
            ])
    }

    @Test(arguments: MySQLServer.usual)
    func `are followed through several tables that refer to themselves`(server: MySQLServer) throws
    {
        guard try Self.followsEverything(server) else { return }
        try Self.follow(
            server,
            """
            CREATE TABLE team (code VARCHAR(20) PRIMARY KEY, up VARCHAR(20),
              FOREIGN KEY (up) REFERENCES team(code) ON DELETE CASCADE) #;
            CREATE TABLE member (team VARCHAR(20), place SMALLINT UNSIGNED, boss SMALLINT UNSIGNED,
              PRIMARY KEY (team, place),
              FOREIGN KEY (team) REFERENCES team(code) ON DELETE CASCADE ON UPDATE CASCADE,
              FOREIGN KEY (team, boss) REFERENCES member(team, place) ON DELETE CASCADE) #;
            CREATE TABLE task (id INT PRIMARY KEY, team VARCHAR(20), place SMALLINT UNSIGNED, parent INT,
              FOREIGN KEY (team, place) REFERENCES member(team, place) ON DELETE CASCADE ON UPDATE CASCADE,
              FOREIGN KEY (parent) REFERENCES task(id) ON DELETE CASCADE) #;
            INSERT INTO team VALUES ('a', NULL), ('b', 'a'), ('c', NULL), ('é', NULL);
            INSERT INTO member VALUES ('a', 1, NULL), ('a', 2, 1), ('a', 3, 2), ('b', 1, NULL), ('c', 1, NULL),
              ('é', 1, NULL), ('é', 2, NULL);
            INSERT INTO task VALUES (1, 'a', 1, NULL), (2, NULL, NULL, 1), (3, 'a', 3, 2), (4, 'b', 1, NULL),
              (5, 'c', 1, 4), (6, 'c', 1, NULL), (7, 'é', 1, NULL), (8, 'é', 2, 7)
            """,
            [
                "UPDATE team SET code = 'è' WHERE code = 'é'",
                "UPDATE member SET place = 9 WHERE team = 'è' AND place = 2",
                "DELETE FROM member WHERE team = 'a' AND place = 2",
                "DELETE FROM team WHERE code = 'a'", "DELETE FROM task WHERE id = 7",
                "DELETE FROM team",
            ])
    }

    /// The action also reaches rows that others inserted since the statement's snapshot.
    @Test(arguments: MySQLServer.usual)
    func `reach what others have committed, however many ways there are`(server: MySQLServer) throws
    {
        guard try Self.followsEverything(server) else { return }
        try server.withDatabase { subject in
            let (owner, other) = (try subject.session(), try subject.session())
            try owner.plain(
                """
                CREATE TABLE person (id INT PRIMARY KEY, mother INT, father INT,
                  FOREIGN KEY (mother) REFERENCES person(id) ON DELETE CASCADE,
                  FOREIGN KEY (father) REFERENCES person(id) ON DELETE CASCADE) ENGINE = InnoDB;
                INSERT INTO person VALUES (1, NULL, NULL), (2, 1, NULL), (3, NULL, 2)
                """)
            try subject.attach()
            let mirror = try Mirror(subject)
            // With snapshot isolation the action itself would fail.
            if try !owner.rows("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'").isEmpty {
                try owner.plain("SET SESSION innodb_snapshot_isolation = OFF")
            }
            try owner.plain("BEGIN; SELECT * FROM person")
            try other.plain("INSERT INTO person VALUES (4, 3, 2)")
            #expect(try mirror.differences() == [])
            try owner.plain("DELETE FROM person WHERE id = 1; COMMIT")
            #expect(try owner.cell("SELECT count(*) FROM person") == "0")
            #expect(try mirror.differences() == [])
        }
    }

    /// The statement that follows all paths also names the column.
    @Test(arguments: MySQLServer.usual)
    func `are followed on what is left when a column is dropped`(server: MySQLServer) throws {
        guard try Self.followsEverything(server) else { return }
        try Self.follow(
            server,
            """
            CREATE TABLE person (id INT PRIMARY KEY, n INT) #;
            CREATE TABLE child (id INT PRIMARY KEY, person INT, elder INT, other INT,
              FOREIGN KEY (person) REFERENCES person(id) ON DELETE CASCADE,
              FOREIGN KEY (elder) REFERENCES child(id) ON DELETE CASCADE,
              CONSTRAINT other FOREIGN KEY (other) REFERENCES child(id) ON DELETE CASCADE) #;
            CREATE TABLE toy (id INT PRIMARY KEY, child INT,
              FOREIGN KEY (child) REFERENCES child(id) ON DELETE CASCADE) #;
            INSERT INTO person VALUES (1, 0), (2, 0);
            INSERT INTO child VALUES (10, 1, NULL, NULL), (11, NULL, 10, NULL), (20, 2, NULL, NULL);
            INSERT INTO toy VALUES (100, 10), (110, 11), (200, 20)
            """, tables: ["person", "toy"],
            [
                "DELETE FROM person WHERE id = 2",
                "ALTER TABLE child DROP FOREIGN KEY other, DROP COLUMN other",
                "DELETE FROM person WHERE id = 1",
            ])
    }

    /// MySQL refuses such tables.
    private static func followsEverything(_ server: MySQLServer) throws -> Bool {
        try server.session("mysql").cell("SELECT version()")?.contains("MariaDB") == true
    }
}
