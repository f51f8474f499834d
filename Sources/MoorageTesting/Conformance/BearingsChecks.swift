import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let bearingsChecks = [
        Check("says in one answer what its parts say") { bench in
            let bare = try bench.connection { try $0.bearings() }
            try bench.expect(bare.facts == nil, "nothing is attached")
            try bench.prepare()
            try bench.connection { connection in
                let before = try connection.now()
                let bearings = try connection.bearings()
                let after = try connection.now()
                // A clock that was set back meanwhile says nothing.
                try bench.expect(
                    after < before || (before <= bearings.now && bearings.now <= after),
                    "the time: \(bearings.now), between \(before) and \(after)")
                try bench.expect(
                    try bearings.identity == connection.identity(), "the identity")
                try bench.expect(
                    try bearings.schemaStamp == connection.schemaStamp(), "the schema")
                if let mark = bearings.mark {
                    try bench.expect(
                        try connection.covers(connection.currentMark(), mark), "the mark")
                    try bench.owner.execute(
                        "INSERT INTO parent (id, name, code) VALUES ('new', 'N', 7)")
                    try bench.expect(
                        try connection.bearings().mark != mark, "a commit did not move the mark")
                }
                let facts = "SELECT name, value FROM moorage_meta WHERE \(MetadataTable.isFact)"
                for row in try connection.run(facts, []) {
                    guard case .text(let name) = row[0], case .text(let value) = row[1] else {
                        throw ConformanceFailure(description: "moorage_meta holds no text")
                    }
                    try bench.expect(bearings.facts?[name] == value, "the fact \(name)")
                }
            }
        },
        Check("sees in the next answer that the schema moved") { bench in
            try bench.prepare()
            try bench.connection { connection in
                let before = try connection.bearings().schemaStamp
                try bench.owner.execute("ALTER TABLE parent ADD COLUMN extra TEXT")
                try bench.expect(
                    try connection.bearings().schemaStamp != before, "a new column was not seen")
            }
        },
        Check("opens a snapshot that shows what it says") { bench in
            try bench.prepare()
            let horizon = try bench.mark()
            try bench.connection { connection in
                _ = try connection.run(
                    "INSERT INTO moorage_meta (name, value) VALUES ('horizon', ?)",
                    [.text(horizon.text)])
                let snapshot = try connection.openSnapshot()
                defer { connection.rollback() }
                try bench.expect(try connection.currentMark() == snapshot.mark, "the mark")
                try bench.expect(try connection.changeSign() == snapshot.sign, "the sign")
                try bench.expect(snapshot.horizon == horizon, "the horizon")
            }
        },
    ]
}
