import MoorageCore
import MoorageWire

/// A table as one replica has it: which of the hub's columns, in which order, by which names.
///
/// - V8: A column stays the same one under each name that the hub has for it, and a replica meets
///   only names that it uses.
///
/// It is a class because every change of a batch names it, and is copied from step to step.
final class RequestedTable: Sendable {
    let attached: AttachedTable
    /// The table with the replica's columns only, in the replica's order, by their central names.
    let restricted: TableDescription
    /// For each of the replica's columns its position at the hub.
    let columns: [Int]
    /// The replica's own names: what it asked for, and what an answer to it says.
    let asked: TableColumns

    /// `nil` when the hub has no such table or column, when two names are of one column, or when
    /// the key is not among the columns.
    init?(_ asked: TableColumns, in schema: AttachedSchema) {
        guard let attached = schema.table(named: asked.name) else { return nil }
        let columns = asked.columns.compactMap { attached.description.column(knownAs: $0) }
        guard columns.count == asked.columns.count,
            let restricted = attached.description.restricted(to: columns)
        else { return nil }
        self.attached = attached
        self.restricted = restricted
        self.columns = columns
        self.asked = asked
    }

    /// The replica's name of the table.
    var name: String { asked.name }

    /// Whether a name that a replica uses, perhaps in another message, means this table.
    func isKnown(as name: String) -> Bool { attached.description.isKnown(as: name) }

    /// A row of the hub as the replica has it.
    func restrict(_ row: [Value]) -> [Value] { columns.map { row[$0] } }

    /// - Throws: `malformed` for a key behind which no connector can go on reading.
    func check(position key: RowKey) throws {
        guard key.values.count == attached.description.primaryKey.count else {
            throw HubError.noKey(of: name)
        }
    }
}
