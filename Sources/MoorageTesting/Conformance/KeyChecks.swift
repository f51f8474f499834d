import MoorageCore
import MoorageHub
import MoorageWire

/// Tables without a primary key (docs/decisions/0104).
extension ConnectorConformance {
    static let keyChecks: [Check] = [
        Check("tracks a table by the unique key in the place of a primary key") { bench in
            try bench.owner.execute(entries)
            try bench.attach(keys: ["entry": ["line", "code"]])
            let table = try bench.attached("entry")
            try bench.expect(
                table.description.primaryKey == [0, 1] && table.description.uniqueKeys.isEmpty,
                "the key: \(table.description.primaryKey)")
            try bench.expect(
                bench.attached("part").description.foreignKeys.map(\.referencedTable) == ["entry"],
                "the foreign key to the substitute")
            let start = try bench.checkpoint()
            try bench.owner.execute(
                """
                INSERT INTO entry (code, line, note) VALUES (2, 1, 'c');
                UPDATE entry SET note = 'aa' WHERE code = 1 AND line = 1;
                UPDATE entry SET line = 9 WHERE code = 2;
                DELETE FROM entry WHERE code = 1 AND line = 2
                """)
            let changes = try bench.changes(table, since: start)
            func keys(_ isLive: Bool) -> Set<RowKey> {
                Set(changes.filter { $0.isLive == isLive }.map(\.key))
            }
            func key(_ code: Int64, _ line: Int64) -> RowKey {
                bench.key(table, .integer(code), .integer(line))
            }
            try bench.expect(keys(true) == [key(1, 1), key(2, 9)], "live: \(keys(true))")
            try bench.expect(keys(false).contains(key(1, 2)), "gone: \(keys(false))")
        },
        Check("writes rows by the unique key in the place of a primary key") { bench in
            try bench.owner.execute(entries)
            try bench.attach(keys: ["entry": ["code", "line"]])
            let table = try bench.attached("entry")
            let keys = (1...3).map { bench.key(table, .integer(1), .integer(Int64($0))) }
            try bench.write { connection in
                let locked = try connection.lockRows(table, keys: keys)
                try bench.expect(
                    locked[keys[0]]?.values?.last == .text("a") && locked[keys[2]] == .absent,
                    "the locked rows")
                try connection.update(
                    table, columns: [2], rows: [KeyedValues(key: keys[0], values: [.text("A")])])
                try connection.delete(table, keys: [keys[1]])
                try connection.insert(
                    table, columns: [0, 1, 2], rows: [[.integer(1), .integer(3), .text("c")]])
            }
            let rows = try bench.rows(table, keys)
            try bench.expect(
                Set(rows) == [
                    [.integer(1), .integer(1), .text("A")], [.integer(1), .integer(3), .text("c")],
                ], "rows: \(rows)")
        },
        Check("has every row read again by another key of the same type") { bench in
            try bench.owner.execute(
                """
                CREATE TABLE twice (a INTEGER NOT NULL UNIQUE, b INTEGER NOT NULL UNIQUE);
                INSERT INTO twice (a, b) VALUES (1, 2), (2, 3), (3, 1)
                """)
            try bench.attach(keys: ["twice": ["a"]])
            let start = try bench.checkpoint()
            try bench.attach(keys: ["twice": ["b"]])
            let table = try bench.attached("twice")
            try bench.expect(
                table.description.keyNames == ["b"], "the key: \(table.description.keyNames)")
            let live = try bench.changes(table, since: start).filter(\.isLive).map(\.key)
            try bench.expect(
                Set(live) == Set((1...3).map { bench.key(table, .integer($0)) }), "live: \(live)")
            let later = try bench.checkpoint()
            try bench.attach()
            try bench.expect(
                bench.changes(table, since: later).isEmpty, "a second attach changed rows")
        },
        Check("offers no unique key in which a column can be NULL") { bench in
            try bench.owner.execute(
                "CREATE TABLE loose (a INTEGER NOT NULL, b INTEGER, UNIQUE (a, b))")
            let keyless = try bench.keyless("loose")
            try bench.expect(keyless.substitutes.isEmpty, "substitutes: \(keyless.substitutes)")
            do {
                try bench.attach(["loose"], keys: ["loose": ["a", "b"]])
                throw ConformanceFailure(description: "a key that may be NULL was taken")
            } catch let error as HubError {
                try bench.expect(
                    error.code == .configuration && error.message.contains("CREATE UNIQUE INDEX"),
                    "the error: \(error)")
            }
        },
        Check("adds a key while others write, and leaves the table as it was") { bench in
            try bench.owner.execute(loose)
            let before = try bench.connection { try $0.readTables() }
            guard try bench.keyless("loose").addedKeyType != nil else { return }
            let plan = try bench.connection {
                try Attachment(on: $0, makeID: { "id" }).plan(
                    tables: nil, addingKeysTo: ["loose"])
            }
            try bench.expect(plan.contains { $0.contains(KeylessTable.addedKey) }, "the plan")
            try bench.expect(
                bench.connection { try $0.readTables() == before && !$0.hasMetadata() },
                "a plan changes nothing")
            var isWritten = false
            try bench.attachInBatches(addingKeysTo: ["loose"]) {
                guard !isWritten else { return }
                isWritten = true
                try bench.owner.execute("INSERT INTO loose (a, note) VALUES (6, 'meanwhile')")
            }
            let table = try bench.attached("loose")
            try bench.expect(
                table.description.keyNames == [KeylessTable.addedKey],
                "the key: \(table.description.keyNames)")
            let start = try bench.checkpoint()
            let first = try bench.tracked(table, .fromNothing(copiedAt: nil, within: nil))
            try bench.expect(
                Set(first.map(\.key)).count == 6, "\(first.count) rows are tracked, of 6")
            try bench.owner.execute("INSERT INTO loose (a, note) VALUES (7, 'later'), (8, 'too')")
            let added = try bench.changes(table, since: start)
            try bench.expect(
                added.map(\.isLive) == [true, true] && Set(added.map(\.key)).count == 2,
                "rows of other programs get keys: \(added.count)")
            // It is repeatable, and finds nothing to do.
            let later = try bench.checkpoint()
            try bench.attach()
            try bench.expect(
                bench.changes(table, since: later).isEmpty, "a second attach changed rows")
            try bench.detach()
            try bench.expect(
                bench.connection { try $0.readTables() == before && !$0.hasMetadata() },
                "the table is another")
        },
        Check("finishes or removes a key whose attach was broken off") { bench in
            try bench.owner.execute(loose)
            let before = try bench.connection { try $0.readTables() }
            guard try bench.keyless("loose").addedKeyType != nil else { return }
            struct Broken: Error {}
            func breakOff() throws {
                do {
                    try bench.attachInBatches(addingKeysTo: ["loose"]) { throw Broken() }
                    throw ConformanceFailure(description: "nothing broke off")
                } catch is Broken {}
            }
            try breakOff()
            try bench.owner.execute("INSERT INTO loose (a, note) VALUES (6, 'n')")
            try bench.attach()
            let table = try bench.attached("loose")
            try bench.expect(
                bench.tracked(table, .fromNothing(copiedAt: nil, within: nil)).count == 6,
                "the next attach finishes it")
            try bench.detach()
            try breakOff()
            try bench.detach()
            try bench.expect(
                bench.connection { try $0.readTables() == before && !$0.hasMetadata() },
                "a detach removes it")
        },
    ]

    private static let entries = """
        CREATE TABLE entry (code INTEGER NOT NULL, line INTEGER NOT NULL, note TEXT, UNIQUE (code, line));
        CREATE TABLE part (id INTEGER NOT NULL PRIMARY KEY, code INTEGER, line INTEGER,
          FOREIGN KEY (code, line) REFERENCES entry (code, line));
        INSERT INTO entry (code, line, note) VALUES (1, 1, 'a'), (1, 2, 'b')
        """

    private static let loose = """
        CREATE TABLE loose (a INTEGER, note TEXT);
        INSERT INTO loose (a, note) VALUES (1, 'n'), (2, 'n'), (3, 'n'), (3, 'n'), (4, NULL)
        """
}
