import MoorageCore

/// Readers of changes wait for a reason to read.
extension LiveFeedState {
    struct Reader: Sendable {
        /// `nil` for a program without a user.
        let user: String?
        /// The state of which it has everything.
        var known = behind
        /// What it waits for, and until when.
        var wait: (interest: LiveInterest, until: Instant)?
        var waiting: Waiting?
        /// Whether it waits no more.
        var isOver = false

        mutating func removeWaiting() -> Waiting? {
            defer { waiting = nil }
            return waiting
        }
    }

    /// The most readers of one user, so that one user does not take the places of all.
    static let mostOfUser = 100

    /// - Parameter user: `nil` for a program without a user.
    func mayEnterReader(of user: String?) -> Bool {
        guard let user else { return true }
        return readers.values.count { $0.user?.hasSameBytes(as: user) ?? false } < Self.mostOfUser
    }

    mutating func enterReader(of user: String? = nil) -> Int {
        let number = nextNumber()
        readers[number] = Reader(user: user)
        return number
    }

    /// - Parameter known: The state that had been polled when the reader began to read.
    /// - Returns: What it gets at once; `nil` when it waits.
    mutating func wait(
        _ number: Int, for interest: LiveInterest, since known: Int, until: Instant,
        _ continuation: Waiting, watch: () -> Task<Void, Never>
    ) -> Result<LiveFeed.Event, any Error>? {
        guard let reader = readers[number] else { return .failure(CancellationError()) }
        if reader.isOver { return .success(.beat) }
        if known != polledState { return .success(.change) }
        readers[number]?.known = known
        readers[number]?.wait = (interest, until)
        readers[number]?.waiting = continuation
        if watcher == nil { watcher = watch() }
        return nil
    }

    mutating func endReader(_ number: Int) -> [Delivery] {
        readers[number]?.isOver = true
        return readers[number]?.removeWaiting().map { [($0, .beat)] } ?? []
    }

    /// What those who wait are interested in.
    var waitingReaders: [Int: LiveInterest] {
        readers.compactMapValues { $0.waiting == nil ? nil : $0.wait?.interest }
    }

    /// Tells all of them to read, because something about the hub itself has changed.
    mutating func tellReaders() -> [Delivery] {
        readers.keys.compactMap { number in
            readers[number]?.removeWaiting().map { ($0, .change) }
        }
    }

    mutating func tellReaders(waitingNoLongerThan now: Instant) -> [Delivery] {
        let late = readers.filter { $0.value.wait.map { $0.until <= now } ?? false }
        return late.keys.compactMap { number in
            readers[number]?.removeWaiting().map { ($0, .beat) }
        }
    }

    /// Tells those for whom a poll found something, and those whom it did not ask for.
    mutating func tellReaders(_ found: LiveReading.Found, at state: Int) -> [Delivery] {
        var told: [Delivery] = []
        for (number, reader) in readers where reader.waiting != nil && reader.known != state {
            if found.readers[number] == false {
                readers[number]?.known = state
            } else if let waiting = readers[number]?.removeWaiting() {
                told.append((waiting, .change))
            }
        }
        return told
    }
}
