import MoorageCore
import MoorageHub

/// Forgetting behind a horizon (docs/reference/hub.md, Retention).
extension ConnectorConformance {
    static let retentionChecks: [Check] = [
        Check("purges tombstones within the horizon, and nothing else") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute(
                "INSERT INTO parent (id, name) VALUES ('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D')"
            )
            try bench.owner.execute("DELETE FROM parent WHERE id IN ('a', 'b')")
            let horizon = try bench.checkpoint()
            try bench.owner.execute("DELETE FROM parent WHERE id = 'c'")
            // One that came back lives.
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('b', 'again')")
            _ = try bench.checkpoint()
            let count = try bench.write {
                try $0.purgeTombstones(table, within: horizon, limit: 100)
            }
            try bench.expect(count == 1, "one tombstone lay within, \(count) went")
            let left = try bench.tracked(table, .all)
            try bench.expect(
                left.map(\.key) == ["b", "c", "d"].map { bench.key(table, .text($0)) },
                "b, c and d are left, found \(left.count)")
            try bench.expect(left.map(\.isLive) == [true, false, true], "c is a tombstone")
        },
        Check("purges no more than it is told at once") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            for id in 1...7 {
                try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('\(id)', 'N')")
            }
            try bench.owner.execute("DELETE FROM parent")
            let horizon = try bench.checkpoint()
            let counts = try (0..<4).map { _ in
                try bench.write { try $0.purgeTombstones(table, within: horizon, limit: 3) }
            }
            try bench.expect(counts == [3, 3, 1, 0], "seven in steps of three: \(counts)")
        },
        Check("a row comes back after its tombstone went") { bench in
            try bench.prepare()
            let table = try bench.table("parent")
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            try bench.owner.execute("DELETE FROM parent")
            let horizon = try bench.checkpoint()
            _ = try bench.write { try $0.purgeTombstones(table, within: horizon, limit: 10) }
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'B')")
            let found = try bench.changes(table, since: horizon)
            try bench.expect(found.map(\.isLive) == [true], "the row is new: \(found)")
            try bench.expect(found.first?.wasLiveBefore == false, "and was never held")
        },
        Check("tells whether a mark covers a horizon, and keeps what it is told by") { bench in
            try bench.prepare()
            let before = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('a', 'A')")
            let horizon = try bench.checkpoint()
            try bench.owner.execute("INSERT INTO parent (id, name) VALUES ('b', 'B')")
            let after = try bench.checkpoint()
            try bench.write { try $0.forgetCheckpoints(before: horizon) }
            try bench.connection { connection in
                try bench.expect(!connection.covers(before, horizon), "an older mark does not")
                try bench.expect(connection.covers(horizon, horizon), "the horizon does")
                try bench.expect(connection.covers(after, horizon), "a younger mark does")
                try bench.expect(connection.isKnown(horizon), "the horizon is still known")
                try bench.expect(connection.isKnown(after), "and so is what follows")
            }
        },
    ]
}
