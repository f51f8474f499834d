/// Work on a hot path, whose counts must stay where they are.
struct Guard {
    let name: String
    /// How many rows or operations there are: few and many.
    var sizes = (small: 1_000, large: 5_000)
    /// Makes what the work needs, which is not counted.
    let prepare: (_ size: Int) async throws -> GuardedWork

    /// What one row or operation takes.
    func counts() async throws -> Counts {
        // What is made once in a process is made here.
        _ = try await Counts.of(prepare(sizes.small))
        let small = try await Counts.of(prepare(sizes.small))
        let large = try await Counts.of(prepare(sizes.large))
        return Counts.each(small: (small, sizes.small), large: (large, sizes.large))
    }
}

/// Work that is ready to be counted.
struct GuardedWork {
    /// Connections whose steps are counted; what `run` holds keeps them open.
    var connections: [OpaquePointer] = []
    let run: () async throws -> Void
}
