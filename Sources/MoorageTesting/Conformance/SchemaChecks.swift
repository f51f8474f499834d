import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let schemaChecks = [
        Check("reads tables with keys, types, unique keys and foreign keys") { bench in
            try bench.owner.execute(ConformanceBench.schema)
            let parent = try bench.describe("parent")
            let child = try bench.describe("child")
            try bench.expect(parent.primaryKey == [0], "parent's key: \(parent.primaryKey)")
            try bench.expect(
                parent.columns.map(\.type) == [.text, .text, .integer, .decimal],
                "parent's types: \(parent.columns.map(\.type))")
            try bench.expect(parent.uniqueKeys == [[2]], "unique keys: \(parent.uniqueKeys)")
            try bench.expect(!parent.columns[1].isNullable, "parent.name is NOT NULL")
            try bench.expect(parent.columns[2].isNullable, "parent.code may be NULL")
            try bench.expect(child.primaryKey == [0, 1], "child's key: \(child.primaryKey)")
            try bench.expect(
                child.foreignKeys.first?.referencedTable == "parent"
                    && child.foreignKeys.first?.columns == [2]
                    && child.foreignKeys.first?.referencedColumns == ["id"],
                "child's foreign keys: \(child.foreignKeys)")
        },
        Check("reads the key in the key's own order") { bench in
            try bench.owner.execute(
                "CREATE TABLE odd (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (b, a))")
            try bench.expect(try bench.describe("odd").primaryKey == [1, 0], "the key is (b, a)")
        },
        Check("reads literal defaults, and leaves expressions to the centre") { bench in
            try bench.owner.execute(
                """
                CREATE TABLE d (id INTEGER NOT NULL PRIMARY KEY, n INTEGER DEFAULT 7, t TEXT DEFAULT 'it''s',
                  at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, none TEXT)
                """)
            let defaults = try bench.describe("d").columns.dropFirst().map(\.defaultValue)
            try bench.expect(
                Array(defaults) == [.value(.integer(7)), .value(.text("it's")), .central, .none],
                "defaults: \(defaults)")
        },
        Check("refuses a table without a primary key, and says what to do") { bench in
            try bench.owner.execute("CREATE TABLE bare (x INTEGER)")
            let table = try bench.connection { try $0.readTables() }.first { $0.name == "bare" }
            guard case .unsupported(let reason)? = table?.support else {
                throw ConformanceFailure(description: "a table without key was taken")
            }
            try bench.expect(reason.contains("primary key"), "the reason: \(reason)")
        },
        Check("quotes names that need it") { bench in
            try bench.owner.execute(
                """
                CREATE TABLE "select ""x"" Ünï" ("order" INTEGER NOT NULL PRIMARY KEY, "a b" TEXT);
                INSERT INTO "select ""x"" Ünï" VALUES (1, 'one')
                """)
            try bench.attach()
            let table = try bench.table(bench.subject.storedName("select \"x\" Ünï"))
            let rows = try bench.rows(table, [bench.key(table, .integer(1))])
            try bench.expect(rows == [[.integer(1), .text("one")]], "rows: \(rows.count)")
        },
        Check("tells by its stamp that the schema moved") { bench in
            try bench.prepare()
            let before = try bench.connection { try $0.schemaStamp() }
            try bench.expect(
                try bench.connection { try $0.schemaStamp() } == before, "the stamp moved by itself"
            )
            try bench.owner.execute("ALTER TABLE parent ADD COLUMN extra TEXT")
            try bench.expect(
                try bench.connection { try $0.schemaStamp() } != before, "a new column was not seen"
            )
        },
    ]

    static let watchingChecks = [
        Check("says which table is tracked no more, and nothing of the others") { bench in
            try bench.prepare()
            try bench.expect(
                try bench.connection { try $0.trackingProblems() }.isEmpty, "both are tracked")
            let child = try bench.table("child")
            try bench.connection { connection in
                for step in try connection.detachSteps(for: child) { try connection.runStep(step) }
            }
            let problems = try bench.connection { try $0.trackingProblems() }
            try bench.expect(problems.keys.elementsEqual([child.number]), "\(problems)")
            try bench.attach()
            try bench.expect(
                try bench.connection { try $0.trackingProblems() }.isEmpty, "attached again")
        },
        Check("says nothing of a table that is gone") { bench in
            try bench.prepare()
            try bench.owner.execute("DROP TABLE child")
            let problems = try bench.connection { try $0.trackingProblems() }
            try bench.expect(problems.isEmpty, "\(problems)")
            try bench.expect(
                try bench.connection { try $0.columnForms(of: "child") }.isEmpty, "its columns")
        },
    ]

    static let attachChecks = [
        Check("tracks the rows that were there before") { bench in
            try bench.owner.execute(ConformanceBench.schema)
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B')")
            try bench.attach()
            let table = try bench.table("parent")
            let keys = try bench.tracked(table, .fromNothing(copiedAt: nil, within: nil)).map(\.key)
            try bench.expect(
                keys == [bench.key(table, .text("a")), bench.key(table, .text("b"))],
                "tracked: \(keys.count)")
        },
        Check("can be repeated, and changes nothing then") { bench in
            try bench.prepare()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let table = try bench.table("parent")
            let checkpoint = try bench.checkpoint()
            try bench.attach()
            try bench.expect(
                try bench.changes(table, since: checkpoint).isEmpty, "a second attach changed rows")
            try bench.owner.execute("UPDATE parent SET name = 'AA' WHERE id = 'a'")
            try bench.expect(
                try bench.changes(table, since: checkpoint).count == 1, "one update, one change")
        },
        Check("leaves no trace when it is detached, and the owner goes on writing") { bench in
            try bench.owner.execute(ConformanceBench.schema)
            let before = try bench.connection { try $0.readTables() }
            let stamp = try bench.connection { try $0.hasMetadata() }
            try bench.expect(!stamp, "metadata before the attach")
            try bench.attach()
            try bench.detach()
            try bench.expect(
                try !bench.connection { try $0.hasMetadata() }, "metadata after the detach")
            try bench.owner.execute(
                "INSERT INTO parent (id, name) VALUES ('a', 'A'); UPDATE parent SET name = 'B'; DELETE FROM parent"
            )
            try bench.expect(
                try bench.connection { try $0.readTables() } == before, "the schema is another")
        },
        Check("finds what was written and deleted while it was away") { bench in
            try bench.prepare()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            try bench.detach()
            try bench.owner.execute(
                "DELETE FROM parent; INSERT INTO parent (id, name) VALUES ('b', 'B')")
            try bench.attach()
            let table = try bench.table("parent")
            let rows = try bench.tracked(table, .fromNothing(copiedAt: nil, within: nil))
            try bench.expect(
                rows.map(\.key) == [bench.key(table, .text("b"))], "live rows: \(rows.count)")
        },
        Check("gives every row a new version when it restamps") { bench in
            try bench.prepare()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B')")
            let table = try bench.table("parent")
            let checkpoint = try bench.checkpoint()
            try bench.write { try $0.restamp(table) }
            try bench.expect(
                try bench.changes(table, since: checkpoint).count == 2,
                "not every row was restamped")
        },
        Check("gives every row a new version in parts, while others write") { bench in
            try bench.prepare()
            try bench.insertParents(1...9)
            let table = try bench.table("parent")
            let checkpoint = try bench.checkpoint()
            var statements = [
                "UPDATE parent SET name = 'other' WHERE id = 'p9'",
                "DELETE FROM parent WHERE id = 'p1'",
                "INSERT INTO parent (id, name) VALUES ('p5b', 'n')",
            ]
            let write = { if let next = statements.popLast() { try bench.owner.execute(next) } }
            try bench.connection { try $0.restamp(table, batch: 2) { _ in try write() } }
            while !statements.isEmpty { try write() }
            let changes = try bench.changes(table, since: checkpoint)
            try bench.expect(
                changes.count == 10 && changes.filter { !$0.isLive }.count == 1,
                "nine rows and a new one have new versions, one as deleted: \(changes.count)")
            try bench.expectTrackedAsStored()
        },
    ]
}
