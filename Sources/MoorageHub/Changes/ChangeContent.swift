import MoorageCore

/// What became of tracking rows, as the open snapshot shows it.
struct ChangeContent {
    let feed: ChangeFeed
    let connection: any CentralConnection
    /// The window.
    let since: Checkpoint?
    let bound: Checkpoint
    let mostBytes: Int

    /// - Parameter candidates: In the order of the page.
    /// - Returns: The changes, and where the page ends if not all of them fit.
    func changes(
        of candidates: [ChangeCandidate]
    ) throws -> (changes: [RowChange], end: ChangePlace?) {
        var changes: [RowChange] = []
        var sizes = RowSizes(tables: feed.tables, mostBytes: mostBytes)
        var read = 0
        while read < candidates.count {
            let part = candidates[read...].prefix(sizes.fitting(candidates[read...]))
            let found = try found(part)
            for candidate in part {
                read += 1
                guard let change = change(of: candidate, found) else { continue }
                changes.append(change)
                sizes.add(change, of: candidate.table)
                if sizes.bytes > mostBytes, read < candidates.count {
                    return (Self.withoutRepetitions(changes), candidate.place)
                }
            }
        }
        return (Self.withoutRepetitions(changes), nil)
    }

    /// A row may be live in several scopes, and gone from several. It comes once in a page, at the
    /// last place. What comes later than the page does not count: the row may leave that scope (H4).
    private static func withoutRepetitions(_ changes: [RowChange]) -> [RowChange] {
        struct Name: Hashable {
            let table: Int
            let key: RowKey
            let isGone: Bool
        }
        var names: Set<Name> = []
        return changes.reversed().filter { change in
            names.insert(
                Name(
                    table: change.table.attached.number, key: change.key,
                    isGone: change.row == nil)
            ).inserted
        }.reversed()
    }

    /// What is known of the rows of one table.
    private struct Found {
        var rows: [RowKey: [Value]] = [:]
        /// Rows that were in the user's scopes before the window.
        var known: Set<RowKey> = []
        /// Rows that left a scope, and are in another one that they came into before the end of the
        /// window. If that changed them, they come by it.
        var elsewhere: Set<RowKey> = []
    }

    private func found(_ candidates: ArraySlice<ChangeCandidate>) throws -> [Int: Found] {
        var found: [Int: Found] = [:]
        for (table, members) in Dictionary(grouping: candidates, by: \.table) {
            found[table] = try self.found(members, of: table)
        }
        return found
    }

    private func found(_ candidates: [ChangeCandidate], of table: Int) throws -> Found {
        var found = Found()
        let attached = feed.tables[table].attached
        let scopes = Set(feed.scopes[table])
        let live = candidates.filter(\.change.isLive)
        // A row is live in each of its scopes.
        let keys = Array(Set(live.map(\.key)))
        for row in try connection.rows(attached, keys: keys, in: scopes) {
            found.rows[attached.description.key(of: row)] = row
        }
        let new = live.filter { !$0.change.wasLiveBefore }.map(\.key)
        if scopes.count > 1, let since, !new.isEmpty {
            found.known = try connection.known(attached, among: new, in: scopes, by: since)
        }
        // With one scope, only the same key in another form may be there.
        let gone = candidates.filter {
            !$0.change.isLive && (scopes.count > 1 || $0.change.storedKey != $0.key)
        }.map(\.key)
        if gone.isEmpty { return found }
        let tracked = try connection.tracked(attached, keys: gone, in: scopes)
        let present = gone.filter { tracked[$0] == true }
        // A row that came back beyond the window may be removed again before the next one. Nobody
        // would hear of that (H3).
        let late = try connection.newcomers(attached, among: present, in: scopes, beyond: bound)
        found.elsewhere = Set(present).subtracting(late)
        return found
    }

    private func change(of candidate: ChangeCandidate, _ found: [Int: Found]) -> RowChange? {
        guard let found = found[candidate.table] else { return nil }
        let table = feed.tables[candidate.table]
        let key = candidate.key
        guard candidate.change.isLive else {
            if found.elsewhere.contains(key) { return nil }
            return RowChange(table: table, kind: .delete, key: key, row: nil)
        }
        // A row that is missing went without a trigger. The hub finds that out, and tells it then.
        // Or it is one that nobody can name, because SQLite has its key in another form.
        guard let values = found.rows[key] else { return nil }
        let wasKnown = candidate.change.wasLiveBefore || found.known.contains(key)
        return RowChange(
            table: table, kind: since != nil && wasKnown ? .update : .insert, key: key,
            row: RowContent(values, of: table))
    }
}

/// What the changes of a page take, by table: a page may have rows of a few bytes before documents.
private struct RowSizes {
    /// Rows that are read at once at most.
    private static let mostAtOnce = 500

    let tables: [RowTable]
    let mostBytes: Int
    private(set) var bytes = 0
    private var rows: [Int: (count: Int, bytes: Int)] = [:]

    init(tables: [RowTable], mostBytes: Int) {
        self.tables = tables
        self.mostBytes = mostBytes
    }

    mutating func add(_ change: RowChange, of table: Int) {
        bytes += change.key.byteCount
        guard let row = change.row else { return }
        bytes += row.size.bytes
        let known = rows[table] ?? (0, 0)
        rows[table] = (known.count + 1, known.bytes + row.size.bytes)
    }

    /// How many of the next tracking rows to read the rows of, so that little is read in vain; one at
    /// least.
    func fitting(_ candidates: ArraySlice<ChangeCandidate>) -> Int {
        var (count, left) = (0, mostBytes - bytes)
        for candidate in candidates.prefix(Self.mostAtOnce) {
            left -= candidate.key.byteCount
            if candidate.change.isLive { left -= probableSize(of: candidate.table) }
            if left < 0 { break }
            count += 1
        }
        return max(1, count)
    }

    private func probableSize(of table: Int) -> Int {
        guard let known = rows[table] else { return mostBytes / tables[table].firstPiece }
        return known.bytes / known.count
    }
}
