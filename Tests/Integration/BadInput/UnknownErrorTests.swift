import Foundation
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// The owner's triggers and settings make a server fail in ways that no connector lists.
@Suite(.ownThreads) struct `Errors that servers invent` {
    private static let words = ["one", "two", "three"]

    private static func schema(_ kind: CentreKind) -> [String] {
        let tables = [
            "CREATE TABLE good (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(20))",
            "CREATE TABLE odd (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(20))",
            "INSERT INTO odd VALUES (1, 'first'), (2, 'second')",
        ]
        switch kind {
        case .sqlite:
            return tables + [
                """
                CREATE TRIGGER picky BEFORE INSERT ON odd WHEN NEW.v = 'one'
                BEGIN SELECT json('{'); END
                """,
                """
                CREATE TRIGGER whole BEFORE INSERT ON odd WHEN NEW.v = 'two'
                BEGIN SELECT RAISE(ROLLBACK, 'all of it'); END
                """,
                """
                CREATE TRIGGER late AFTER INSERT ON odd WHEN NEW.v = 'three'
                BEGIN SELECT abs(-9223372036854775807 - 1); END
                """,
            ]
        case .mariadb:
            return tables + [
                """
                CREATE TRIGGER picky BEFORE INSERT ON odd FOR EACH ROW
                BEGIN
                  IF NEW.v = 'one' THEN CALL nowhere(); END IF;
                  IF NEW.v = 'two' THEN SIGNAL SQLSTATE 'XY000' SET MYSQL_ERRNO = 5555; END IF;
                  IF NEW.v = 'three' THEN SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1158; END IF;
                END
                """
            ]
        case .postgres:
            return tables + [
                """
                CREATE FUNCTION picky() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                  IF NEW.v = 'one' THEN RAISE EXCEPTION 'x' USING ERRCODE = '08006'; END IF;
                  IF NEW.v = 'two' THEN RAISE EXCEPTION 'x' USING ERRCODE = '57P01'; END IF;
                  IF NEW.v = 'three' THEN RAISE EXCEPTION 'x' USING ERRCODE = 'ZZ999'; END IF;
                  RETURN NEW; END$$;
                CREATE TRIGGER picky BEFORE INSERT ON odd FOR EACH ROW EXECUTE FUNCTION picky();
                -- Updates and deletes of the table fail (55000), and its trigger has no part in it.
                CREATE PUBLICATION told FOR TABLE odd;
                ALTER TABLE odd REPLICA IDENTITY NOTHING
                """
            ]
        }
    }

    @Test(arguments: CentreKind.available)
    func `cost the device one change each`(kind: CentreKind) async throws {
        try await World.run(kind, schema: Self.schema(kind)) { world in
            let device = try await world.clone("A")
            for (number, word) in Self.words.enumerated() {
                try device.execute(
                    """
                    INSERT INTO good VALUES (\(2 * number), 'before');
                    INSERT INTO odd VALUES (\(10 + number), '\(word)');
                    INSERT INTO odd VALUES (\(20 + number), 'well');
                    UPDATE odd SET v = 'edit \(number)' WHERE id = 1;
                    INSERT INTO good VALUES (\(2 * number + 1), 'behind');
                    """)
                try await world.converge(device)
                #expect(
                    try world.centre.count("SELECT count(*) FROM good") == 2 * number + 2, "\(word)"
                )
                #expect(
                    try world.centre.count("SELECT count(*) FROM odd WHERE v = 'well'")
                        == number + 1, "\(word)")
            }
            let refused = try await device.replica.refusedChanges.fetch()
            let inserts = refused.filter { $0.kind == .insert }
            #expect(
                Set(inserts.map { $0.key.values }) == [
                    [.integer(10)], [.integer(11)], [.integer(12)],
                ])
            #expect((refused.count > inserts.count) == (kind == .postgres))
            // The device puts back the rows that the centre has with other values.
            try device.execute("DELETE FROM odd WHERE id >= 10 AND id < 20")
            try await world.converge(device)
            #expect(try await world.differences(device) == [])
        }
    }
}
