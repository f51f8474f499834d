import MoorageCore

/// Makes the seals of one user's cursors, and knows them again (decision 0027).
struct CursorSeals: Sendable {
    /// The hub's: whoever reads the central database itself may know it.
    private let secret: String
    private let user: String?

    /// - Returns: `nil` where no table has scopes: a cursor says nothing there that would need a seal.
    init?(_ facts: HubFacts, of principal: Principal?, settings: ScopeSettings) {
        if settings.rules.isEmpty { return nil }
        secret = facts.seal
        user = principal?.subject
    }

    /// - Parameters:
    ///   - state: The state in which the page of this cursor was read.
    ///   - lost: The newest state of which the replica may hold rows, of each scope to be given back.
    func sealed(_ cursor: SyncCursor, at state: Mark, lost: [Scope: Mark]) -> SyncCursor {
        if cursor.isOfEveryonesAlone { return cursor }
        let lost = lost.filter { cursor.named.contains($0.key) }
        return cursor.sealed(
            CursorSeal(
                state: state, lost: lost, code: code(of: cursor, state: state, lost: lost),
                walkCode: cursor.walk.map { code(of: $0) }))
    }

    /// Whether the hub made this cursor for this user, or it says nothing that would need it.
    func accept(_ cursor: SyncCursor) -> Bool {
        cursor.isOfEveryonesAlone || cursor.seal.map { isGenuine($0, of: cursor) } ?? false
    }

    private func isGenuine(_ seal: CursorSeal, of cursor: SyncCursor) -> Bool {
        Self.areEqual(code(of: cursor, state: seal.state, lost: seal.lost), seal.code)
            && Self.areEqual(
                cursor.walk.map { code(of: $0) } ?? "",
                cursor.walk == nil ? "" : seal.walkCode ?? "")
    }

    /// In the same time wherever they differ.
    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Of all but what a device changes by itself: it breaks off walks, which leaves the target of the oldest
    /// that has not ended, and reads tables from nothing.
    private func code(of cursor: SyncCursor, state: Mark, lost: [Scope: Mark]) -> String {
        var code = SealCode("cursor", secret)
        for text in [
            user, cursor.epoch?.text, cursor.mark?.text, cursor.openTarget?.text, cursor.seen?.text,
        ] { code.add(text.map { [$0] } ?? []) }
        code.add([state.text])
        for scopes in [cursor.complete, cursor.partial] { code.add(scopes) }
        code.add(cursor.ahead.map(fingerprint).sorted())
        for (scope, mark) in lost.sorted(by: { $0.key < $1.key }) {
            code.add([scope.name, mark.text])
        }
        return code.hex
    }

    private func code(of walk: Walk) -> String {
        var code = SealCode("walk", secret)
        code.add(user.map { [$0] } ?? [])
        code.add([walk.target.text])
        code.add(walk.scopes)
        code.add(
            walk.tables.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .flatMap { [$0.key, $0.value] })
        if let place = walk.position {
            code.add(["\(place.table)", place.scope.name, "\(place.version)"])
            code.add(place.key)
        }
        return code.hex
    }

    private func fingerprint(_ row: RowName) -> String {
        var code = SealCode("row", secret)
        code.add([row.table])
        code.add(row.key)
        return code.hex
    }
}

/// What goes into a code, each list with its length before it.
private struct SealCode {
    private var fingerprint: Fingerprint

    init(_ kind: String, _ secret: String) {
        fingerprint = Fingerprint(secret: secret)
        add([kind])
    }

    mutating func add(_ texts: [String]) {
        fingerprint.add(UInt64(texts.count))
        for text in texts { fingerprint.add(text.utf8) }
    }

    mutating func add(_ scopes: Set<Scope>) { add(scopes.sorted().map(\.name)) }

    mutating func add(_ key: Key) {
        fingerprint.add(UInt64(key.values.count))
        for value in key.values { fingerprint.add(value) }
    }

    var hex: String { fingerprint.hex }
}

extension SyncCursor {
    /// It names no scope but everyone's and stands between two walks: whatever it says, there is nothing
    /// in it that is not everyone's.
    fileprivate var isOfEveryonesAlone: Bool {
        named.isEmpty && ahead.isEmpty && walk == nil && brokenOff == nil && seen == nil
    }
}
