/// What a local change does to its row.
public enum ChangeKind: String, Hashable, Sendable {
    /// The row is new here.
    case insert
    /// Columns of the row got other values.
    case update
    /// The row is gone here.
    case delete
    /// The change asks for nothing but the row as it is at the hub. Only pending changes are of
    /// this kind.
    case refetch
    /// A row that was kept when the replica was reconciled with the hub. Only refused changes are
    /// of this kind.
    case recovered = "row"
}
