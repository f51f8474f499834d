/// What a replica knows of the hub; the replica saves it with the page that brought it and compares
/// it for equality.
///
/// - C1: A page is applied only at the cursor that it continues.
/// - C2: A scope that is being read for the first time, or taken back, is in `partial`, never in
///   `complete`.
/// - C3: The checkpoint moves only when a scan has ended or a page caught up.
public struct SyncCursor: Hashable, Sendable {
    /// The central history that this cursor belongs to; `nil` before the first page.
    public let epoch: Epoch?
    /// How far the complete scopes have been read; `nil` before the first scan's end.
    public let checkpoint: Checkpoint?
    /// Scopes held whole at `checkpoint`.
    public let complete: Set<Scope>
    /// Scopes of which the replica may hold some rows.
    public let partial: Set<Scope>
    /// Tables held at `checkpoint`, each with its ``TableDescription/signature``.
    public let tables: [Identifier: String]
    /// Where a scan stands, or `nil` between scans.
    public let scan: Scan?
    /// The upper bound of the oldest scan that was broken off since the checkpoint last moved: rows that it
    /// brought may have been deleted beyond that upper bound.
    public let brokenOff: Checkpoint?
    /// The newest state that a page of the last scan was read in, where it is beyond the checkpoint: rows
    /// that had moved on by then were passed over. A hub that has lost that state has them at the
    /// checkpoint again, and would never send them.
    public let highWater: Checkpoint?
    /// Rows that were sent ahead of the checkpoint: changed and not yet numbered, or answers to a push in
    /// the middle of a scan. A removal must still reach them.
    public let ahead: Set<RowName>
    /// What the hub says itself of the scopes named here; `nil` where it has no scopes.
    public let signature: CursorSignature?

    public init(
        epoch: Epoch?, checkpoint: Checkpoint? = nil, complete: Set<Scope> = [],
        partial: Set<Scope> = [],
        tables: [Identifier: String] = [:], scan: Scan? = nil, brokenOff: Checkpoint? = nil,
        highWater: Checkpoint? = nil, ahead: Set<RowName> = [], signature: CursorSignature? = nil
    ) {
        self.epoch = epoch
        self.checkpoint = checkpoint
        self.complete = complete
        self.partial = partial
        self.tables = tables
        self.scan = scan
        self.brokenOff = brokenOff
        self.highWater = highWater
        self.ahead = ahead
        self.signature = signature
    }

    /// The cursor of a replica that has read nothing.
    public static let start = SyncCursor(epoch: nil)

    /// Every checkpoint beyond which the replica still has to hear of deletions.
    public var checkpoints: [Checkpoint] {
        [checkpoint, scan?.upperBound, brokenOff].compactMap { $0 }
    }

    /// Every state of the hub that the replica knows of: a hub that does not know one of them has
    /// lost a part of its history.
    public var knownCheckpoints: [Checkpoint] { checkpoints + [highWater].compactMap { $0 } }

    /// The upper bound of the oldest scan that has not ended, under way or broken off.
    public var openUpperBound: Checkpoint? { brokenOff ?? scan?.upperBound }

    /// The same place with the scan broken off; with a table, that table is read from nothing. A signature
    /// does not speak of either, and stays.
    public func breakingOff(readingAgain table: Identifier? = nil) -> SyncCursor {
        var tables = tables
        if let table { tables[table] = nil }
        return SyncCursor(
            epoch: epoch, checkpoint: checkpoint, complete: complete, partial: partial,
            tables: tables,
            brokenOff: openUpperBound, highWater: highWater, ahead: ahead, signature: signature)
    }

    /// The scopes of which the replica may hold rows, but for what is everyone's.
    public var named: Set<Scope> { complete.union(partial).subtracting([.everything]) }

    /// The same place with the hub's word for its scopes.
    public func signed(_ signature: CursorSignature) -> SyncCursor {
        SyncCursor(
            epoch: epoch, checkpoint: checkpoint, complete: complete, partial: partial,
            tables: tables,
            scan: scan, brokenOff: brokenOff, highWater: highWater, ahead: ahead,
            signature: signature)
    }
}

/// A pull that does not fit one page: it goes on, page by page, towards the checkpoint that its first
/// page fixed.
public struct Scan: Hashable, Sendable {
    public let upperBound: Checkpoint
    /// The scopes and tables scanned; when they change, the scan starts again.
    public let scopes: Set<Scope>
    public let tables: [Identifier: String]
    /// The last row sent; `nil` before the first.
    public let position: ScanPosition?

    public init(
        upperBound: Checkpoint, scopes: Set<Scope>, tables: [Identifier: String],
        position: ScanPosition?
    ) {
        self.upperBound = upperBound
        self.scopes = scopes
        self.tables = tables
        self.position = position
    }
}

/// The order of a scan: table, scope, version, key.
public struct ScanPosition: Hashable, Sendable {
    /// The table's place in foreign-key order.
    public let table: Int
    public let scope: Scope
    /// 0 in a scope that is scanned by key alone.
    public let version: UInt64
    public let key: Key

    public init(table: Int, scope: Scope, version: UInt64, key: Key) {
        self.table = table
        self.scope = scope
        self.version = version
        self.key = key
    }
}
