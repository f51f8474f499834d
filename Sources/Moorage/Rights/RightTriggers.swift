import MoorageCore
import MoorageWire
import SQLiteSupport

/// Triggers that refuse the app's writes for which the hub would refuse the user, where the app
/// asks for it (decision 0117).
///
/// They are no part of ``TrackingSQL``: where one is missing, the hub still refuses, and no table has
/// to be compared.
struct RightTriggers {
    private let table: TrackedTable
    private let mayInsert: Bool
    private let mayDelete: Bool
    /// The columns that an update may not change, by their local names.
    private let fixed: [(name: String, type: ColumnType)]

    /// - Parameter answer: What the user may do of what the schema allows; `nil` for all of it. What
    ///   the schema forbids to everyone is handled elsewhere: the hub reverts it, or does not
    ///   get it.
    init(_ table: SyncedTable, _ answer: TableRightsAnswer?) {
        let rights = WriteRights(table.description, answer)
        let others = WriteRights(table.description, nil)
        self.table = table.tracked
        mayInsert = rights.mayInsert || !others.mayInsert
        mayDelete = rights.mayDelete || !others.mayDelete
        fixed = zip(table.localNames, table.description.columns).filter { _, column in
            // Whether two documents are the same is for the hub to say.
            others.mayUpdate(column: column.name) && !rights.mayUpdate(column: column.name)
                && column.type != .json
        }.map { ($0, $1.type) }
    }

    /// How the message of a refused write begins; ``ReplicaError`` recognizes it by that.
    static let prefix = "moorage: permission: "

    static let kinds = ["insert", "update", "delete"]

    static func name(_ kind: String, _ table: Identifier) -> String {
        "_moorage_may_\(kind)_\(table.text)"
    }

    /// The triggers by name.
    var definitions: [(name: String, sql: String)] {
        var result: [(name: String, sql: String)] = []
        if !mayInsert {
            // After it: an upsert that updates inserts nothing.
            let body = refusal("insert into \(table.name)")
            result.append(trigger("insert", "AFTER INSERT", [body]))
        }
        if !fixed.isEmpty {
            let columns = SQLText.names(fixed.map(\.name))
            result.append(
                trigger(
                    "update", "BEFORE UPDATE OF \(columns)",
                    fixed.map { column in
                        // A record that is saved as a whole changes only what differs.
                        refusal("change the column \(column.name) of \(table.name)")
                            + " WHERE \(isChanged(column)) AND NOT \(isNew)"
                    }))
        }
        if !mayDelete {
            let body = refusal("delete from \(table.name)") + " WHERE NOT \(isNew)"
            result.append(trigger("delete", "BEFORE DELETE", [body]))
        }
        return result
    }

    private func refusal(_ what: String) -> String {
        "SELECT RAISE(ABORT, \(SQLText.literal(Self.prefix + what)))"
    }

    /// Whether the row was inserted here and not sent yet. What happens to it until then is a part
    /// of its insert.
    private var isNew: String {
        let isRow = zip(table.keyColumns, table.keyNames).map { column, name in
            "\(column) IS OLD.\(SQLText.name(name))"
        }.joined(separator: " AND ")
        func entries(_ operations: LogOperation...) -> String {
            let names = operations.map(\.sql).joined(separator: ", ")
            let log = SQLText.name(table.logTable)
            return "EXISTS (SELECT 1 FROM \(log) WHERE op IN (\(names)) AND \(isRow))"
        }
        return "(\(entries(.insert)) AND NOT \(entries(.delete, .candidate)))"
    }

    /// Compares by meaning, as far as SQLite can. What it takes for equal, the hub judges. An app
    /// can drop the column (``DroppableColumns``).
    private func isChanged(_ column: (name: String, type: ColumnType)) -> String {
        let name = SQLText.name(column.name)
        let change = Self.isChanged("OLD.\(name)", "NEW.\(name)", column.type)
        guard let droppable = DroppableColumns(table) else { return change }
        return "(SELECT (SELECT \(change)) FROM \(droppable.standIns(for: ["OLD", "NEW"])))"
    }

    private static func isChanged(_ old: String, _ new: String, _ type: ColumnType) -> String {
        func differs(_ meaning: (String) -> String) -> String {
            "\(meaning(old)) IS NOT \(meaning(new))"
        }
        switch type {
        case .integer, .text, .blob, .json: return "\(old) COLLATE BINARY IS NOT \(new)"
        case .boolean: return differs { "(\($0) <> 0)" }
        case .real, .decimal: return differs { "CAST(\($0) AS REAL)" }
        case .date, .time, .timestamp, .instant: return differs { "julianday(\($0))" }
        case .uuid:
            return differs {
                "lower(iif(typeof(\($0)) = 'blob', hex(\($0)), replace(\($0), '-', '')))"
            }
        }
    }

    private func trigger(
        _ kind: String, _ event: String, _ body: [String]
    ) -> (name: String, sql: String) {
        let name = Self.name(kind, table.name)
        let sql = """
            CREATE TRIGGER \(SQLText.name(name)) \(event) \
            ON \(SQLText.name(table.local.name)) WHEN \(TrackingSQL.guardCondition)
            BEGIN
            \(body.map { "  \($0);" }.joined(separator: "\n"))
            END
            """
        return (name, sql)
    }
}
