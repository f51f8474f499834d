import MoorageHub
import MoorageTesting
import TestSupport

/// Programs that write while live streams are open. Some of the streams are always late.
struct LiveRace: Sendable {
    /// Rows of a page.
    let rows: Int
    /// Programs that write at once. With one program, the seed decides the owner's history.
    var writers = 1
    /// It decides what they write.
    let seed: UInt64

    private static let devices = 12
    /// Of each writer.
    static let commits = 100

    /// Ends when every device has the owner's rows.
    ///
    /// - Returns: What is wrong.
    func run() async throws -> [String] {
        let bench = try await LiveBench()
        let devices = (1...Self.devices).map { LiveDevice($0) }
        for device in devices {
            device.open(bench.hub, rows: rows) {
                for _ in 0..<(device.number % 4) {
                    try? await Task.sleep(for: .microseconds(200))
                }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for writer in 0..<writers {
                tasks.addTask { try await write(writer, to: bench) }
            }
            try await tasks.waitForAll()
        }
        let notes = try bench.notes()
        try await eventually("all hold what the owner holds, seed \(seed)") {
            devices.allSatisfy { $0.now.notes == notes }
        }
        var problems: [String] = []
        for device in devices {
            let copy = device.now
            if copy.strangers > 0 {
                problems.append("device \(device.number): \(copy.strangers) pages out of order")
            }
            if let error = copy.error { problems.append("device \(device.number): \(error)") }
        }
        for device in devices { device.cancel() }
        for device in devices { await device.finish() }
        let left = bench.hub.liveFigures.streams
        if left > 0 { problems.append("\(left) streams are left") }
        return problems
    }

    private func write(_ writer: Int, to bench: LiveBench) async throws {
        var random = SeededGenerator(seed: seed ^ UInt64(writer) << 56)
        for commit in 0..<Self.commits {
            let id = random.below(30)
            try bench.sql(
                random.chance(50)
                    ? "INSERT OR REPLACE INTO note VALUES (\(id), NULL, '\(writer).\(commit)')"
                    : "DELETE FROM note WHERE id = \(id)")
            await Task.yield()
        }
    }
}
