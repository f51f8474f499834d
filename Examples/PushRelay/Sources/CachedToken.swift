#if Server
    /// A token that is used until shortly before its end. Callers at the same time share one.
    actor CachedToken {
        struct Made: Sendable {
            let text: String
            /// How long it may be used.
            let life: Duration
        }

        private var current: (text: String, madeAt: Instant, end: Instant)?
        private var making: Task<Made, any Error>?
        private let now: @Sendable () -> Instant

        typealias Instant = ContinuousClock.Instant

        /// - Parameter now: Another clock, for tests.
        init(now: @escaping @Sendable () -> Instant = { .now }) { self.now = now }

        /// - Parameter make: Makes the next token, if nobody does at the moment.
        /// - Throws: What `make` throws.
        func value(_ make: @escaping @Sendable () async throws -> Made) async throws -> String {
            let time = now()
            if let current, current.end > time { return current.text }
            if let making { return try await making.value.text }
            let task = Task { try await make() }
            making = task
            defer { making = nil }
            let made = try await task.value
            current = (made.text, time, time + made.life)
            return made.text
        }

        /// The service does not accept it any more.
        ///
        /// - Parameter age: A token that is younger stays.
        func forget(after age: Duration = .zero) {
            if let current, current.madeAt + age <= now() { self.current = nil }
        }
    }
#endif
