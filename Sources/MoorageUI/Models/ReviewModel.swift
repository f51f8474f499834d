import GRDB
public import Moorage
public import Observation

/// One of a replica's lists, followed for a screen.
///
/// It follows the list until it is released. A list that cannot be read is read again every second.
@MainActor @Observable
public final class ReviewModel<Entry: Identifiable & Hashable & Sendable>
where Entry.ID: Sendable {
    /// The entries, in the order of the list.
    public private(set) var entries: [Entry] = []
    /// Whether the entries were read. A screen shows "nothing here" only if they were.
    public private(set) var isLoaded = false
    /// Why the last decision could not be carried out; `nil` after one that could. Show its
    /// `localizedDescription`.
    public private(set) var failure: (any Error)?
    /// Why the list cannot be read now; `nil` while it can.
    public private(set) var readingFailure: (any Error)?
    /// Entries whose decision is being written: a screen disables their buttons.
    public private(set) var inWork: Set<Entry.ID> = []
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Follows a list.
    ///
    /// - Parameters:
    ///   - list: A list of the replica, such as ``Moorage/Replica/refusedChanges``.
    ///   - limit: How many entries at most.
    public init(_ list: ReviewList<Entry>, limit: Int = 200) {
        following = Task { [weak self] in
            while !Task.isCancelled {
                do {
                    for try await entries in list.values(limit: limit) {
                        guard let self else { return }
                        self.show(entries)
                    }
                    return
                } catch {
                    guard let self, !Task.isCancelled else { return }
                    self.readingFailure = error
                }
                // Such as a file that another process has locked.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// A list that follows nothing, for previews and tests of an app's screens.
    public init(entries: [Entry]) {
        self.entries = entries
        isLoaded = true
    }

    deinit { following?.cancel() }

    private func show(_ entries: [Entry]) {
        if self.entries != entries { self.entries = entries }
        isLoaded = true
        readingFailure = nil
    }

    /// Carries out a decision about an entry, which takes it off the list. A failure is in
    /// ``failure``, and the entry stays. While a decision about it is being written, another one is
    /// ignored.
    ///
    /// - Parameters:
    ///   - entry: An entry of the list.
    ///   - action: What writes the decision.
    /// - Returns: Whether the decision is written.
    @discardableResult
    public func decide(
        _ entry: Entry, _ action: @Sendable (Entry) async throws -> Void
    ) async -> Bool {
        guard inWork.insert(entry.id).inserted else { return false }
        defer { inWork.remove(entry.id) }
        do {
            try await action(entry)
        } catch is CancellationError {
            return false
        } catch {
            failure = error
            return false
        }
        failure = nil
        entries.removeAll { $0.id == entry.id }
        return true
    }
}
