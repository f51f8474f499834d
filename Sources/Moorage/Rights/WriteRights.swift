import MoorageCore
import MoorageWire

/// What the user may write in a table, as the hub said it last. An app shows only what is allowed.
///
/// The hub judges each change again when it arrives. So it can refuse a change that was allowed
/// when the app made it. It can also refuse one for its row, such as a row outside of the user's
/// scopes.
public struct WriteRights: Hashable, Sendable {
    /// Whether rows may be inserted.
    public let mayInsert: Bool
    /// Whether at least one column of existing rows may be changed.
    public let mayUpdate: Bool
    /// Whether rows may be deleted.
    public let mayDelete: Bool
    /// Whether an update may take a row out of the user's scopes, so that it leaves the device.
    public let mayMove: Bool

    /// Columns that an insert leaves to the database.
    private let fixedOnInsert: Set<Identifier>
    private let fixedOnUpdate: Set<Identifier>
    private let keys: Set<Identifier>

    /// Rights that no hub gave, for previews and tests of an app's screens. Without arguments
    /// everything is allowed.
    ///
    /// - Parameters:
    ///   - mayInsert: Whether rows may be inserted.
    ///   - mayUpdate: Whether rows may be changed.
    ///   - mayDelete: Whether rows may be deleted.
    ///   - mayMove: Whether an update may take a row out of the user's scopes.
    ///   - fixedOnInsert: Columns that an insert may not set.
    ///   - fixedOnUpdate: Columns that an update may not change.
    public init(
        mayInsert: Bool = true, mayUpdate: Bool = true, mayDelete: Bool = true,
        mayMove: Bool = true, fixedOnInsert: [String] = [], fixedOnUpdate: [String] = []
    ) {
        self.mayInsert = mayInsert
        self.mayUpdate = mayUpdate
        self.mayDelete = mayDelete
        self.mayMove = mayMove
        self.fixedOnInsert = Set(fixedOnInsert.map { Identifier($0) })
        self.fixedOnUpdate = Set(fixedOnUpdate.map { Identifier($0) })
        keys = []
    }

    /// - Parameters:
    ///   - table: What anybody may do, as the hub describes the table; `nil` before the replica has
    ///     met its hub.
    ///   - answer: What the user may do of that; `nil` for all of it.
    init(_ table: TableDescription?, _ answer: TableRightsAnswer?) {
        let isSent = table?.direction.acceptsChanges ?? true
        let insert: WritableColumns? = if let answer { answer.insert } else { .all }
        let update: WritableColumns? = if let answer { answer.update } else { .all }
        let keys = Set(table.map { table in table.primaryKey.map { table.columns[$0].id } } ?? [])
        let fixedOnUpdate = Set(table?.fixedColumns(update) ?? [])
        // A table may have no column but those of its key.
        let hasOpenColumns = table.map { fixedOnUpdate.count < $0.columns.count - keys.count }
        let mayUpdate = isSent && update != nil && hasOpenColumns ?? true
        mayInsert = isSent && insert != nil
        self.mayUpdate = mayUpdate
        mayDelete = isSent && (answer?.mayDelete ?? true)
        mayMove = mayUpdate && (answer?.mayMove ?? true)
        fixedOnInsert = Set(table?.fixedColumns(insert) ?? [])
        self.fixedOnUpdate = fixedOnUpdate
        self.keys = keys
    }

    /// Whether an insert may set a column. If it sets another one, the hub accepts the row and
    /// leaves that column to the central database.
    ///
    /// - Parameter column: The column's name at the hub. A column that is not synced is the app's
    ///   own, and may be set.
    public func mayInsert(column: String) -> Bool {
        mayInsert && !fixedOnInsert.contains(Identifier(column))
    }

    /// Whether an update may change a column. The hub refuses the whole update of a row if it
    /// changes another one.
    ///
    /// A column of the key may change if rows may be inserted and deleted. The replica sends a row
    /// with another key as a delete and an insert.
    ///
    /// - Parameter column: The column's name at the hub. A column that is not synced is the app's
    ///   own, and may be changed.
    public func mayUpdate(column: String) -> Bool {
        let column = Identifier(column)
        if keys.contains(column) { return mayInsert && mayDelete }
        return mayUpdate && !fixedOnUpdate.contains(column)
    }
}

extension TableDescription {
    /// The columns that a write may not set; those of the key can always be set by an insert.
    fileprivate func fixedColumns(_ writable: WritableColumns?) -> [Identifier] {
        columns.indices.filter { position in
            !isKey(position)
                && (columns[position].isGenerated
                    || writable?.names(columns[position]) != true)
        }.map { columns[$0].id }
    }
}

extension ColumnDescription {
    fileprivate var id: Identifier { Identifier(name) }
}

extension WritableColumns {
    fileprivate func names(_ column: ColumnDescription) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains { column.isKnown(as: $0) }
        }
    }
}
