import MoorageCore
import MoorageHub

extension ConnectorConformance {
    static let doctorChecks = [
        Check("finds nothing amiss in what it has just attached") { bench in
            try bench.prepare()
            let problems = try bench.examine().filter { $0.severity == .problem }
            try bench.expect(problems.isEmpty, "\(problems.map(\.message))")
        },
        Check("misses what is gone of its own") { bench in
            try bench.prepare()
            let child = try bench.table("child")
            try bench.connection { connection in
                for step in try connection.detachSteps(for: child) { try connection.runStep(step) }
            }
            let missing = try bench.examine().filter { $0.severity == .problem }
            for code in [Finding.Code.ownTriggerMissing, .ownObjectMissing] {
                try bench.expect(
                    missing.contains { $0.code == code && $0.table == "child" }, "\(code)")
            }
            try bench.expect(
                missing.allSatisfy { $0.table == "child" }, "the other table is as it was")
        },
        Check("changes nothing by an examination") { bench in
            try bench.prepare()
            let before = try bench.connection { try $0.schemaStamp() }
            _ = try bench.examine()
            let after = try bench.connection { try $0.schemaStamp() }
            try bench.expect(before == after, "the schema moved")
        },
    ]
}

extension ConformanceBench {
    fileprivate func examine() throws -> [Finding] {
        try connection { connection in
            let attached = try connection.attachedTables()
            try connection.begin(.snapshot)
            defer { connection.rollback() }
            return try connection.examine(
                Examination(
                    tables: try connection.readTables(), synced: attached, isAttached: true,
                    attached: attached))
        }
    }
}
