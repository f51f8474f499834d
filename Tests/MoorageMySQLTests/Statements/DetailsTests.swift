import MoorageCore
import TestSupport
import Testing

@testable import MoorageHub
@testable import MoorageMySQL

/// What the server says of tables for tools that generate code.
@Suite(.ownThreads) struct `Details of tables in MariaDB and MySQL` {
    private static let schema = """
        CREATE TABLE item (
          id BIGINT PRIMARY KEY, name VARCHAR(40) NOT NULL COMMENT 'As printed', price DECIMAL(10,2),
          mood ENUM('sad','it''s fine') NOT NULL, days SET('mo','tu'), state VARCHAR(9) NOT NULL,
          note TEXT,
          CONSTRAINT item_price CHECK (price >= 0),
          CONSTRAINT item_state CHECK (state IN ('open', 'closed')),
          KEY by_name (name, price), KEY by_note (note(10)), UNIQUE KEY one (state, price),
          FULLTEXT KEY words (note)
        ) COMMENT = 'What we "sell"' ENGINE = InnoDB;
        CREATE TABLE other (id INT PRIMARY KEY) ENGINE = InnoDB
        """

    @Test(.enabled(if: !MySQLServer.all.isEmpty), arguments: MySQLServer.all)
    func `are what the owner wrote`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            try subject.session().plain(Self.schema)
            let (found, isMariaDB) = try subject.inConnection { connection in
                (try connection.details(of: ["item", "gone"]), connection.link.kind.isMariaDB)
            }
            #expect(found.count == 1)
            var item = try #require(found.first)
            #expect(
                item.checks.map { CheckLabels($0)?.labels } == [nil, ["open", "closed"]],
                "\(item.checks)")
            // MariaDB quotes names as the session's mode says.
            #expect(
                item.checks.map { $0.replacing("\"", with: "`") }
                    == (isMariaDB
                        ? ["`price` >= 0", "`state` in ('open','closed')"]
                        : [
                            "(`price` >= 0)",
                            #"(`state` in (_utf8mb4\'open\',_utf8mb4\'closed\'))"#,
                        ]))
            item.checks = []
            #expect(
                item
                    == CentralTableDetails(
                        name: "item", comment: "What we \"sell\"", indexes: [["name", "price"]],
                        columns: [
                            CentralColumnDetails(
                                name: "id", type: isMariaDB ? "bigint(20)" : "bigint"),
                            CentralColumnDetails(
                                name: "name", type: "varchar(40)", comment: "As printed"),
                            CentralColumnDetails(name: "price", type: "decimal(10,2)"),
                            CentralColumnDetails(
                                name: "mood", type: "enum('sad','it''s fine')",
                                labels: ["sad", "it's fine"]),
                            CentralColumnDetails(name: "days", type: "set('mo','tu')"),
                            CentralColumnDetails(name: "state", type: "varchar(9)"),
                            CentralColumnDetails(name: "note", type: "text"),
                        ]))
        }
    }

    @Test(arguments: [
        ("enum('a')", ["a"]), ("enum('','b,c',')')", ["", "b,c", ")"]),
        ("enum('it''s','''')", ["it's", "'"]), (#"enum('a\\b','\n')"#, [#"a\b"#, "\n"]),
    ])
    func `have the labels of an enumeration`(type: String, labels: [String]) {
        #expect(EnumLabels.read(type) == labels)
    }
}
