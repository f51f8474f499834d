import MoorageCore
import SQLiteSupport

/// Triggers that refuse the app's writes for which the hub would refuse the user, where the app
/// asks for it (decision 0117).
///
/// They are no part of ``TrackingSQL``: where one is missing, the hub still refuses, and no table has
/// to be compared.
struct RightTriggers {
    let table: TrackedTable
    let mayInsert: Bool
    let mayDelete: Bool
    /// The columns that an update may not change, by their local names.
    let fixed: [String]

    init(_ table: SyncedTable, _ rights: WriteRights) {
        self.table = table.tracked
        mayInsert = rights.mayInsert
        mayDelete = rights.mayDelete
        fixed = zip(table.localNames, table.description.columns).filter { _, column in
            !rights.mayUpdate(column: column.name)
        }.map(\.0)
    }

    /// How the message of a refused write begins; ``ReplicaError`` recognizes it by that.
    static let prefix = "moorage: permission: "

    static let kinds = ["insert", "update", "delete"]

    static func name(_ kind: String, _ table: Identifier) -> String {
        "_moorage_may_\(kind)_\(table.text)"
    }

    /// The triggers by name. They come after the write: an upsert that updates inserts nothing, and
    /// a record that is saved as a whole changes only what differs.
    var definitions: [(name: String, sql: String)] {
        var result: [(name: String, sql: String)] = []
        if !mayInsert { result.append(trigger("insert", [refusal("insert into \(table.name)")])) }
        if !mayDelete { result.append(trigger("delete", [refusal("delete from \(table.name)")])) }
        if !fixed.isEmpty {
            result.append(
                trigger(
                    "update",
                    fixed.map { name in
                        refusal("change the column \(name) of \(table.name)")
                            + " WHERE \(isChanged(name))"
                    }))
        }
        return result
    }

    private func refusal(_ what: String) -> String {
        "SELECT RAISE(ABORT, \(SQLText.literal(Self.prefix + what)))"
    }

    /// An app can drop the column (``DroppableColumns``).
    private func isChanged(_ name: String) -> String {
        let column = SQLText.name(name)
        let change = "OLD.\(column) IS NOT NEW.\(column)"
        guard let droppable = DroppableColumns(table) else { return change }
        return "(SELECT (SELECT \(change)) FROM \(droppable.standIns(for: ["OLD", "NEW"])))"
    }

    private func trigger(_ kind: String, _ body: [String]) -> (name: String, sql: String) {
        let name = Self.name(kind, table.name)
        let sql = """
            CREATE TRIGGER \(SQLText.name(name)) AFTER \(kind.uppercased()) \
            ON \(SQLText.name(table.local.name)) WHEN \(TrackingSQL.guardCondition)
            BEGIN
            \(body.map { "  \($0);" }.joined(separator: "\n"))
            END
            """
        return (name, sql)
    }
}
