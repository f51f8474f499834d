import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// Ids of a queue's rows are handed out before the commit.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `The change token` {
    @Test(arguments: MySQLServer.all)
    func `moves with each commit, whichever transaction began first`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let (early, late) = (try subject.session(), try subject.session())
            try early.plain("CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB")
            try subject.attach()
            var tokens = [try subject.changeToken()]
            try early.plain("BEGIN; INSERT INTO t VALUES (1, 0)")
            try late.plain("BEGIN; INSERT INTO t VALUES (2, 0)")
            #expect(try subject.changeToken() == tokens[0])
            for session in [late, early] {
                try session.plain("COMMIT")
                tokens.append(try subject.changeToken())
            }
            try subject.database.perform { try $0.numberChanges() }
            tokens.append(try subject.changeToken())
            try late.plain("UPDATE t SET n = 1 WHERE id = 1")
            tokens.append(try subject.changeToken())
            #expect(Set(tokens).count == tokens.count)
            #expect(try subject.changeToken() == tokens.last)
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
            var tokens = [try subject.changeToken()]
            try early.plain("BEGIN; UPDATE p SET area = 2 WHERE id = 1")
            try late.plain("UPDATE p SET area = 2 WHERE id = 2")
            tokens.append(try subject.changeToken())
            try early.plain("COMMIT")
            tokens.append(try subject.changeToken())
            #expect(Set(tokens).count == 3)
        }
    }

    /// A live stream has no next page at which it could be noticed (docs/decisions/0037).
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
            var tokens = [try subject.changeToken()]
            try owner.plain("TRUNCATE t")
            tokens.append(try subject.changeToken())
            #expect(try subject.changeToken() == tokens.last)
            let snapshot = try subject.database.perform { connection in
                try connection.numberChanges()
                defer { connection.rollback() }
                return try connection.openSnapshot().changeToken
            }
            tokens.append(snapshot)
            #expect(Set(tokens).count == 3)
            #expect(try subject.changeToken() == snapshot)
            // A table that is gone is looked at no more.
            try owner.plain("DROP TABLE other")
            #expect(try subject.changeToken() != "")
        }
    }
}

extension MySQLSubject {
    fileprivate func changeToken() throws -> String {
        try database.perform { try $0.changeToken() }
    }
}
