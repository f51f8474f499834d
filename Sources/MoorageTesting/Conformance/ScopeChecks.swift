import MoorageCore
import MoorageHub
import MoorageWire

/// Rows enter scopes, and move between them, in the transaction that decides it.
extension ConnectorConformance {
    static let scopeChecks: [Check] = [
        Check("Rows are in the scopes that their rules say, whatever is written") { bench in
            for seed in 1...(isNightly ? 3 : 1) as ClosedRange<UInt64> {
                let world = try ScopedWorld(bench, seed: seed)
                for _ in 0..<40 {
                    try world.step()
                    try world.check()
                }
                try world.drop()
            }
        },
        Check("A row that moves takes what hangs below it along, and nobody else notices") {
            bench in
            let world = try ScopedWorld(bench, seed: 1, isEmpty: true)
            try bench.owner.execute(
                """
                INSERT INTO project VALUES (1, 'ann', 0), (2, 'bob', 0);
                INSERT INTO task VALUES (10, 1, 't'), (20, 2, 't');
                INSERT INTO item VALUES (1, 'x', 10, 'i'), (2, 'y', 20, 'i');
                """)
            let before = try bench.checkpoint()
            try bench.owner.execute("UPDATE project SET owner = 'carl' WHERE id = 1")
            try bench.connection { try $0.numberChanges() }
            let changed = { try world.changes($0, $1, since: before) }
            for table in ["project", "task", "item"] {
                try bench.expect(
                    changed(table, "person/carl") == [true], "\(table) came to its new scope")
                try bench.expect(
                    changed(table, "person/ann") == [false], "\(table) left its old scope")
                try bench.expect(changed(table, "person/bob") == [], "\(table): bob hears nothing")
            }
        },
        Check("A scan meets what left a scope before its upper bound, though it is written again") {
            bench in
            let world = try ScopedWorld(bench, seed: 1, isEmpty: true)
            try bench.owner.execute("INSERT INTO project VALUES (1, 'ann', 0)")
            let before = try bench.checkpoint()
            try bench.owner.execute("UPDATE project SET owner = 'carl' WHERE id = 1")
            let upperBound = try bench.checkpoint()
            // This update has no number yet. It will be beyond the upper bound, but for ann the row
            // left before it.
            try bench.owner.execute("UPDATE project SET owner = 'bob' WHERE id = 1")
            let scanned = {
                try world.tracked(
                    "project", Scope("person/ann"), .beyond(since: before, within: upperBound)
                ).map(\.isLive)
            }
            try bench.expect(scanned() == [false], "the scan says that it left")
            try bench.connection { try $0.numberChanges() }
            try bench.expect(
                scanned() == [false]
                    || world.changes("project", "person/ann", since: upperBound) == [false],
                "a later page says that it left")
        },
        Check(
            "A scan tells of a row that went before its upper bound, though it comes and goes again"
        ) {
            bench in
            let world = try ScopedWorld(bench, seed: 1, isEmpty: true)
            let (came, went) = (
                "INSERT INTO project VALUES (1, 'ann', 0)", "DELETE FROM project WHERE id = 1"
            )
            try bench.owner.execute(came)
            let before = try bench.checkpoint()
            try bench.owner.execute(went)
            let upperBound = try laterCheckpoint(bench)
            // While the scan reads, the row exists without a number. It is deleted before it gets
            // one.
            try bench.owner.execute(came)
            let scanned = try world.tracked(
                "project", Scope("person/ann"), .beyond(since: before, within: upperBound))
            try bench.owner.execute(went)
            try bench.connection { try $0.numberChanges() }
            try bench.expect(
                scanned.map(\.isLive) == [false]
                    || world.changes("project", "person/ann", since: upperBound) == [false],
                "the scan, or a later page, says that it went")
        },
        Check("A row that is back without a number is one that no mark accounts for") { bench in
            let world = try ScopedWorld(bench, seed: 1, isEmpty: true)
            let (came, went) = (
                "INSERT INTO project VALUES (1, 'ann', 0)", "DELETE FROM project WHERE id = 1"
            )
            try bench.owner.execute(came)
            _ = try bench.checkpoint()
            try bench.owner.execute(went)
            let upperBound = try laterCheckpoint(bench)
            try bench.owner.execute(came)
            // A scan that meets its tombstone, here or in another scope, sends the row.
            let table = try bench.table("project")
            let key = bench.key(table, .integer(1))
            let named = try bench.connection { connection in
                try ConformanceBench.inSnapshot(connection) {
                    try connection.newcomers(
                        table, among: [key], in: [Scope("person/ann")], beyond: upperBound)
                }
            }
            try bench.owner.execute(went)
            try bench.connection { try $0.numberChanges() }
            try bench.expect(
                named == [key]
                    || world.changes("project", "person/ann", since: upperBound) == [false],
                "the cursor names it, or a later page says that it went")
        },
        Check("Other rules at a later attach move only the rows that they concern") { bench in
            let world = try ScopedWorld(bench, seed: 1, isEmpty: true)
            try bench.owner.execute(
                """
                INSERT INTO project VALUES (1, 'ann', 0), (2, 'bob', 1);
                INSERT INTO task VALUES (10, 1, 't'), (20, 2, 't');
                """)
            let before = try bench.checkpoint()
            var settings = ScopedWorld.settings
            settings.rules["project"] = [ScopeRule(.column(kind: "person", "owner"))]
            try bench.attach(scopes: settings)
            try bench.connection { try $0.numberChanges() }
            let changed = { try world.changes($0, $1, since: before) }
            for table in ["project", "task"] {
                try bench.expect(changed(table, "person/bob") == [true], "\(table) of bob came")
                try bench.expect(changed(table, "person/ann") == [], "\(table) of ann stayed")
            }
            try bench.attach()
            try bench.connection { try $0.numberChanges() }
            try bench.expect(changed("task", "person/ann") == [false], "everyone's is nobody's")
            try bench.expect(changed("task", "*") == [true, true], "everyone has it")
        },
        Check("Rules in another order leave no trigger behind on another table") { bench in
            let world = try ScopedWorld(bench, seed: 2)
            var turned = ScopedWorld.settings
            turned.rules["project"]?.reverse()
            try bench.attach(scopes: turned)
            for _ in 0..<20 {
                try world.step()
                try world.check()
            }
        },
        Check("Detaching takes the triggers on other tables along") { bench in
            _ = try ScopedWorld(bench, seed: 1, isEmpty: true)
            try bench.detach()
            try bench.owner.execute(
                """
                INSERT INTO project VALUES (1, 'ann', 0);
                INSERT INTO member VALUES (1, 1, 'bob');
                INSERT INTO task VALUES (10, 1, 't');
                UPDATE project SET owner = 'bob';
                UPDATE member SET person = 'ann';
                DELETE FROM member;
                DELETE FROM project;
                """)
        },
        Check("A foreign key out of the scopes is refused, or declared open") { bench in
            try bench.owner.execute(ScopedWorld.schema)
            var settings = ScopedWorld.settings
            settings.unenforcedKeys = [:]
            do {
                try bench.attach(scopes: settings)
                throw ConformanceFailure(
                    description: "a member without its project was let through")
            } catch let error as HubError {
                try bench.expect(
                    error.code == .configuration && error.message.contains("member"),
                    "the table is named: \(error)")
            }
        },
    ]
}

/// Makes a checkpoint, with a change to another row between it and what was written before. A
/// numbering step always reaches the tombstones of the number before its own.
private func laterCheckpoint(_ bench: ConformanceBench) throws -> Checkpoint {
    _ = try bench.checkpoint()
    try bench.owner.execute("INSERT INTO project VALUES (2, 'bob', 0)")
    return try bench.checkpoint()
}
