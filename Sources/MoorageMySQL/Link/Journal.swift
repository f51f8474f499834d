/// What a transaction has done so far, to repeat it up to some point (docs/decisions/0046).
///
/// It keeps what the transaction sent. A push sends one batch, which has a limit.
struct Journal {
    enum Work {
        case simple(String)
        case query(String, Parameters)
        /// A read that decides what is written. When it is repeated, it must return the same rows.
        case read(String, Parameters, [ResultKind], QueryResult)
        case bulk(String, [Parameters.Column])
        /// A statement of many rows failed, and some of them may be written.
        case torn
    }

    private(set) var work: [Work] = []
    /// The transaction has written rows of the owner's. Later reads may contain times that a
    /// trigger took from the clock, so a repeated read may differ.
    var hasWritten = false

    var count: Int { work.count }

    mutating func append(_ one: Work) { work.append(one) }

    /// - Parameter decides: Whether a query's answer decides what the transaction writes.
    mutating func record(
        _ sql: String, _ parameters: Parameters, _ kinds: [ResultKind], _ result: QueryResult,
        decides: Bool
    ) {
        if !sql.hasPrefix("SELECT") { return append(.query(sql, parameters)) }
        guard decides else { return }
        // A read that checks a constraint returns no times.
        if !hasWritten || sql.hasSuffix("LOCK IN SHARE MODE") {
            append(.read(sql, parameters, kinds, result))
        } else if sql.hasSuffix("FOR UPDATE") {
            append(.query(sql, parameters))
        }
    }

    /// Whether anything was written after a point.
    func hasChanged(since point: Int) -> Bool {
        work[point...].contains { one in
            switch one {
            case .simple, .read: false
            case .query, .bulk, .torn: true
            }
        }
    }

    mutating func forget(from point: Int) { work.removeSubrange(point...) }
}
