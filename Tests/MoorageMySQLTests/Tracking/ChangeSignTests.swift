import MoorageCore
import MoorageHub
import Testing

@testable import MoorageMySQL

/// Ids of a queue's rows are handed out before the commit.
@Suite(.enabled(if: !MySQLServer.all.isEmpty)) struct `The sign of change` {
    @Test(arguments: MySQLServer.all)
    func `moves with each commit, whichever transaction began first`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let (early, late) = (try subject.session(), try subject.session())
            try early.plain("CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB")
            try subject.attach()
            var signs = [try subject.sign()]
            try early.plain("BEGIN; INSERT INTO t VALUES (1, 0)")
            try late.plain("BEGIN; INSERT INTO t VALUES (2, 0)")
            #expect(try subject.sign() == signs[0])
            for session in [late, early] {
                try session.plain("COMMIT")
                signs.append(try subject.sign())
            }
            try subject.database.perform { try $0.numberChanges() }
            signs.append(try subject.sign())
            try late.plain("UPDATE t SET n = 1 WHERE id = 1")
            signs.append(try subject.sign())
            #expect(Set(signs).count == signs.count)
            #expect(try subject.sign() == signs.last)
        }
    }

    @Test(arguments: MySQLServer.all)
    func `moves when a row above moves others between scopes`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let (early, late) = (try subject.session(), try subject.session())
            try early.plain(
                """
                CREATE TABLE p (id INT PRIMARY KEY, area INT) ENGINE = InnoDB;
                CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p(id)) ENGINE = InnoDB;
                INSERT INTO p VALUES (1, 1), (2, 1)
                """)
            let settings = ScopeSettings(
                rules: [
                    "c": [ScopeRule(.through(["p"]))],
                    "p": [ScopeRule(.column(kind: "area", "area"))],
                ],
                holdings: ["area": .claim("area")])
            try subject.attach(["c", "p"], scopes: settings)
            try subject.database.perform { try $0.numberChanges() }
            var signs = [try subject.sign()]
            try early.plain("BEGIN; UPDATE p SET area = 2 WHERE id = 1")
            try late.plain("UPDATE p SET area = 2 WHERE id = 2")
            signs.append(try subject.sign())
            try early.plain("COMMIT")
            signs.append(try subject.sign())
            #expect(Set(signs).count == 3)
        }
    }

    /// An answer that stays open has no next page at which it could be noticed (docs/decisions/0037).
    @Test(arguments: MySQLServer.all, [false, true])
    func `moves when a table is emptied at once`(server: MySQLServer, isScoped: Bool) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, area INT) ENGINE = InnoDB;
                CREATE TABLE other (id INT PRIMARY KEY) ENGINE = InnoDB;
                INSERT INTO t VALUES (1, 1), (2, 2)
                """)
            let settings = ScopeSettings(
                rules: ["t": [ScopeRule(.column(kind: "area", "area"))]],
                holdings: ["area": .claim("area")])
            try subject.attach(scopes: isScoped ? settings : ScopeSettings())
            try subject.database.perform { try $0.numberChanges() }
            var signs = [try subject.sign()]
            try owner.plain("TRUNCATE t")
            signs.append(try subject.sign())
            #expect(try subject.sign() == signs.last)
            let snapshot = try subject.database.perform { connection in
                try connection.numberChanges()
                defer { connection.rollback() }
                return try connection.openSnapshot().sign
            }
            signs.append(snapshot)
            #expect(Set(signs).count == 3)
            #expect(try subject.sign() == snapshot)
            // A table that is gone is looked at no more.
            try owner.plain("DROP TABLE other")
            #expect(try subject.sign() != "")
        }
    }
}

extension MySQLSubject {
    fileprivate func sign() throws -> String { try database.perform { try $0.changeSign() } }
}
