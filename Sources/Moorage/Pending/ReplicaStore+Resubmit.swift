import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

extension ReplicaStore {
    /// Writes a refused change again, with all changes that were refused as one group with it. It
    /// takes them off the list in the same transaction.
    func resubmit(_ db: Database, _ change: RefusedChange) throws {
        guard !change.isBlocked else {
            throw ReplicaError.stillPending(change.table)
        }
        try resubmitting(db, change.table) { transaction in
            let listed = "SELECT 1 FROM _moorage_refused WHERE id = ?1"
            guard try transaction.statements(listed).exists([.integer(change.id)]) else { return }
            let changes = try change.group.map { try refused(db, group: $0) } ?? [change]
            if changes.count > 1 { _ = try Self.openGroup(db) }
            for change in changes {
                let isUpdate = change.kind == .update
                try Resubmitting(transaction: transaction).write(
                    Resubmitting.Wish(
                        table: change.table, key: change.key,
                        isDelete: change.kind == .delete, values: change.after,
                        whole: isUpdate ? change.row : change.after))
                try dismissRefused(db, id: change.id)
            }
            if changes.count > 1 { try Self.closeGroup(db) }
        }
    }

    /// A transaction whose commit may find a foreign key broken that is checked only then.
    func resubmitting(
        _ db: Database, _ table: String, _ body: (StoreTransaction) throws -> Void
    ) throws {
        do {
            try transaction(db) { try body($0) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            if let refused = ReplicaError(localWrite: error) { throw refused }
            throw ReplicaError.cannotResubmit(
                table, error.message ?? ChangeReason.localConstraint)
        }
    }

    /// - Parameter table: Only of this table; `nil` for all.
    func overruled(
        _ db: Database, in table: String? = nil, limit: Int
    ) throws -> [OverruledChange] {
        let sql = """
            SELECT * FROM _moorage_overruled WHERE tbl = ?1 OR ?1 IS NULL ORDER BY id LIMIT ?2
            """
        return try Row.fetchAll(db, sql: sql, arguments: [table, limit]).map { row in
            try Metadata(db: db).damaged("overruled") {
                func values(_ name: String) throws -> [String: Value]? {
                    guard let text = try row.decode(String?.self, forColumn: name) else {
                        return nil
                    }
                    return try NamedValues(jsonText: text).byName
                }
                return OverruledChange(
                    id: try row.decode(forColumn: "id"), table: try row.decode(forColumn: "tbl"),
                    key: RowKey(try [Value](jsonText: row.decode(forColumn: "key"))),
                    kind: ChangeKind(rawValue: try row.decode(forColumn: "operation"))
                        ?? .recovered,
                    base: try values("base"), mine: try values("mine"),
                    theirs: try values("theirs"), result: try values("result"),
                    rule: try row.decode(forColumn: "rule"),
                    at: DeviceTime(milliseconds: try row.decode(forColumn: "at")).date)
            }
        }
    }

    func dismissOverruled(_ db: Database, id: Int64) throws {
        try db.execute(sql: "DELETE FROM _moorage_overruled WHERE id = ?", arguments: [id])
    }
}
