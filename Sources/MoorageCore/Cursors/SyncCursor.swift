/// What a replica knows of the hub; the replica saves it with the page that brought it and compares
/// it for equality.
///
/// - C1: A page is applied only at the cursor that it continues.
/// - C2: A scope that is being read for the first time, or taken back, is in `partial`, never in
///   `complete`.
/// - C3: The mark moves only when a walk has ended or a page caught up.
public struct SyncCursor: Hashable, Sendable {
    /// The central history that this cursor belongs to; `nil` before the first page.
    public let epoch: Epoch?
    /// How far the complete scopes have been read; `nil` before the first walk's end.
    public let mark: Mark?
    /// Scopes held whole at `mark`.
    public let complete: Set<Scope>
    /// Scopes of which the replica may hold some rows.
    public let partial: Set<Scope>
    /// Tables held at `mark`, each with its ``TableDescription/signature``.
    public let tables: [String: String]
    /// Where a walk stands, or `nil` between walks.
    public let walk: Walk?
    /// The target of the oldest walk that was broken off since the mark last moved: rows that it
    /// brought may have been deleted beyond that target.
    public let brokenOff: Mark?
    /// The newest state that a page of the last walk was read in, where it is beyond the mark: rows
    /// that had moved on by then were passed over. A hub that has lost that state has them at the
    /// mark again, and would never send them.
    public let seen: Mark?
    /// Rows that were sent ahead of the mark: changed and not yet numbered, or answers to a push in
    /// the middle of a walk. A removal must still reach them.
    public let ahead: Set<RowName>
    /// What the hub says itself of the scopes named here; `nil` where it has no scopes.
    public let seal: CursorSeal?

    public init(
        epoch: Epoch?, mark: Mark? = nil, complete: Set<Scope> = [], partial: Set<Scope> = [],
        tables: [String: String] = [:], walk: Walk? = nil, brokenOff: Mark? = nil,
        seen: Mark? = nil, ahead: Set<RowName> = [], seal: CursorSeal? = nil
    ) {
        self.epoch = epoch
        self.mark = mark
        self.complete = complete
        self.partial = partial
        self.tables = tables
        self.walk = walk
        self.brokenOff = brokenOff
        self.seen = seen
        self.ahead = ahead
        self.seal = seal
    }

    /// The cursor of a replica that has read nothing.
    public static let start = SyncCursor(epoch: nil)

    /// Every mark beyond which the replica still has to hear of deletions.
    public var marks: [Mark] { [mark, walk?.target, brokenOff].compactMap { $0 } }

    /// Every state of the hub that the replica knows of: a hub that does not know one of them has
    /// lost a part of its history.
    public var states: [Mark] { marks + [seen].compactMap { $0 } }

    /// The target of the oldest walk that has not ended, under way or broken off.
    public var openTarget: Mark? { brokenOff ?? walk?.target }

    /// The same place with the walk broken off; with a table, that table is read from nothing. A seal
    /// does not speak of either, and stays.
    public func breakingOff(readingAgain table: String? = nil) -> SyncCursor {
        var tables = tables
        if let table { tables[table] = nil }
        return SyncCursor(
            epoch: epoch, mark: mark, complete: complete, partial: partial, tables: tables,
            brokenOff: openTarget, seen: seen, ahead: ahead, seal: seal)
    }

    /// The scopes of which the replica may hold rows, but for what is everyone's.
    public var named: Set<Scope> { complete.union(partial).subtracting([.everything]) }

    /// The same place with the hub's word for its scopes.
    public func sealed(_ seal: CursorSeal) -> SyncCursor {
        SyncCursor(
            epoch: epoch, mark: mark, complete: complete, partial: partial, tables: tables,
            walk: walk, brokenOff: brokenOff, seen: seen, ahead: ahead, seal: seal)
    }
}

/// A pull that does not fit one page: it goes on, page by page, towards the mark that its first
/// page fixed.
public struct Walk: Hashable, Sendable {
    public let target: Mark
    /// The scopes and tables walked; when they change, the walk starts again.
    public let scopes: Set<Scope>
    public let tables: [String: String]
    /// The last row sent; `nil` before the first.
    public let position: WalkPosition?

    public init(target: Mark, scopes: Set<Scope>, tables: [String: String], position: WalkPosition?)
    {
        self.target = target
        self.scopes = scopes
        self.tables = tables
        self.position = position
    }
}

/// The order of a walk: table, scope, version, key.
public struct WalkPosition: Hashable, Sendable {
    /// The table's place in foreign-key order.
    public let table: Int
    public let scope: Scope
    /// 0 in a scope that is walked by key alone.
    public let version: UInt64
    public let key: Key

    public init(table: Int, scope: Scope, version: UInt64, key: Key) {
        self.table = table
        self.scope = scope
        self.version = version
        self.key = key
    }
}
