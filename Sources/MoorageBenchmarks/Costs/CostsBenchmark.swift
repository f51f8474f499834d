import Foundation

#if Server
    /// What exchanges, commits, live streams and stored rows take of a server and of its centre, and how it
    /// grows (docs/guides/scale.md). Processor time and counts: they hardly depend on what else the machine does.
    struct CostsBenchmark {
        let folder: URL

        func run(_ report: Report) async throws {
            guard PostgresScratch.serverURL != nil else {
                return report.note("MOORAGE_TEST_POSTGRES is not set: no costs.")
            }
            guard FileManager.default.isExecutableFile(atPath: ServeProcess.program.path) else {
                return report.note("Build the product moorage beside this program: no costs.")
            }
            try await CostWorld.with(CostShape(), folder: folder) { world, meter in
                report.costs(
                    "each, 1 table of 10,000 rows, one scope",
                    try await OperationCosts(world, meter).all())
            }
            for dimension in Self.dimensions {
                var lines: [OperationCosts.Line] = []
                for (name, shape) in dimension.shapes {
                    try await CostWorld.with(shape, folder: folder) { world, meter in
                        lines += try await OperationCosts(world, meter).few().map {
                            ("\(name): \($0.name)", $0.times, $0.cost)
                        }
                    }
                }
                report.costs("growth with \(dimension.name)", lines)
            }
            let streams = try await StreamCosts(folder: folder).lines()
            report.costs("a minute of live streams in which nothing happens", streams.idle)
            report.costs("a program's commit that is told to live streams", streams.told)
            report.kept("what is kept", try await StorageCosts(folder: folder).lines())
        }

        private static var dimensions: [(name: String, shapes: [(String, CostShape)])] {
            [
                ("tables", [1, 10, 50].map { ("\($0)", CostShape(tables: $0)) }),
                ("tenants", [10, 1_000].map { ("\($0)", CostShape(tenants: $0)) }),
                (
                    "registered devices",
                    [100, 10_000].map { ("\($0)", CostShape(tenants: 10, devices: $0)) }
                ),
                (
                    "history",
                    [
                        ("no edits", CostShape()), ("100,000 edits", CostShape(edits: 100_000)),
                        ("100,000 removals", CostShape(removals: 100_000)),
                    ]
                ),
            ]
        }
    }
#endif
