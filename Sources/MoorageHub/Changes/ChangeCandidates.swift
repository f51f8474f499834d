import MoorageCore

/// A tracking row that may become a change of the page.
struct ChangeCandidate: Hashable, Sendable {
    let change: TrackedChange
    /// Where a page that ends with it ends.
    let place: ChangePlace

    var table: Int { place.table }
    var key: RowKey { change.key }
}

/// The next tracking rows of a window, in the order of ``ChangePlace``. It reads tracking rows
/// alone, so that no row is read that the page does not need.
struct ChangeCandidates {
    /// Tracking rows that one page passes over, and the ones that it takes. Without an end, the
    /// deletes of a large transaction would be searched for among its upserts in one snapshot.
    private static let mostPassed = 20_000
    /// A query costs as much as this many tracking rows.
    private static let queryCost = 20
    /// Tracking rows that all sources read first, and each of them.
    private static let firstRows = (total: 4_000, each: 2...64)

    let feed: ChangeFeed
    let connection: any CentralConnection
    let limit: Int
    private(set) var found: [ChangeCandidate] = []
    /// How far the window was read; `nil` where all of it was.
    private(set) var place: ChangePlace?
    private var passed = 0

    init(_ feed: ChangeFeed, on connection: any CentralConnection, limit: Int) {
        self.feed = feed
        self.connection = connection
        self.limit = limit
    }

    private var isFull: Bool { found.count >= limit || passed >= Self.mostPassed }

    // MARK: For the first time

    /// Reads the rows that exist, by table, scope and key.
    mutating func readRows(within bound: Checkpoint, after start: ChangePlace?) throws {
        for (table, scopes) in feed.scopes.enumerated() {
            for scope in scopes {
                let isStart = start?.table == table && start?.scope == scope
                if let start, !isStart, (table, scope) < (start.table, start.scope) { continue }
                let key = isStart ? start?.key : nil
                if isFull {
                    place = ChangePlace(table: table, scope: scope, key: key ?? RowKey([]))
                    return
                }
                passed += Self.queryCost
                try readRows(of: table, in: scope, within: bound, after: key)
                if place != nil { return }
            }
        }
    }

    private mutating func readRows(
        of table: Int, in scope: Scope, within bound: Checkpoint, after key: RowKey?
    ) throws {
        let start = key.flatMap { $0.values.isEmpty ? nil : TrackingPosition(version: 0, key: $0) }
        var source = ChangeSource(
            feed.tables[table].attached, at: table, in: scope,
            .fromNothing(copiedAt: nil, within: bound), after: start,
            firstRows: limit - found.count)
        while let change = try source.peek(on: connection) {
            source.advance()
            passed += 1
            let here = ChangePlace(table: table, scope: scope, key: change.storedKey)
            found.append(ChangeCandidate(change: change, place: here))
            if isFull {
                place = here
                return
            }
        }
    }

    // MARK: Changes

    /// Reads the changes beyond `since` and within `bound`, by version.
    mutating func readChanges(
        since: Checkpoint, within bound: Checkpoint, after start: ChangePlace?
    ) throws {
        var sources = try sources(since: since, within: bound, after: start)
        var heads: [UInt64?] = []
        for index in sources.indices {
            heads.append(try sources[index].peek(on: connection)?.version)
        }
        var start = start
        while let version = start?.version ?? heads.compactMap({ $0 }).min() {
            let members = heads.indices.filter { heads[$0] == version }
            var hasTombstones = start?.hasTombstones ?? false
            if start?.isDeleting != true {
                try readUpserts(of: version, in: members, of: &sources, start, &hasTombstones)
                if place != nil { return }
            }
            if hasTombstones {
                let deleting = start?.isDeleting == true ? start : nil
                try readDeletes(of: version, in: members, of: &sources, deleting)
                if place != nil { return }
            }
            for index in members {
                heads[index] = try sources[index].head(behind: version, on: connection)
            }
            start = nil
        }
    }

    /// One source for each table and scope in which something changed, in this order.
    private func sources(
        since: Checkpoint, within bound: Checkpoint, after start: ChangePlace?
    ) throws -> [ChangeSource] {
        var changed: [(table: Int, scope: Scope)] = []
        for (table, scopes) in feed.scopes.enumerated() {
            let found = try connection.changedScopes(
                feed.tables[table].attached, among: Set(scopes), beyond: since)
            changed += scopes.filter(found.contains).map { (table, $0) }
        }
        let share = Self.firstRows.total / max(1, changed.count)
        let each = Self.firstRows.each
        return changed.map { table, scope in
            ChangeSource(
                feed.tables[table].attached, at: table, in: scope,
                .beyond(since: since, within: bound),
                after: start.map { TrackingPosition(version: $0.version, key: RowKey([])) },
                firstRows: min(max(share, each.lowerBound), each.upperBound))
        }
    }

    /// Parents come before children, because tables are in foreign-key order.
    private mutating func readUpserts(
        of version: UInt64, in members: [Int], of sources: inout [ChangeSource],
        _ start: ChangePlace?, _ hasTombstones: inout Bool
    ) throws {
        for index in members {
            let (table, scope) = (sources[index].table, sources[index].scope)
            if let start {
                if (table, scope) < (start.table, start.scope) { continue }
                if (table, scope) == (start.table, start.scope) {
                    sources[index].seek(TrackingPosition(version: version, key: start.key))
                }
            }
            while let change = try sources[index].peek(on: connection), change.version == version {
                sources[index].advance()
                passed += 1
                if !change.isLive { hasTombstones = true }
                let here = ChangePlace(
                    version: version, isDeleting: false, hasTombstones: hasTombstones,
                    table: table, scope: scope, key: change.storedKey)
                if change.isLive { found.append(ChangeCandidate(change: change, place: here)) }
                if isFull {
                    place = here
                    return
                }
            }
        }
    }

    /// Children go before parents.
    private mutating func readDeletes(
        of version: UInt64, in members: [Int], of sources: inout [ChangeSource],
        _ start: ChangePlace?
    ) throws {
        for index in members.reversed() {
            let (table, scope) = (sources[index].table, sources[index].scope)
            if let start, (table, scope) > (start.table, start.scope) { continue }
            if let start, (table, scope) == (start.table, start.scope) {
                sources[index].seek(TrackingPosition(version: version, key: start.key))
            } else {
                sources[index].rewind(to: version)
            }
            while let change = try sources[index].peek(on: connection), change.version == version {
                sources[index].advance()
                passed += 1
                let here = ChangePlace(
                    version: version, isDeleting: true, hasTombstones: true, table: table,
                    scope: scope, key: change.storedKey)
                // Nobody who reads by this position can have a row that was not live before.
                if !change.isLive, change.wasLiveBefore {
                    found.append(ChangeCandidate(change: change, place: here))
                }
                if isFull {
                    place = here
                    return
                }
            }
        }
    }
}

extension ChangePlace {
    /// A place among rows that are read for the first time.
    fileprivate init(table: Int, scope: Scope, key: RowKey) {
        self.init(
            version: 0, isDeleting: false, hasTombstones: false, table: table, scope: scope,
            key: key)
    }
}

extension ChangeSource {
    /// The version of the first tracking row behind all those of a version; `nil` at the end.
    fileprivate mutating func head(
        behind version: UInt64, on connection: any CentralConnection
    ) throws -> UInt64? {
        if let change = try peek(on: connection), change.version == version {
            seek(TrackingPosition(version: version + 1, key: RowKey([])))
        }
        return try peek(on: connection)?.version
    }
}
