import MoorageCore
import MoorageHub
import MoorageWire

/// Devices with live streams, and the rows that arrive on them.
struct LiveAudience {
    private let streams: [Task<Void, any Error>]
    /// How many rows each page has.
    private let arrivals: AsyncStream<Int>

    /// - Parameter devices: Each has everything. What they have does not change afterwards.
    init(of devices: [ScopedDevice], at hub: Hub) async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Int.self)
        self.arrivals = arrivals
        var streams: [Task<Void, any Error>] = []
        for device in devices {
            let stream = try await device.follow()
            streams.append(
                Task {
                    // Whoever waits for rows does not wait for a stream that has ended.
                    defer { arrived.finish() }
                    try await stream.run { shared in
                        guard case .page(let page) = shared.frame else { return }
                        arrived.yield(page.tables.reduce(0) { $0 + $1.content.count })
                    }
                })
        }
        self.streams = streams
        while hub.liveFigures.waiting < devices.count || hub.liveFigures.behind > 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits until so many rows have arrived, on all streams together.
    func hear(_ count: Int) async throws {
        var left = count
        for await rows in arrivals {
            left -= rows
            if left <= 0 { break }
        }
        guard left == 0 else {
            throw BenchmarkFailure(
                left > 0 ? "A stream ended before its row came." : "Too many rows came.")
        }
    }

    func leave() async {
        for stream in streams { stream.cancel() }
        for stream in streams { _ = await stream.result }
    }
}
