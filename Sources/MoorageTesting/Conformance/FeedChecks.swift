import MoorageCore
import MoorageHub

/// What a feed of changes asks beyond the pages of replicas.
extension ConnectorConformance {
    static let feedChecks: [Check] = [
        Check("reads on from the first row of a version") { bench in
            let world = try ScopedWorld(bench, seed: 1, isEmpty: true)
            try bench.owner.execute("INSERT INTO project VALUES (1, 'ann', 0)")
            let start = try bench.checkpoint()
            for statement in [
                "INSERT INTO item VALUES (1, 'x', NULL, 'i')",
                "INSERT INTO task VALUES (10, 1, 't'), (11, 1, 't'), (12, 1, 't')",
                "UPDATE task SET title = 'u' WHERE id <> 11",
                "INSERT INTO task VALUES (13, 1, 't')",
            ] {
                try bench.owner.execute(statement)
                _ = try bench.checkpoint()
            }
            let bound = try bench.checkpoint()
            let query = TrackingQuery.beyond(since: start, within: bound)
            let scope = Scope("person/ann")
            let whole = try world.tracked("task", scope, query)
            try bench.expect(whole.count == 4, "four tasks, found \(whole.count)")
            let table = try bench.table("task")
            func rows(from version: UInt64) throws -> [TrackedRow] {
                try bench.connection { connection in
                    try ConformanceBench.inSnapshot(connection) {
                        try connection.trackedRows(
                            table, in: scope, query,
                            after: TrackingPosition(version: version, key: RowKey([])), limit: 10)
                    }
                }
            }
            for (place, row) in whole.enumerated() {
                let version = row.version ?? 0
                try bench.expect(version > 0, "a bounded query has versions")
                let first = whole.firstIndex { $0.version == version } ?? place
                try bench.expect(
                    try rows(from: version) == Array(whole[first...]), "from its version on")
                let rest = whole.filter { $0.version ?? 0 > version }
                try bench.expect(try rows(from: version + 1) == rest, "what comes behind it")
            }
            try bench.expect(try rows(from: 0) == whole, "from the beginning")
        },
        Check("knows which rows had come into scopes by a checkpoint") { bench in
            _ = try ScopedWorld(bench, seed: 1, isEmpty: true)
            let table = try bench.table("project")
            let keys = (1...5).map { bench.key(table, .integer($0)) }
            func known(_ scopes: [String], by checkpoint: Checkpoint) throws -> [RowKey] {
                let found = try bench.connection { connection in
                    try ConformanceBench.inSnapshot(connection) {
                        try connection.known(
                            table, among: keys, in: Set(scopes.map { Scope("person/\($0)") }),
                            by: checkpoint)
                    }
                }
                return keys.filter(found.contains)
            }
            let before = try bench.checkpoint()
            try bench.owner.execute(
                "INSERT INTO project VALUES (1, 'ann', 0), (2, 'ann', 0), (3, 'bob', 0)")
            let first = try bench.checkpoint()
            try bench.owner.execute("UPDATE project SET owner = 'bob' WHERE id = 1")
            try bench.owner.execute("DELETE FROM project WHERE id = 2")
            try bench.owner.execute("INSERT INTO project VALUES (4, 'ann', 0)")
            let second = try bench.checkpoint()
            try bench.expect(try known(["ann", "bob"], by: before).isEmpty, "nothing before")
            try bench.expect(try known(["ann"], by: first) == [keys[0], keys[1]], "of ann")
            try bench.expect(try known(["bob"], by: first) == [keys[2]], "of bob")
            try bench.expect(
                try known(["ann", "bob"], by: first) == Array(keys[...2]), "of both")
            try bench.expect(try known(["bob"], by: second) == [keys[0], keys[2]], "moved")
            try bench.expect(
                try known(["ann"], by: second) == [keys[0], keys[1], keys[3]], "also what is gone")
            try bench.expect(try known([], by: second).isEmpty, "nothing in no scope")
        },
    ]
}
