import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let databaseStateChecks = [
        Check("says in one answer what its parts say") { bench in
            let bare = try bench.connection { try $0.databaseState() }
            try bench.expect(bare.facts == nil, "nothing is attached")
            try bench.prepare()
            try bench.connection { connection in
                let before = try connection.now()
                let databaseState = try connection.databaseState()
                let after = try connection.now()
                // A clock that was set back meanwhile says nothing.
                try bench.expect(
                    after < before || (before <= databaseState.now && databaseState.now <= after),
                    "the time: \(databaseState.now), between \(before) and \(after)")
                try bench.expect(
                    try databaseState.identity == connection.identity(), "the identity")
                try bench.expect(
                    try databaseState.schemaStamp == connection.schemaStamp(), "the schema")
                if let checkpoint = databaseState.checkpoint {
                    try bench.expect(
                        try connection.covers(connection.currentCheckpoint(), checkpoint),
                        "the mark")
                    try bench.owner.execute(
                        "INSERT INTO parent (id, name, code) VALUES ('new', 'N', 7)")
                    try bench.expect(
                        try connection.databaseState().checkpoint != checkpoint,
                        "a commit did not move the mark")
                }
                let facts = "SELECT name, value FROM moorage_meta WHERE \(MetadataTable.isFact)"
                for row in try connection.run(facts, []) {
                    guard case .text(let name) = row[0], case .text(let value) = row[1] else {
                        throw ConformanceFailure(description: "moorage_meta holds no text")
                    }
                    try bench.expect(databaseState.facts?[name] == value, "the fact \(name)")
                }
            }
        },
        Check("sees in the next answer that the schema moved") { bench in
            try bench.prepare()
            try bench.connection { connection in
                let before = try connection.databaseState().schemaStamp
                try bench.owner.execute("ALTER TABLE parent ADD COLUMN extra TEXT")
                try bench.expect(
                    try connection.databaseState().schemaStamp != before,
                    "a new column was not seen")
            }
        },
        Check("opens a snapshot that shows what it says") { bench in
            try bench.prepare()
            let horizon = try bench.checkpoint()
            try bench.connection { connection in
                _ = try connection.run(
                    "INSERT INTO moorage_meta (name, value) VALUES ('horizon', ?)",
                    [.text(horizon.text)])
                let snapshot = try connection.openSnapshot()
                defer { connection.rollback() }
                try bench.expect(
                    try connection.currentCheckpoint() == snapshot.checkpoint, "the mark")
                try bench.expect(
                    try connection.changeToken() == snapshot.changeToken, "the change token")
                try bench.expect(snapshot.horizon == horizon, "the horizon")
            }
        },
    ]
}
