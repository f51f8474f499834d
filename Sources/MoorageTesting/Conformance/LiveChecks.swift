import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let liveChecks = [
        Check(
            "gives another change token after a commit of another program, and no other one at rest"
        ) {
            bench in
            try bench.prepare()
            try bench.expect(try bench.isAtRest(), "nothing was committed")
            let before = try bench.changeToken()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let after = try bench.changeToken()
            try bench.expect(after != before, "another program committed")
            try bench.expect(try bench.isAtRest(), "nothing was committed since")
        },
        Check("gives another change token after a commit of its own") { bench in
            try bench.prepare()
            let before = try bench.changeToken()
            try bench.connection { connection in
                try connection.begin(.write)
                _ = try connection.run("INSERT INTO parent (id, name) VALUES ('a', 'A')", [])
                try connection.commit()
            }
            try bench.expect(try bench.changeToken() != before, "it committed")
        },
        Check("gives the change token of the snapshot that is open") { bench in
            try bench.prepare()
            let isSame = try bench.tries {
                let before = try bench.changeToken()
                return try bench.connection { connection in
                    try ConformanceBench.inSnapshot(connection) { try connection.changeToken() }
                } == before
            }
            try bench.expect(isSame, "the same state, the same change token")
        },
        Check("tells in which scopes a table changed beyond a mark") { bench in
            try bench.prepare()
            let parent = try bench.table("parent")
            let other = Scope("somebody/1")
            func changed(_ table: AttachedTable, since checkpoint: Checkpoint) throws -> Set<Scope>
            {
                try bench.connection { connection in
                    try connection.numberChanges()
                    return try ConformanceBench.inSnapshot(connection) {
                        try connection.changedScopes(
                            table, among: [.everything, other], beyond: checkpoint)
                    }
                }
            }
            let start = try bench.checkpoint()
            try bench.expect(try changed(parent, since: start).isEmpty, "nothing changed")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            try bench.expect(try changed(parent, since: start) == [.everything], "an insert")
            try bench.expect(
                try changed(try bench.table("child"), since: start).isEmpty, "another table")
            let inserted = try bench.checkpoint()
            try bench.expect(try changed(parent, since: inserted).isEmpty, "nothing since")
            try bench.owner.execute("DELETE FROM parent")
            try bench.expect(try changed(parent, since: inserted) == [.everything], "a delete")
        },
    ]
}

extension ConformanceBench {
    fileprivate func changeToken() throws -> String { try connection { try $0.changeToken() } }

    /// Whether the change token stays when nothing is committed.
    fileprivate func isAtRest() throws -> Bool { try tries { try changeToken() == changeToken() } }

    /// Asks until it is so. On PostgreSQL each commit in another database moves the change token, too:
    /// two readings are the same when none comes between them.
    fileprivate func tries(_ body: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<1_000 where try body() { return true }
        return false
    }
}
