package import MoorageCore

/// What a program asks to write to one row.
package struct RowWrite: Sendable {
    package enum Kind: Hashable, Sendable {
        /// A new row. Columns that are not named take their defaults.
        case insert
        /// The named columns of a row that exists.
        case update
        /// The named columns of a row, or a new row where there is none.
        case upsert
        /// A whole row in place of the one that is there, or a new row.
        case replace
        case delete
    }

    package let table: RowTable
    package let kind: Kind
    /// The key that the request names; `nil` where only the values name it, or the hub chooses it.
    package let key: RowKey?
    /// Columns with values that their types accept, each column once.
    package let values: [(column: Int, value: Value)]
    package let precondition: RowPrecondition
    /// Columns that get their values from other writes of the batch.
    package var links: [RowLink] = []
    /// Writes with one number are carried out together, or none of them is. `nil` for a write that
    /// is carried out or refused by itself.
    package var group: Int?
    /// Whether a delete counts as carried out where there is no such row, whatever its precondition.
    package var acceptsAbsence = false

    package init(
        _ kind: Kind, in table: RowTable, key: RowKey? = nil,
        values: [(column: Int, value: Value)] = [], precondition: RowPrecondition = .none
    ) {
        self.table = table
        self.kind = kind
        self.key = key
        self.values = values
        self.precondition = precondition
    }

    /// The same write with values of more columns.
    func adding(_ values: [(column: Int, value: Value)]) -> RowWrite {
        var write = RowWrite(
            kind, in: table, key: key,
            values: self.values.filter { own in !values.contains { $0.column == own.column } }
                + values, precondition: precondition)
        write.links = links
        write.group = group
        write.acceptsAbsence = acceptsAbsence
        return write
    }
}

/// Columns of a row that refer to another row of the same batch, or to which that row refers.
package struct RowLink: Sendable {
    /// The place of the other write in the batch. It comes before this one.
    let source: Int
    /// Columns of this row, each with the column of the other row that has the same value.
    let columns: [(own: Int, source: Int)]

    /// The link of a row to the one that it refers to.
    ///
    /// - Parameters:
    ///   - place: Of the row that it refers to.
    ///   - relation: Of this row's table.
    package init(toReferenced place: Int, by relation: RowRelation) {
        source = place
        columns = zip(relation.own, relation.other).map { ($0, $1) }
    }

    /// The same link, seen from the other row.
    ///
    /// - Parameters:
    ///   - place: Of the row that this one refers to.
    ///   - relation: Of that row's table.
    package init(toReferenced place: Int, byReversed relation: RowRelation) {
        source = place
        columns = zip(relation.other, relation.own).map { ($0, $1) }
    }
}

/// What the row must be for a write to be carried out.
package enum RowPrecondition: Hashable, Sendable {
    case none
    /// The row exists.
    case exists
    /// There is no such row.
    case isAbsent
    /// The row exists, in one of these versions (``RowContent/etag``).
    case isOneOf([String])
    /// There is no such row, or it is in none of these versions.
    case isNoneOf([String])

    func isMet(by etag: String?) -> Bool {
        switch self {
        case .none: true
        case .exists: etag != nil
        case .isAbsent: etag == nil
        case .isOneOf(let etags): etag.map(etags.contains) ?? false
        case .isNoneOf(let etags): etag.map { !etags.contains($0) } ?? true
        }
    }
}

/// The writes of one request.
package struct RowBatch: Sendable {
    package let writes: [RowWrite]
    /// Whether all of them are carried out or none. Otherwise each is carried out or refused by
    /// itself.
    package let isAllOrNothing: Bool

    /// - Parameter writes: At most as many as a replica may push at once. A link leads to an earlier
    ///   one.
    package init(_ writes: [RowWrite], isAllOrNothing: Bool) {
        self.writes = writes
        self.isAllOrNothing = isAllOrNothing
    }
}

/// What became of one write.
package enum RowResult: Sendable {
    /// There was no such row. With the row as it is now.
    case created(RowContent)
    /// The row as it is now, whatever the rules made of the write. `nil` for a row that the user
    /// does not see any more.
    case changed(RowContent?)
    case deleted
    case refused(RowProblem)

    package var isRefused: Bool { if case .refused = self { true } else { false } }
}

/// The name of a request that is carried out once.
package struct RequestName: Hashable, Sendable {
    /// What the program calls it: 1 to 128 printable ASCII characters.
    package let key: String
    /// Distinguishes the request from others that come by the same name.
    package let fingerprint: String

    package init(key: String, fingerprint: String) {
        self.key = key
        self.fingerprint = fingerprint
    }
}
