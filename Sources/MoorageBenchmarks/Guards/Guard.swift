/// Work on a hot path whose counts must not change.
struct Guard {
    let name: String
    /// How many rows or operations there are: few and many.
    var sizes = (small: 1_000, large: 5_000)
    /// Makes what the work needs. This is not counted.
    let prepare: (_ size: Int) async throws -> GuardedWork

    /// What one row or operation takes.
    func counts() async throws -> Counts {
        // The first run makes what a process makes only once.
        _ = try await Counts.of(prepare(sizes.small))
        let small = try await Counts.of(prepare(sizes.small))
        let large = try await Counts.of(prepare(sizes.large))
        return Counts.each(small: (small, sizes.small), large: (large, sizes.large))
    }
}

/// Work that is ready to be counted.
struct GuardedWork {
    /// Connections whose steps are counted. The values that `run` captures keep them open.
    var connections: [OpaquePointer] = []
    let run: () async throws -> Void
}
