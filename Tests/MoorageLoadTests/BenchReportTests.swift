#if Server
    import Foundation
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageLoad

    @Suite(.ownThreads) struct `A load run's report` {
        private func report(
            failures: [String: Int] = [:], answered: Int = 1, left: Int = 0, isWhole: Bool = true
        ) throws -> BenchReport {
            var counts = BenchTally.Counts()
            counts.failures = failures
            for _ in 0..<answered { counts.withChanges.add(.milliseconds(6)) }
            counts.health.add(.milliseconds(2))
            counts.outcomes = ["applied": 3, "refused unique": 1]
            return BenchReport(
                plan: BenchPlan(table: "items"),
                server: try #require(URL(string: "https://hub.example")),
                progress: BenchWork.Progress(), counts: counts,
                cleared: BenchReport.Cleared(
                    left: left, error: left > 0 ? HubError(.busy, "Later.") : nil),
                isWhole: isWhole)
        }

        @Test func `is well when nothing failed but by busy`() throws {
            try report(failures: ["busy": 9]).check()
        }

        @Test func `fails with what failed, what is left and what was stopped`() throws {
            for (report, word) in [
                (try report(failures: ["unreachable": 1, "busy": 9]), "1 exchanges failed: unre"),
                (try report(answered: 0), "No exchange was answered"),
                (try report(left: 7), "7 rows"), (try report(isWhole: false), "was stopped"),
            ] {
                let failure = #expect(throws: CommandFailure.self) { try report.check() }
                #expect(failure?.what.contains(word) == true)
            }
        }

        @Test func `says the same to people and machines`() throws {
            let report = try report(failures: ["busy": 9])
            #expect(report.text.contains("refused unique 1"))
            #expect(report.text.contains("busy 9"))
            #expect(report.ratio(report.counts.withChanges) == 3)
            _ = try JSON(parsing: report.json)
            #expect(report.json.contains("\"refused unique\":1"))
        }
    }
#endif
