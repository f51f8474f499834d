/// What a replica knows of the hub. The replica saves it with the page that brought it, and
/// compares it for equality.
///
/// - C1: A page is applied only at the cursor that it continues.
/// - C2: A scope that is being read for the first time, or revoked, is in `partial`, never in
///   `complete`.
/// - C3: The checkpoint moves only when a scan has ended or a page caught up.
package struct SyncCursor: Hashable, Sendable {
    /// The central history that this cursor belongs to; `nil` before the first page.
    package let epoch: Epoch?
    /// How far the complete scopes have been read; `nil` before the end of the first scan.
    package let checkpoint: Checkpoint?
    /// Scopes that the replica has completely at `checkpoint`.
    package let complete: Set<Scope>
    /// Scopes from which the replica may have some rows.
    package let partial: Set<Scope>
    /// Tables that the replica has at `checkpoint`, each with its ``TableDescription/signature``.
    package let tables: [Identifier: String]
    /// The scan that is under way; `nil` between scans.
    package let scan: Scan?
    /// The upper bound of the oldest scan that was broken off since the checkpoint last moved. Rows
    /// that the scan brought may have been deleted beyond that bound.
    package let brokenOff: Checkpoint?
    /// The high-water checkpoint: the newest one at which a page of the last scan was read, if it
    /// is beyond `checkpoint`. The scan skipped rows that had changed again by then. A hub that
    /// lost this part of its history has those rows at `checkpoint` again, and would never send
    /// them.
    package let highWater: Checkpoint?
    /// Rows that were sent ahead of the checkpoint: changed rows without a number yet, and answers
    /// to a push during a scan. A removal must still reach them.
    package let ahead: Set<RowName>
    /// The hub's signature on this cursor; `nil` where nothing needs one.
    package let signature: CursorSignature?

    package init(
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
    package static let start = SyncCursor(epoch: nil)

    /// Every checkpoint beyond which the replica still has to learn of deletions.
    package var checkpoints: [Checkpoint] {
        [checkpoint, scan?.upperBound, brokenOff].compactMap { $0 }
    }

    /// Every checkpoint that the replica knows. A hub that does not know one of them has lost a
    /// part of its history.
    package var knownCheckpoints: [Checkpoint] { checkpoints + [highWater].compactMap { $0 } }

    /// The upper bound of the oldest scan that has not ended, under way or broken off.
    package var openUpperBound: Checkpoint? { brokenOff ?? scan?.upperBound }

    /// Those of some tables from which the replica may have rows. A scan that was broken off may have
    /// brought rows of others.
    package func coveredTables(where isWanted: (Identifier) -> Bool) -> Set<Identifier> {
        var names: Set<Identifier> = []
        func add(_ name: Identifier) {
            // Under the empty name it remembers the order of the tables.
            if !name.text.isEmpty, isWanted(name) { names.insert(name) }
        }
        for name in tables.keys { add(name) }
        if let scan { for name in scan.tables.keys { add(name) } }
        return names
    }

    /// The same cursor with its scan broken off. With a table, the next pull reads that table from
    /// the beginning. The signature covers neither, so it stays valid.
    package func breakingOff(readingAgain table: Identifier? = nil) -> SyncCursor {
        var tables = tables
        if let table { tables[table] = nil }
        return breakingOff(tables)
    }

    /// The same for a table whose rows are as old as the cursor. The pull also brings what was
    /// removed since.
    package func breakingOff(reshaping table: Identifier) -> SyncCursor {
        var tables = tables
        // No table has this signature.
        if tables[table] != nil { tables[table] = "" }
        return breakingOff(tables)
    }

    private func breakingOff(_ tables: [Identifier: String]) -> SyncCursor {
        SyncCursor(
            epoch: epoch, checkpoint: checkpoint, complete: complete, partial: partial,
            tables: tables,
            brokenOff: openUpperBound, highWater: highWater, ahead: ahead, signature: signature)
    }

    /// The scopes from which the replica may have rows, except ``Scope/everything``.
    package var named: Set<Scope> { complete.union(partial).subtracting([.everything]) }

    /// The same cursor with the hub's signature.
    package func signed(_ signature: CursorSignature) -> SyncCursor {
        SyncCursor(
            epoch: epoch, checkpoint: checkpoint, complete: complete, partial: partial,
            tables: tables,
            scan: scan, brokenOff: brokenOff, highWater: highWater, ahead: ahead,
            signature: signature)
    }
}

/// A pull that does not fit one page. It continues page by page, up to the checkpoint that its
/// first page fixed.
package struct Scan: Hashable, Sendable {
    package let upperBound: Checkpoint
    /// The scopes and tables that the scan covers. When they change, the scan starts again.
    package let scopes: Set<Scope>
    package let tables: [Identifier: String]
    /// The last row sent; `nil` before the first.
    package let position: ScanPosition?

    package init(
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
package struct ScanPosition: Hashable, Sendable {
    /// The table's place in foreign-key order.
    package let table: Int
    package let scope: Scope
    /// 0 in a scope that is scanned by key alone.
    package let version: UInt64
    package let key: RowKey

    package init(table: Int, scope: Scope, version: UInt64, key: RowKey) {
        self.table = table
        self.scope = scope
        self.version = version
        self.key = key
    }
}
