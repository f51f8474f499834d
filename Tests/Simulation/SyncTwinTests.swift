import Foundation
import TestSupport
import Testing

@testable import MoorageTesting

/// The simulator calls the state machine of a sync by itself. The app's driver calls it with tasks.
/// What the simulator shows must also be true of the driver.
@Suite(.ownThreads) struct `The app's driver` {
    /// Histories that once made a difference. In both an exchange runs inside of another one, which
    /// planned that the device's work or its disk fails.
    private static let found: [ClosedRange<UInt64>] = [
        1_013_935_867_742...1_013_935_867_742, 1_013_935_867_780...1_013_935_867_780,
    ]

    /// 500 histories at night; `MOORAGE_SEED` chooses others.
    private static let seeds: [ClosedRange<UInt64>] = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["MOORAGE_SEED"].flatMap { UInt64($0) } ?? 1
        let count: UInt64 = isNightly ? 500 : 40
        return stride(from: first, to: first + count, by: 20).map { $0...($0 + 19) } + found
    }()

    @Test(arguments: seeds)
    func `sends the same requests as the simulator, and leaves the same file`(
        seeds: ClosedRange<UInt64>
    ) async throws {
        var syncs = 0
        for seed in seeds {
            let history = History(seed: seed, size: 40)
            let (records, violation) = try await Threads.run {
                var records: [SyncRecord] = []
                let result = Simulation.run(history, check: nil) { records.append($0) }
                return (records, result.violation)
            }
            #expect(violation == nil)
            for record in records {
                do {
                    try await SyncTwin(record).run()
                } catch {
                    Issue.record("seed \(seed), sync at \(record.now): \(error)")
                }
            }
            syncs += records.count
        }
        #expect(syncs > 20 * seeds.count / 2)
    }
}
