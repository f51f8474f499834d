import MoorageCore

/// Signs the cursors of one user, and recognizes them again (decision 0027).
struct CursorSigner: Sendable {
    /// The hub's secret. Whoever reads the central database itself may know it.
    private let secret: String
    private let user: String?

    /// - Returns: `nil` where no table has scopes: there a cursor has nothing that needs a
    ///   signature.
    init?(_ facts: HubFacts, of principal: Principal?, settings: ScopeSettings) {
        if settings.rules.isEmpty { return nil }
        secret = facts.cursorSecret
        user = principal?.subject
    }

    /// - Parameters:
    ///   - readAt: The checkpoint at which the page of this cursor was read.
    ///   - lost: For each scope to revoke, the newest checkpoint of which the replica may have
    ///     rows.
    func signed(_ cursor: SyncCursor, at readAt: Checkpoint, lost: [Scope: Checkpoint])
        -> SyncCursor
    {
        if cursor.isOfEveryonesAlone { return cursor }
        let lost = lost.filter { cursor.named.contains($0.key) }
        return cursor.signed(
            CursorSignature(
                readAt: readAt, lost: lost, code: code(of: cursor, readAt: readAt, lost: lost),
                scanCode: cursor.scan.map { code(of: $0) }))
    }

    /// Whether the hub made this cursor for this user, or the cursor needs no signature.
    func accept(_ cursor: SyncCursor) -> Bool {
        cursor.isOfEveryonesAlone || cursor.signature.map { isGenuine($0, of: cursor) } ?? false
    }

    private func isGenuine(_ signature: CursorSignature, of cursor: SyncCursor) -> Bool {
        SignatureCode.areEqual(
            code(of: cursor, readAt: signature.readAt, lost: signature.lost), signature.code)
            && SignatureCode.areEqual(
                cursor.scan.map { code(of: $0) } ?? "",
                cursor.scan == nil ? "" : signature.scanCode ?? "")
    }

    /// Covers everything except what a device changes by itself. A device breaks off scans, which
    /// leaves the upper bound of the oldest one that has not ended. It also reads tables from
    /// nothing.
    private func code(of cursor: SyncCursor, readAt: Checkpoint, lost: [Scope: Checkpoint])
        -> String
    {
        var code = SignatureCode("cursor", secret)
        for text in [
            user, cursor.epoch?.text, cursor.checkpoint?.text, cursor.openUpperBound?.text,
            cursor.highWater?.text,
        ] { code.add(text.map { [$0] } ?? []) }
        code.add([readAt.text])
        for scopes in [cursor.complete, cursor.partial] { code.add(scopes) }
        code.add(cursor.ahead.map(fingerprint).sorted())
        for (scope, checkpoint) in lost.sorted(by: { $0.key < $1.key }) {
            code.add([scope.name, checkpoint.text])
        }
        return code.hex
    }

    private func code(of scan: Scan) -> String {
        // Devices keep codes that were made with this label. With another one their scans would
        // start over.
        var code = SignatureCode("walk", secret)
        code.add(user.map { [$0] } ?? [])
        code.add([scan.upperBound.text])
        code.add(scan.scopes)
        code.add(
            scan.tables.sorted { $0.key < $1.key }
                .flatMap { [$0.key.text, $0.value] })
        if let place = scan.position {
            code.add(["\(place.table)", place.scope.name, "\(place.version)"])
            code.add(place.key)
        }
        return code.hex
    }

    private func fingerprint(_ row: RowName) -> String {
        var code = SignatureCode("row", secret)
        code.add([row.table])
        code.add(row.key)
        return code.hex
    }
}

extension SyncCursor {
    /// Whether it names no scope except everyone's, no row, no scan (also none broken off) and no
    /// high-water checkpoint. It then has nothing that is not everyone's.
    fileprivate var isOfEveryonesAlone: Bool {
        named.isEmpty && ahead.isEmpty && scan == nil && brokenOff == nil && highWater == nil
    }
}
