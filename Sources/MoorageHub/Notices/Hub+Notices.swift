package import MoorageCore

/// What others may want to know of a hub.
extension Hub {
    /// The replicas that are away, and for which the hub has something.
    ///
    /// It is empty unless ``HubConfiguration/news`` is set. Only one listener gets a notice. Each
    /// process of a hub watches the replicas that came to it last, so two processes may name one.
    public var news: AsyncStream<HubNotice> {
        absent?.news ?? AsyncStream { $0.finish() }
    }

    /// Refusals and conflicts that nobody has passed on yet, the oldest first.
    ///
    /// Of several processes one passes them on: the one that asked first, until it has not asked for
    /// 30 seconds. The first call of a hub marks the present, and finds nothing.
    ///
    /// - Parameters:
    ///   - holder: Names the process.
    ///   - known: The ids of the notices since ``NoticeReading/since`` that it has passed on.
    ///   - limit: How many notices at most.
    /// - Returns: `nil` if another process passes them on.
    package func conflictNotices(
        for holder: String, without known: Set<String>, limit: Int
    ) async throws -> NoticeReading? {
        try await withMetadata { metadata in
            try ConflictNotices(metadata: metadata).read(for: holder, without: known, limit: limit)
        }
    }

    /// Records that everything up to a time was passed on. An earlier time than before changes
    /// nothing, and neither does a process that another one has replaced.
    package func passedOn(upTo time: HubTime, by holder: String) async throws {
        try await withMetadata { metadata in
            try ConflictNotices(metadata: metadata).set(time, by: holder)
        }
    }

    /// Lets another process pass notices on at once.
    package func endNotices(of holder: String) async throws {
        try await withMetadata { try ConflictNotices(metadata: $0).release(holder) }
    }
}
