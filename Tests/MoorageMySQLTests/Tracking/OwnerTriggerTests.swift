import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `Triggers of the owner's` {
    private static let schema = """
        CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40), changes INT NOT NULL DEFAULT 0,
          KEY by_name (name)) ENGINE = InnoDB COMMENT = 'what we sell';
        CREATE TABLE journal (id INT PRIMARY KEY AUTO_INCREMENT, words VARCHAR(200)) ENGINE = InnoDB;
        CREATE TRIGGER shout BEFORE INSERT ON item FOR EACH ROW SET NEW.name = upper(NEW.name);
        CREATE TRIGGER mark BEFORE INSERT ON item FOR EACH ROW FOLLOWS shout
          SET NEW.name = concat(NEW.name, '!');
        CREATE TRIGGER count_changes BEFORE UPDATE ON item FOR EACH ROW SET NEW.changes = OLD.changes + 1;
        CREATE TRIGGER told AFTER INSERT ON item FOR EACH ROW
          INSERT INTO journal (words) VALUES (concat('first ', NEW.name));
        CREATE TRIGGER told_before AFTER INSERT ON item FOR EACH ROW PRECEDES told
          INSERT INTO journal (words) VALUES (concat('zeroth ', NEW.name));
        CREATE TRIGGER gone AFTER DELETE ON item FOR EACH ROW
          INSERT INTO journal (words) VALUES (concat('gone ', OLD.name));
        INSERT INTO item (name) VALUES ('one'), ('two')
        """

    private static let later = """
        CREATE TRIGGER told_last AFTER INSERT ON item FOR EACH ROW FOLLOWS told
          INSERT INTO journal (words) VALUES (concat('last ', NEW.name))
        """

    /// The owner's tables and triggers, in the server's words.
    private static func dump(_ owner: MySQLSession) throws -> [String] {
        let tables = try owner.rows(
            """
            SELECT table_name FROM information_schema.tables WHERE table_schema = database() ORDER BY 1
            """
        ).compactMap { $0[0] }
        let triggers = try owner.rows(
            """
            SELECT event_object_table, trigger_name, action_order, action_timing, event_manipulation,
              action_statement, sql_mode, definer, created
            FROM information_schema.triggers WHERE trigger_schema = database() ORDER BY trigger_name
            """)
        return try tables.map { try owner.rows("SHOW CREATE TABLE \"\($0)\"")[0][1] ?? "" }
            + triggers.map { $0.map { $0 ?? "" }.joined(separator: " ") }
            + triggers.map { try owner.rows("SHOW CREATE TRIGGER \"\($0[1] ?? "")\"")[0][2] ?? "" }
    }

    @Test(arguments: MySQLServer.all)
    func `go on working, in their order, and what they write is tracked`(server: MySQLServer) throws
    {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(Self.schema)
            try subject.attach()
            let mirror = try Mirror(subject)
            try owner.plain(Self.later)
            try owner.plain("DELETE FROM journal")
            try owner.plain("INSERT INTO item (name) VALUES ('three')")
            #expect(try owner.cell("SELECT name FROM item WHERE id = 3") == "THREE!")
            #expect(
                try owner.rows("SELECT words FROM journal ORDER BY id")
                    == [["zeroth THREE!"], ["first THREE!"], ["last THREE!"]])
            #expect(try mirror.differences() == [])
            try owner.plain(
                "UPDATE item SET name = 'tres' WHERE id = 3; DELETE FROM item WHERE id = 1")
            #expect(try owner.cell("SELECT changes FROM item WHERE id = 3") == "1")
            #expect(try mirror.differences() == [])
            // The hub's own writes fire them, too.
            try subject.inConnection { connection in
                guard let item = try connection.attachedTables().first(where: { $0.name == "item" })
                else { throw TestFailure("item is not attached") }
                try connection.begin(.write)
                try connection.insert(item, columns: [0, 1], rows: [[.integer(9), .text("nine")]])
                try connection.commit()
            }
            #expect(try owner.cell("SELECT name FROM item WHERE id = 9") == "NINE!")
            #expect(
                try owner.cell("SELECT words FROM journal ORDER BY id DESC LIMIT 1") == "last NINE!"
            )
            #expect(try mirror.differences() == [])
        }
    }

    @Test(arguments: MySQLServer.all)
    func `are the same after attaching and detaching, and so are the tables`(server: MySQLServer)
        throws
    {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(Self.schema)
            let before = try Self.dump(owner)
            try subject.attach()
            let attached = Set(try Self.dump(owner))
            #expect(before.allSatisfy(attached.contains))
            try subject.attach()
            try subject.detach()
            #expect(try Self.dump(owner) == before)
        }
    }

    /// A trigger refuses, or fails. Our triggers come after it, and the program gets its error.
    @Test(arguments: MySQLServer.all)
    func `that say no are heard`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(Self.schema)
            try subject.attach()
            let mirror = try Mirror(subject)
            try owner.plain(
                """
                CREATE TRIGGER no BEFORE DELETE ON item FOR EACH ROW
                  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'
                """)
            let error = #expect(throws: CentralError.self) { try owner.plain("DELETE FROM item") }
            #expect(error?.message.contains("trigger") == true)
            #expect(try owner.cell("SELECT count(*) FROM moorage_queue_1_item") == "0")
            #expect(try mirror.differences() == [])
        }
    }

    /// The names of triggers on `x_1_item` also end like names of triggers on `item`.
    @Test(arguments: MySQLServer.first)
    func `of one table are not taken for those of another whose name ends alike`(
        server: MySQLServer
    )
        throws
    {
        #expect(MySQLConnection.number(of: "moorage_cascade0_before_delete_12_x_1_item") == 12)
        #expect(MySQLConnection.number(of: "moorage_insert_3_2024") == 3)
        #expect(MySQLConnection.number(of: "moorage_meta") == nil)
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE item (id INT PRIMARY KEY) ENGINE = InnoDB;
                CREATE TABLE x_1_item (id INT PRIMARY KEY) ENGINE = InnoDB
                """)
            try subject.attach()
            try subject.attach()
            let mirror = try Mirror(subject)
            try owner.plain("INSERT INTO item VALUES (1); INSERT INTO x_1_item VALUES (2)")
            #expect(try mirror.differences() == [])
            try subject.attach(["x_1_item"])
            try owner.plain("INSERT INTO x_1_item VALUES (3)")
            #expect(try owner.cell("SELECT count(*) FROM moorage_queue_2_x_1_item") == "1")
        }
    }
}
