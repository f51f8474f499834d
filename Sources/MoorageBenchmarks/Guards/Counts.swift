import CAllocationCount

/// What a piece of work took, in numbers that do not depend on how busy the machine is.
struct Counts {
    /// How often memory was allocated, by whichever library.
    var allocations: Double
    /// What was asked for: copies of what is large show here.
    var bytes: Double
    /// Of SQLite's virtual machine; `nil` where there is no connection.
    var steps: Double?

    static func of(_ work: GuardedWork) async throws -> Counts {
        let meter = StepMeter(work.connections)
        allocation_count_begin()
        do {
            try await work.run()
        } catch {
            _ = allocation_count_end()
            _ = meter.stop()
            throw error
        }
        let allocated = allocation_count_end()
        return Counts(
            allocations: Double(allocated.calls), bytes: Double(allocated.bytes),
            steps: meter.stop().map(Double.init))
    }

    /// What a single row or operation takes, from the counts of two sizes: what both need drops out.
    static func each(
        small: (counts: Counts, size: Int), large: (counts: Counts, size: Int)
    ) -> Counts {
        let more = Double(large.size - small.size)
        func each(_ few: Double, _ many: Double) -> Double { (many - few) / more }
        let (few, many) = (small.counts, large.counts)
        var steps: Double?
        if let fewSteps = few.steps, let manySteps = many.steps {
            steps = each(fewSteps, manySteps)
        }
        return Counts(
            allocations: each(few.allocations, many.allocations),
            bytes: each(few.bytes, many.bytes), steps: steps)
    }

    var named: [(kind: Kind, value: Double)] {
        [(.allocations, allocations), (.bytes, bytes)] + (steps.map { [(.steps, $0)] } ?? [])
    }

    enum Kind: String {
        case allocations, bytes, steps
    }
}
