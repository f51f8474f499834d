import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let trackingChecks: [Check] = [
        Check("tracks an insert, an update and a delete") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            try bench.expect(
                try bench.changes(table, since: start).map(\.isLive) == [true], "insert")
            let inserted = try bench.checkpoint()
            try bench.owner.execute("UPDATE parent SET name = 'AA' WHERE id = 'a'")
            let update = try bench.changes(table, since: inserted)
            try bench.expect(update.map(\.isLive) == [true], "update")
            try bench.expect(update.first?.wasLiveBefore == true, "the row was there before")
            let updated = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
            let delete = try bench.changes(table, since: updated)
            try bench.expect(delete.map(\.isLive) == [false], "delete leaves a tombstone")
            try bench.expect(
                delete.first?.wasLiveBefore == true, "the replica may hold the row")
        },
        Check("does not count a row as held that came and went beyond the mark") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            _ = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
            let changes = try bench.changes(table, since: start)
            try bench.expect(
                changes.allSatisfy { !$0.isLive && !$0.wasLiveBefore },
                "its key must not leak")
        },
        Check("remembers that a row was held that left and came back and left") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let first = try bench.checkpoint()
            for _ in 0..<2 {
                try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
                _ = try bench.checkpoint()
                try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A again')")
                _ = try bench.checkpoint()
            }
            try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
            let changes = try bench.changes(table, since: first)
            try bench.expect(changes.map(\.isLive) == [false], "one tombstone")
            try bench.expect(
                changes[0].wasLiveBefore, "who read up to the mark holds the first row")
        },
        Check("knows a row that came and went in one transaction as one that was never there") {
            bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            func expectNever(_ moment: String) throws {
                let end = try bench.checkpoint()
                let gone = try bench.tracked(table, .fromNothing(copiedAt: start, within: nil))
                try bench.expect(gone.isEmpty, "\(moment): its key must not leak")
                let changes = try bench.changes(table, since: start)
                try bench.expect(changes.isEmpty, "\(moment): nor as a change")
                let held = try bench.tracked(table, .revoke(goneAfter: start, lostAt: end))
                try bench.expect(held.isEmpty, "\(moment): nobody can hold it")
                let compared = try bench.compared(table, beyond: start)
                try bench.expect(
                    compared.allSatisfy { !$0.hasBeenIn }, "\(moment): nobody compares it")
            }
            func comeAndGo() throws {
                try bench.owner.execute("BEGIN")
                try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
                try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
                try bench.owner.execute("COMMIT")
            }
            try comeAndGo()
            try expectNever("once")
            try comeAndGo()
            try expectNever("and again")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let live = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
            let gone = try bench.changes(table, since: live)
            try bench.expect(
                gone.count == 1 && gone[0].wasLiveBefore,
                "what had a state of its own is held")
            let held = try bench.tracked(table, .revoke(goneAfter: start, lostAt: live))
            try bench.expect(held.count == 1, "and given back")
            let compared = try bench.compared(table, beyond: live)
            try bench.expect(compared.map(\.hasBeenIn) == [true], "and compared")
        },
        Check("leaves a tombstone under the old key when a key changes") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('abc', 'A')")
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute("UPDATE parent SET id = 'ABC' WHERE id = 'abc'")
            let changes = try bench.changes(table, since: checkpoint)
            let live = Dictionary(uniqueKeysWithValues: changes.map { ($0.key, $0.isLive) })
            try bench.expect(
                live == [
                    bench.key(table, .text("abc")): false, bench.key(table, .text("ABC")): true,
                ],
                "keys are compared by bytes: \(changes.count) changes")
        },
        Check("tracks rows that exchange their keys in one statement") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            try bench.owner.execute(
                "INSERT INTO child (a, b) VALUES (1, 'x'), (2, 'x'), (3, 'x')")
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute("UPDATE child SET a = a + 10")
            let changes = try bench.changes(table, since: checkpoint)
            try bench.expect(changes.filter(\.isLive).count == 3, "three new keys")
            try bench.expect(changes.filter { !$0.isLive }.count == 3, "three old keys")
        },
        Check("tracks statements that change many rows") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            let values = (1...500).map { "(\($0), 'k')" }.joined(separator: ", ")
            try bench.owner.execute("INSERT INTO child (a, b) VALUES \(values)")
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute("UPDATE child SET note = 'n' WHERE a % 2 = 0")
            try bench.owner.execute("DELETE FROM child WHERE a % 5 = 0")
            let changes = try bench.changes(table, since: checkpoint)
            try bench.expect(changes.filter(\.isLive).count == 200, "updated and not deleted")
            try bench.expect(changes.filter { !$0.isLive }.count == 100, "deleted")
        },
        Check("tracks upserts") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute(
                """
                INSERT INTO parent (id, name) VALUES ('a', 'AA'), ('b', 'B')
                ON CONFLICT (id) DO UPDATE SET name = excluded.name
                """)
            try bench.expect(
                try bench.changes(table, since: checkpoint).filter(\.isLive).count == 2, "both")
        },
        Check("forgets what was rolled back") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute(
                "BEGIN; INSERT INTO parent (id, name) VALUES ('a', 'A'); ROLLBACK")
            try bench.owner.execute(
                """
                BEGIN; INSERT INTO parent (id, name) VALUES ('b', 'B'); SAVEPOINT s;
                INSERT INTO parent (id, name) VALUES ('c', 'C'); ROLLBACK TO SAVEPOINT s; COMMIT
                """)
            let changes = try bench.changes(table, since: checkpoint)
            try bench.expect(changes.map(\.key) == [bench.key(table, .text("b"))], "only b")
        },
        Check("tracks children that a cascade deletes") { bench in
            try bench.owner.execute(
                """
                CREATE TABLE top (id INTEGER NOT NULL PRIMARY KEY);
                CREATE TABLE leaf (id INTEGER NOT NULL PRIMARY KEY,
                  top INTEGER REFERENCES top(id) ON DELETE CASCADE)
                """)
            try bench.attach()
            let table = try bench.table("leaf")
            try bench.owner.execute(
                "INSERT INTO top VALUES (1); INSERT INTO leaf VALUES (10, 1), (11, 1)")
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM top")
            try bench.expect(
                try bench.changes(table, since: checkpoint).filter { !$0.isLive }.count == 2,
                "two tombstones")
        },
        Check("keys that differ only in Unicode form are two rows") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            try bench.owner.execute(
                "INSERT INTO parent (id, name) VALUES ('caf\u{E9}', '1'), ('cafe\u{301}', '2')")
            let keys = try bench.changes(table, since: start).map(\.key)
            try bench.expect(Set(keys).count == 2, "two keys")
            try bench.expect(try bench.rows(table, keys).count == 2, "two rows")
        },
    ]

    static let clockChecks = [
        Check("a change of a transaction that commits late is not missed") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            let late = try bench.subject.openSession()
            try late.execute("BEGIN; INSERT INTO parent (id, name) VALUES ('late', 'L')")
            let meanwhile = try bench.checkpoint()
            try late.execute("COMMIT")
            for checkpoint in [start, meanwhile] {
                let keys = try bench.changes(table, since: checkpoint).map(\.key)
                try bench.expect(
                    keys == [bench.key(table, .text("late"))], "beyond both marks: \(keys.count)")
            }
            try bench.expect(
                try bench.changes(table, since: try bench.checkpoint()).isEmpty, "delivered once")
        },
        Check("a mark shows nothing of what came after it") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let upperBound = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('b', 'B')")
            _ = try bench.checkpoint()
            let window = try bench.tracked(table, .beyond(since: start, within: upperBound))
            try bench.expect(
                window.map(\.key) == [bench.key(table, .text("a"))], "the window holds a")
            let first = try bench.tracked(table, .fromNothing(copiedAt: nil, within: upperBound))
            try bench.expect(
                first.map(\.key) == [bench.key(table, .text("a"))], "so does the first copy")
        },
        Check("pages go on after a position without gap or repetition") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            let start = try bench.checkpoint()
            for number in 1...9 {
                let values = (1...number).map { "(\(number), 'k\($0)')" }.joined(separator: ", ")
                try bench.owner.execute("INSERT INTO child (a, b) VALUES \(values)")
                if number % 3 == 0 { _ = try bench.checkpoint() }
            }
            let upperBound = try bench.checkpoint()
            for query in [
                TrackingQuery.beyond(since: start, within: upperBound),
                .fromNothing(copiedAt: nil, within: upperBound),
                .all,
            ] {
                let whole = try bench.tracked(table, query).map(\.key)
                try bench.expect(whole.count == 45, "45 rows, found \(whole.count)")
                let byVersion = if case .beyond = query { true } else { false }
                var paged: [RowKey] = []
                var after: TrackingPosition?
                while true {
                    let part = try bench.connection { connection in
                        try ConformanceBench.inSnapshot(connection) {
                            try connection.trackedRows(
                                table, in: .everything, query, after: after, limit: 4)
                        }
                    }
                    guard let last = part.last else { break }
                    paged += part.map(\.key)
                    after = TrackingPosition(
                        version: byVersion ? last.version ?? 0 : 0, key: last.key)
                }
                try bench.expect(paged == whole, "pages of 4 are the whole")
                let count = try bench.connection { connection in
                    try ConformanceBench.inSnapshot(connection) {
                        try connection.countTracked(table, in: .everything, query)
                    }
                }
                try bench.expect(count > 0, "the count is an estimate above zero")
            }
        },
        Check("pages go on among rows that have no number yet") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B')")
            _ = try bench.checkpoint()
            try bench.owner.execute(
                "INSERT INTO parent (id, name) VALUES ('c', 'C'), ('d', 'D'), ('e', 'E')")
            let query = TrackingQuery.beyond(since: start, within: nil)
            let found = try bench.connection { connection in
                try ConformanceBench.inSnapshot(connection) { () -> [RowKey] in
                    var found: [RowKey] = []
                    var after: TrackingPosition?
                    while found.count < 10 {
                        let part = try connection.trackedRows(
                            table, in: .everything, query, after: after, limit: 2)
                        guard let last = part.last else { break }
                        found += part.map(\.key)
                        after = TrackingPosition(version: last.version ?? .max, key: last.key)
                    }
                    return found
                }
            }
            try bench.expect(
                found == ["a", "b", "c", "d", "e"].map { bench.key(table, .text($0)) },
                "each once: \(found)")
        },
        Check("rows come with their tracking rows, column by column") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let start = try bench.checkpoint()
            try bench.owner.execute(
                """
                INSERT INTO parent (id, name, code, price)
                VALUES ('a', 'A', 1, 1.50), ('b', '', NULL, NULL), ('c', 'C', 3, 3)
                """)
            _ = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM parent WHERE id = 'b'")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('d', 'dé')")
            _ = try bench.checkpoint()
            let places = ["price", "id", "name", "code"].compactMap {
                table.description.column(named: $0)
            }
            func content(
                _ query: TrackingQuery, _ columns: [Int], in scope: Scope = .everything
            ) throws -> TrackedContent {
                try bench.connection { connection in
                    try ConformanceBench.inSnapshot(connection) {
                        try connection.content(
                            table, columns: columns, in: scope, query, after: nil, limit: 10)
                    }
                }
            }
            let whole = try content(.beyond(since: start, within: nil), places)
            let keys = (0..<whole.count).map { table.description.key(whole.keys[$0]) }
            try bench.expect(
                keys == ["a", "c", "b", "d"].map { bench.key(table, .text($0)) },
                "by version: a, c, b, d and not \(keys)")
            try bench.expect(
                whole.isLive == [true, true, false, true] && whole.isFound == whole.isLive,
                "b is gone, and not found")
            try bench.expect(
                whole.rows[0][1...] == [.text("a"), .text("A"), .integer(1)],
                "the columns that were asked for, in that order, and not \(whole.rows[0])")
            try bench.expect(
                whole.rows[2] == [.null, .null, .null, .null], "nothing of a row that is gone")
            try bench.expect(
                whole.rows[3] == [.null, .text("d"), .text("dé"), .null],
                "NULLs of one that is there")
            let bare = try content(.beyond(since: start, within: nil), [])
            try bench.expect(
                bare.keys == whole.keys && bare.isLive == whole.isLive
                    && bare.isFound == [false, false, false, false] && bare.rows.columns.isEmpty,
                "without columns only what is tracked")
            let none = try content(.all, places, in: Scope("elsewhere"))
            try bench.expect(
                none.count == 0 && none.rows.count == 0, "nothing of a scope that nobody is in")
        },
        Check("a first copy has no tombstones, unless the table was held before") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B')")
            let held = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM parent WHERE id = 'a'")
            _ = try bench.checkpoint()
            let fresh = try bench.tracked(table, .fromNothing(copiedAt: nil, within: nil))
            try bench.expect(fresh.map(\.isLive) == [true], "live rows only")
            let again = try bench.tracked(table, .fromNothing(copiedAt: held, within: nil))
            try bench.expect(
                again.map(\.isLive) == [false, true], "with the tombstone beyond the mark")
            try bench.expect(again.first?.wasLiveBefore == true, "which the replica may hold")
        },
        Check("knows its own marks, and neither garbage nor the future") { bench in
            try bench.prepare()
            let checkpoint = try bench.checkpoint()
            try bench.expect(try bench.connection { try $0.isKnown(checkpoint) }, "its own mark")
            do {
                let known = try bench.connection {
                    try $0.isKnown(Checkpoint("; DROP TABLE parent"))
                }
                try bench.expect(!known, "garbage is no mark")
            } catch let error as CentralError {
                try bench.expect(error.kind == .invalidCheckpoint, "garbage: \(error)")
            }
        },
        Check("compares a table page by page in key order") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute(
                "INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D')"
            )
            let checkpoint = try bench.checkpoint()
            try bench.owner.execute("UPDATE parent SET name = 'BB' WHERE id = 'b'")
            try bench.owner.execute("DELETE FROM parent WHERE id = 'c'")
            _ = try bench.checkpoint()
            var found: [ComparedCentralRow] = []
            while true {
                let part = try bench.connection { connection in
                    try ConformanceBench.inSnapshot(connection) {
                        try connection.rows(
                            table, after: found.last?.key, limit: 2,
                            in: ComparedScopes([.everything]), beyond: checkpoint)
                    }
                }
                found += part
                if part.count < 2 { break }
            }
            try bench.expect(
                found.map(\.key) == ["a", "b", "c", "d"].map { bench.key(table, .text($0)) },
                "four keys in order, found \(found.count)")
            try bench.expect(
                found.map(\.isBeyondCheckpoint) == [false, true, true, false], "b and c are beyond")
            try bench.expect(
                found.map { $0.values == nil } == [false, false, true, false], "c is gone")
        },
    ]
}
