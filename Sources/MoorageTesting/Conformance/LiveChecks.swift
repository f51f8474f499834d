import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let liveChecks = [
        Check("gives another sign after a commit of another program, and no other one at rest") {
            bench in
            try bench.prepare()
            let before = try bench.sign()
            try bench.expect(try bench.sign() == before, "nothing was committed")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let after = try bench.sign()
            try bench.expect(after != before, "another program committed")
            try bench.expect(try bench.sign() == after, "nothing was committed since")
        },
        Check("gives another sign after a commit of its own") { bench in
            try bench.prepare()
            let before = try bench.sign()
            try bench.connection { connection in
                try connection.begin(.write)
                _ = try connection.run("INSERT INTO parent (id, name) VALUES ('a', 'A')", [])
                try connection.commit()
            }
            try bench.expect(try bench.sign() != before, "it committed")
        },
        Check("gives the sign of the snapshot that is open") { bench in
            try bench.prepare()
            let before = try bench.sign()
            let inside = try bench.connection { connection in
                try ConformanceBench.inSnapshot(connection) { try connection.changeSign() }
            }
            try bench.expect(inside == before, "the same state, the same sign")
        },
        Check("tells in which scopes a table changed beyond a mark") { bench in
            try bench.prepare()
            let parent = try bench.table("parent")
            let other = Scope("somebody/1")
            func changed(_ table: AttachedTable, since mark: Mark) throws -> Set<Scope> {
                try bench.connection { connection in
                    try connection.numberChanges()
                    return try ConformanceBench.inSnapshot(connection) {
                        try connection.changedScopes(
                            table, among: [.everything, other], beyond: mark)
                    }
                }
            }
            let start = try bench.mark()
            try bench.expect(try changed(parent, since: start).isEmpty, "nothing changed")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            try bench.expect(try changed(parent, since: start) == [.everything], "an insert")
            try bench.expect(
                try changed(try bench.table("child"), since: start).isEmpty, "another table")
            let inserted = try bench.mark()
            try bench.expect(try changed(parent, since: inserted).isEmpty, "nothing since")
            try bench.owner.execute("DELETE FROM parent")
            try bench.expect(try changed(parent, since: inserted) == [.everything], "a delete")
        },
    ]
}

extension ConformanceBench {
    fileprivate func sign() throws -> String { try connection { try $0.changeSign() } }
}
