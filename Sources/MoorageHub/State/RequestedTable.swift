import MoorageCore

/// A table as one replica has it: which of the hub's columns, in which order.
///
/// It is a class because every change of a batch names it, and is copied from step to step.
final class RequestedTable: Sendable {
    let attached: AttachedTable
    /// The table with the replica's columns only, in the replica's order.
    let restricted: TableDescription
    /// For each of the replica's columns its position at the hub.
    let columns: [Int]

    /// `nil` when the hub has no such table or column, or the key is not among the columns.
    init?(_ requested: TableColumns, in schema: AttachedSchema) {
        guard let attached = schema.table(named: requested.name),
            let restricted = attached.description.restricted(to: requested.columns)
        else { return nil }
        self.attached = attached
        self.restricted = restricted
        columns = requested.columns.compactMap { attached.description.column(named: $0) }
    }

    /// A row of the hub as the replica has it.
    func restrict(_ row: [Value]) -> [Value] { columns.map { row[$0] } }
}
