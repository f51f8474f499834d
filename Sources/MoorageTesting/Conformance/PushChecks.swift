import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let pushChecks = [
        Check("locks rows and says what it knows of them") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute(
                "INSERT INTO parent (id, name, price) VALUES ('a', 'A', 9.80), ('b', 'B', 1)")
            try bench.owner.execute("DELETE FROM parent WHERE id = 'b'")
            let keys = ["a", "b", "c"].map { bench.key(table, .text($0)) }
            let rows = try bench.write { try $0.lockRows(table, keys: keys) }
            try bench.expect(rows.count == 3, "one entry for each key")
            try bench.expect(
                table.description.equal(
                    rows[keys[0]]?.values ?? [], [.text("a"), .text("A"), .null, .text("9.8")]),
                "the row of a")
            try bench.expect(rows[keys[0]]?.changedAt != nil, "when a changed")
            try bench.expect(rows[keys[1]]?.isTombstone == true, "b was there")
            try bench.expect(rows[keys[1]]?.values == nil, "b is gone")
            try bench.expect(rows[keys[2]] == .absent, "c never was")
        },
        Check("inserts, updates and deletes sets, and tracks them") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            let start = try bench.checkpoint()
            let keys = (1...300).map {
                bench.key(table, .integer(Int64($0)), .text("é\u{1F600}\($0)"))
            }
            try bench.write { connection in
                try connection.insert(
                    table, columns: [0, 1, 3],
                    rows: keys.map { [$0.values[0], $0.values[1], .text("first")] })
                try connection.update(
                    table, columns: [3],
                    rows: keys.prefix(100).map { KeyedValues(key: $0, values: [.text("second")]) })
                try connection.delete(table, keys: Array(keys.suffix(100)))
            }
            let rows = try bench.rows(table, keys)
            try bench.expect(rows.count == 200, "200 rows stay, found \(rows.count)")
            try bench.expect(
                rows.filter { $0[3] == .text("second") }.count == 100, "100 were updated")
            let live = try bench.changes(table, since: start).filter(\.isLive)
            try bench.expect(live.count == 200, "200 live tracking rows, found \(live.count)")
        },
        Check("undoes a savepoint alone") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let key = { bench.key(table, .text($0)) }
            try bench.write { connection in
                try connection.insert(table, columns: [0, 1], rows: [[.text("a"), .text("A")]])
                try connection.savepoint()
                try connection.insert(table, columns: [0, 1], rows: [[.text("b"), .text("B")]])
                try connection.savepoint()
                try connection.insert(table, columns: [0, 1], rows: [[.text("c"), .text("C")]])
                try connection.releaseSavepoint()
                try connection.rollbackToSavepoint()
                try connection.insert(table, columns: [0, 1], rows: [[.text("d"), .text("D")]])
            }
            let rows = try bench.rows(table, ["a", "b", "c", "d"].map(key))
            try bench.expect(Set(rows.map { $0[0] }) == [.text("a"), .text("d")], "a and d stay")
        },
        Check("leaves nothing when a transaction is rolled back") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.connection { connection in
                try connection.begin(.write)
                try connection.insert(table, columns: [0, 1], rows: [[.text("a"), .text("A")]])
                connection.rollback()
                connection.rollback()
            }
            try bench.expect(
                try bench.rows(table, [bench.key(table, .text("a"))]).isEmpty, "nothing")
        },
        Check("keeps the time of an edit with the row it was written to") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let key = bench.key(table, .text("a"))
            try bench.write { connection in
                try connection.insert(table, columns: [0, 1], rows: [[.text("a"), .text("A")]])
                try connection.setChangedAt(table, times: [KeyedTime(key: key, changedAt: 1234)])
            }
            let row = try bench.write { try $0.lockRows(table, keys: [key]) }[key]
            try bench.expect(row?.changedAt == 1234, "changed at \(row?.changedAt ?? -1)")
        },
        Check("keeps the times of many edits, whatever was undone between") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            let keys = (0..<200).map { bench.key(table, .text("é\($0)")) }
            let times = keys.enumerated().map {
                KeyedTime(key: $1, changedAt: HubTime(milliseconds: 1000 + Int64($0)))
            }
            func write(_ range: Range<Int>, _ connection: any CentralConnection) throws {
                try connection.keeping(Array(times[range]), of: table) {
                    try connection.insert(
                        table, columns: [0, 1],
                        rows: keys[range].map { [$0.values[0], .text("A")] })
                }
            }
            try bench.write { connection in
                try connection.savepoint()
                try write(0..<200, connection)
                try connection.rollbackToSavepoint()
                try write(0..<90, connection)
                try write(90..<100, connection)
                try write(100..<200, connection)
                try connection.keeping([times[5]], of: table) {
                    try connection.delete(table, keys: [keys[5]])
                }
                try connection.setChangedAt(table, times: times)
            }
            let rows = try bench.write { try $0.lockRows(table, keys: keys) }
            try bench.expect(rows[keys[5]]?.isTombstone == true, "the sixth is gone")
            for time in times {
                let changedAt = rows[time.key]?.changedAt ?? -1
                try bench.expect(changedAt == time.changedAt, "\(changedAt), not \(time.changedAt)")
            }
            // Another program's change has the clock's time again.
            try bench.owner.execute("UPDATE parent SET name = 'B' WHERE id = 'é7'")
            let row = try bench.write { try $0.lockRows(table, keys: [keys[7]]) }[keys[7]]
            try bench.expect(row?.changedAt ?? 0 > 1_500_000_000_000, "the clock's time")
        },
        Check("evaluates a rule with its values as arguments of the column's type") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            func evaluate(_ text: String, _ column: Int, _ values: RuleValues) throws -> Value {
                try bench.write {
                    try $0.evaluate(RuleExpression(text), of: column, in: table, values)
                }
            }
            let larger = "CASE WHEN mine > theirs THEN mine ELSE theirs END"
            let decimals = try evaluate(
                larger, 3, RuleValues(base: .null, mine: .text("9.50"), theirs: .text("10.25")))
            try bench.expect(
                ColumnType.decimal.equal(decimals, .text("10.25")), "as decimals: \(decimals)")
            let sum = try evaluate(
                "theirs + mine - base", 2,
                RuleValues(base: .integer(1), mine: .integer(3), theirs: .integer(10)))
            try bench.expect(sum == .integer(12), "as integers: \(sum)")
            let text = try evaluate(
                "mine || '; mine ' || theirs", 1,
                RuleValues(base: .null, mine: .text("it's '; --"), theirs: .text("é")))
            try bench.expect(text == .text("it's '; --; mine é"), "as texts: \(text)")
            let nothing = try evaluate(
                "base", 1, RuleValues(base: .null, mine: .text("a"), theirs: .text("b")))
            try bench.expect(nothing == .null, "NULL: \(nothing)")
            let broken = try bench.connection { connection in
                do {
                    _ = try connection.evaluate(
                        RuleExpression("no_such_function(mine)"), of: 1, in: table,
                        RuleValues(base: .null, mine: .null, theirs: .null))
                    return false
                } catch let error as CentralError {
                    return error.kind == .failed
                }
            }
            try bench.expect(broken, "what cannot be evaluated is a failure")
        },
        Check("knows the highest key") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            let none = try bench.write { try $0.highestKey(of: table) }
            try bench.expect(none == nil, "no row")
            try bench.owner.execute("INSERT INTO child (a, b) VALUES (-5, 'x'), (7, 'x'), (3, 'y')")
            let highest = try bench.write { try $0.highestKey(of: table) }
            try bench.expect(highest == 7, "7, not \(String(describing: highest))")
        },
        Check("has no sequence for keys that the owner makes") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            let none = try bench.write { try $0.reserveKeys(of: table, count: 10, above: 0) }
            try bench.expect(none == nil, "a table without a sequence")
        },
        Check("finds the rows that refer to a parent") { bench in
            try bench.prepare()
            let table = try bench.table("child")
            try bench.owner.execute(
                """
                INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B');
                INSERT INTO child VALUES (1, 'x', 'a', NULL), (2, 'x', 'a', NULL), (3, 'x', 'b', NULL)
                """)
            let rows = try bench.write { connection in
                try connection.referringRows(
                    table, through: table.description.foreignKeys[0], to: [[.text("a")]])
            }
            try bench.expect(Set(rows.map { $0[0] }) == [.integer(1), .integer(2)], "1 and 2")
        },
        Check("takes rows that refer to each other within one savepoint") { bench in
            try bench.owner.execute(
                """
                CREATE TABLE node (id INTEGER NOT NULL PRIMARY KEY,
                  next INTEGER REFERENCES node(id) DEFERRABLE INITIALLY IMMEDIATE)
                """)
            try bench.attach()
            let table = try bench.table("node")
            try bench.write { connection in
                try connection.savepoint()
                try connection.deferConstraints()
                try connection.insert(
                    table, columns: [0, 1],
                    rows: [[.integer(1), .integer(2)], [.integer(2), .integer(1)]])
                try connection.checkConstraints([
                    WrittenRows(
                        table: table,
                        written: [bench.key(table, .integer(1)), bench.key(table, .integer(2))],
                        deleted: [])
                ])
                try connection.releaseSavepoint()
            }
            try bench.expect(
                try bench.rows(
                    table, [bench.key(table, .integer(1)), bench.key(table, .integer(2))]
                ).count == 2,
                "both rows are in")
        },
    ]

    static let refusalChecks = [
        Check("refuses by constraint, and says which kind") { bench in
            try bench.prepare()
            let parent = try bench.table("parent")
            let child = try bench.table("child")
            try bench.owner.execute("INSERT INTO parent (id, name, code) VALUES ('a', 'A', 1)")
            try bench.owner.execute("INSERT INTO child (a, b, parent) VALUES (1, 'x', 'a')")
            func insert(_ row: [Value]) throws -> Refusal.Code? {
                try bench.refusal { try $0.insert(parent, columns: [0, 1, 2, 3], rows: [row]) }
            }
            try bench.expect(
                try insert([.text("a"), .text("x"), .null, .null]) == .unique, "the same key")
            try bench.expect(
                try insert([.text("b"), .text("x"), .integer(1), .null]) == .unique, "the same code"
            )
            try bench.expect(
                try insert([.text("b"), .null, .null, .null]) == .notNull, "no name")
            try bench.expect(
                try insert([.text("b"), .text("x"), .null, .text("-1")]) == .check,
                "a negative price")
            let orphan = try bench.refusal { connection in
                try connection.insert(
                    child, columns: [0, 1, 2], rows: [[.integer(9), .text("x"), .text("none")]])
                try connection.checkConstraints([
                    WrittenRows(
                        table: child, written: [bench.key(child, .integer(9), .text("x"))],
                        deleted: [])
                ])
            }
            try bench.expect(
                orphan == .foreignKey, "a child without parent: \(String(describing: orphan))")
            let parentGone = try bench.refusal { connection in
                try connection.delete(parent, keys: [bench.key(parent, .text("a"))])
                try connection.checkConstraints([
                    WrittenRows(
                        table: parent, written: [],
                        deleted: [[.text("a"), .text("A"), .integer(1), .null]])
                ])
            }
            try bench.expect(parentGone == .foreignKey, "a parent with children")
        },
        Check("goes on in the same transaction after a refusal") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.write { connection in
                try connection.savepoint()
                do {
                    try connection.insert(table, columns: [0, 1], rows: [[.text("a"), .null]])
                    throw ConformanceFailure(description: "NULL was taken")
                } catch let error as CentralError {
                    guard case .refused = error.kind else { throw error }
                    try connection.rollbackToSavepoint()
                }
                try connection.insert(table, columns: [0, 1], rows: [[.text("b"), .text("B")]])
            }
            try bench.expect(
                try bench.rows(table, [bench.key(table, .text("b"))]).count == 1, "b is in")
        },
        Check("names no value in a refusal") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('secret-4711', 'A')")
            do {
                try bench.write {
                    try $0.insert(
                        table, columns: [0, 1], rows: [[.text("secret-4711"), .text("x")]])
                }
                throw ConformanceFailure(description: "the same key was taken twice")
            } catch let error as CentralError {
                try bench.expect(
                    !"\(error) \(error.kind)".contains("4711"), "the message shows a value")
            }
        },
        Check("has a clock in milliseconds and an identity") { bench in
            try bench.prepare()
            try bench.expect(
                try bench.connection { try $0.now() } > 1_500_000_000_000,
                "the clock is in milliseconds")
            try bench.expect(!(try bench.connection { try $0.identity() }).isEmpty, "an identity")
        },
    ]
}
