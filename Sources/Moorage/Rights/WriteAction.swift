/// Something that a user may do in a table, or not.
public enum WriteAction: Hashable, Sendable {
    /// To insert rows.
    case insert
    /// To change at least one column of existing rows.
    case update
    /// To delete rows.
    case delete
    /// To take a row out of the user's scopes by an update, so that it leaves the device.
    case move
    /// To set a column in an insert. The name is the hub's.
    case insertColumn(String)
    /// To change a column in an update. The name is the hub's.
    case updateColumn(String)
}

extension WriteRights {
    /// Whether the user may do something.
    public func may(_ action: WriteAction) -> Bool {
        switch action {
        case .insert: mayInsert
        case .update: mayUpdate
        case .delete: mayDelete
        case .move: mayMove
        case .insertColumn(let name): mayInsert(column: name)
        case .updateColumn(let name): mayUpdate(column: name)
        }
    }
}
