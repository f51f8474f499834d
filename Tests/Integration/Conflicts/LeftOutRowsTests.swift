import Foundation
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// The owner's triggers and rules may skip a row of a statement that succeeds. The device's change
/// is then in its refused list or in the conflict log.
@Suite(.ownThreads) struct `Rows that the owner's triggers leave out` {
    private static let kinds = CentreKind.available.filter { $0 != .mariadb }

    private static func schema(_ kind: CentreKind) -> [String] {
        let tables = ["item", "ruled", "inbox"].map {
            "CREATE TABLE \($0) (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(20), n INTEGER)"
        }
        let rows = ["INSERT INTO item VALUES (1, 'one', 1), (2, 'two', 2), (3, 'fixed', 3)"]
        switch kind {
        case .sqlite, .mariadb:
            return tables + rows + [
                """
                CREATE TRIGGER i BEFORE INSERT ON item WHEN NEW.v = 'skip' OR NEW.n < 0
                BEGIN SELECT RAISE(IGNORE); END
                """,
                """
                CREATE TRIGGER u BEFORE UPDATE ON item WHEN NEW.v = 'skip'
                BEGIN SELECT RAISE(IGNORE); END
                """,
                """
                CREATE TRIGGER d BEFORE DELETE ON item WHEN OLD.id = 2
                BEGIN SELECT RAISE(IGNORE); END
                """,
                """
                CREATE TRIGGER p AFTER UPDATE OF n ON item WHEN NEW.id = 3 AND NEW.n <> 3
                BEGIN UPDATE item SET n = 3 WHERE id = 3; END
                """,
                """
                CREATE TRIGGER b BEFORE INSERT ON inbox BEGIN SELECT RAISE(IGNORE); END
                """,
            ]
        case .postgres:
            return tables + rows + [
                """
                CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                  IF TG_OP = 'DELETE' THEN
                    IF OLD.id = 2 THEN RETURN NULL; END IF;
                    RETURN OLD;
                  END IF;
                  IF NEW.v = 'skip' OR NEW.n < 0 OR TG_TABLE_NAME = 'inbox' THEN RETURN NULL; END IF;
                  IF TG_OP = 'UPDATE' AND NEW.id = 3 THEN NEW.n := OLD.n; END IF;
                  RETURN NEW; END$$;
                CREATE TRIGGER s BEFORE INSERT OR UPDATE OR DELETE ON item
                  FOR EACH ROW EXECUTE FUNCTION skip();
                CREATE TRIGGER s BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION skip();
                CREATE RULE r AS ON INSERT TO ruled WHERE NEW.v = 'skip' DO INSTEAD NOTHING
                """
            ]
        }
    }

    @Test(arguments: kinds)
    func `are refused, and what a trigger puts back is in the log`(kind: CentreKind) async throws {
        var configuration = HubConfiguration()
        configuration.directions = ["inbox": .up]
        try await World.run(kind, schema: Self.schema(kind), configuration: configuration) {
            world in
            let device = try await world.clone("A")
            try device.execute(
                """
                INSERT INTO item VALUES (10, 'skip', 1), (11, 'well', 1), (12, 'x', -1);
                UPDATE item SET v = 'skip' WHERE id = 1;
                DELETE FROM item WHERE id = 2;
                UPDATE item SET n = 7, v = 'moved' WHERE id = 3;
                INSERT INTO inbox VALUES (1, 'letter', 1);
                """)
            if kind == .postgres {
                try device.execute("INSERT INTO ruled VALUES (20, 'skip', 1), (21, 'well', 1)")
            }
            try await world.converge(device)
            let refused = try await device.replica.refusedChanges.fetch()
            let ids = refused.compactMap { change -> Int64? in
                guard case .integer(let id)? = change.key.values.first else { return nil }
                return id
            }
            #expect(Set(ids) == Set([10, 12, 1, 2] + (kind == .postgres ? [20] : [])))
            #expect(refused.allSatisfy { $0.code == .trigger })
            #expect(refused.first { $0.key.values == [.integer(10)] }?.after["v"] == .text("skip"))
            #expect(try world.centre.count("SELECT count(*) FROM item") == 4)
            // The device has the value that the trigger restored. The overruled value is in its
            // list and in the conflict log.
            #expect(try device.text("SELECT v || n FROM item WHERE id = 3") == "moved3")
            let overruled = try await device.replica.overruledChanges.fetch()
            #expect(overruled.map(\.key.values) == [[.integer(3)]])
            #expect(
                try await world.hub.conflicts().contains {
                    $0.kind == "updateUpdate" && $0.mine?.contains("7") == true
                })
            #expect(try await device.replica.pendingChanges.fetch().isEmpty)
            #expect(try await device.replica.verify() == [])
        }
    }

    @Test(.enabled(if: PostgresFixture.isThere))
    func `have arrived where a trigger puts them into another table of the same family`()
        async throws
    {
        let schema = [
            "CREATE TABLE parent (id INTEGER NOT NULL PRIMARY KEY, v VARCHAR(20))",
            """
            CREATE FUNCTION upper_case() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
              NEW.v := upper(NEW.v); RETURN NEW; END$$;
            CREATE TRIGGER t BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION upper_case()
            """,
        ]
        try await World.run(.postgres, schema: schema) { world in
            let device = try await world.clone("A")
            try device.execute("INSERT INTO parent VALUES (1, 'one')")
            try await world.converge(device)
            #expect(try await device.replica.refusedChanges.fetch().isEmpty)
            #expect(try device.text("SELECT v FROM parent") == "ONE")
            #expect(try await world.differences(device) == [])
        }
    }
}
