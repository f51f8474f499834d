import Foundation
import GRDB
import MoorageCore
import SQLiteSupport

/// The form of the app's UUIDs. The first key that the app writes decides it.
extension ReplicaStore {
    /// Called before a batch is prepared. The hub's rows that are here already take the form, too.
    func adoptUUIDForm(_ db: Database) throws {
        guard try Metadata(db: db).text(.uuidForm) == nil,
            let form = try UUIDFormSearch(db: db, tables: load(db).synced).inLogs()
        else { return }
        guard form != .lower else {
            return try transaction(db) { try $0.meta.set(.uuidForm, form.rawValue) }
        }
        try transaction(db, .applying) { transaction in
            // Another process may have been faster.
            guard try transaction.meta.text(.uuidForm) == nil else { return }
            try UUIDRewriting(transaction, form: form).run()
            try transaction.meta.set(.uuidForm, form.rawValue)
            try transaction.meta.bump()
            let schema = StoreSchema(db: db, configured: tables)
            for table in try load(db).tracked where table.hasRowStates {
                try schema.fillRowStates(of: table, nil)
            }
        }
    }

    /// The form that ``adoptUUIDForm(_:)`` will give to the file's keys; `nil` if they stay as they
    /// are.
    func nextUUIDForm(_ db: Database, _ tables: LoadedTables) throws -> UUIDForm? {
        guard try Metadata(db: db).text(.uuidForm) == nil,
            let form = try UUIDFormSearch(db: db, tables: tables.synced).inLogs()
        else { return nil }
        return form == .lower ? nil : form
    }

    /// If a file was filled before its first contact, its rows decide.
    func adoptUUIDFormOfRows(_ transaction: StoreTransaction) throws {
        let db = transaction.db
        guard try transaction.meta.text(.uuidForm) == nil,
            let form = try UUIDFormSearch(
                db: db, tables: try StoreSchema(db: db, configured: tables).load().synced
            ).inRows()
        else { return }
        try transaction.meta.set(.uuidForm, form.rawValue)
        try transaction.meta.bump()
    }
}

/// Looks for the first key in a column that is not declared as bytes.
private struct UUIDFormSearch {
    let db: Database
    let tables: [SyncedTable]

    /// How many keys are read. A UUID of digits only shows no form, and is rare.
    private static let most = 20

    func inLogs() throws -> UUIDForm? {
        try first { table, column in
            guard let key = table.logColumn(column) else { return nil }
            return """
                SELECT \(key) FROM \(SQLText.name(table.tracked.logTable)) \
                WHERE op = \(LogOperation.insert.sql) ORDER BY seq LIMIT \(Self.most)
                """
        }
    }

    func inRows() throws -> UUIDForm? {
        try first { table, column in
            """
            SELECT \(SQLText.name(table.localName(column))) \
            FROM \(SQLText.name(table.tracked.local.name)) LIMIT \(Self.most)
            """
        }
    }

    private func first(_ sql: (SyncedTable, Int) -> String?) throws -> UUIDForm? {
        for table in tables {
            for column in table.description.primaryKey where table.form(column).usesUUIDForm {
                guard let sql = sql(table, column) else { continue }
                let statement = try RawStatement(db, sql)
                while try statement.step() {
                    if let form = UUIDForm(stored: statement.column(0).value) { return form }
                }
            }
        }
        return nil
    }
}

/// Converts the UUIDs in the file to another form. They are in rows, in local rows that refer to
/// these, in logs, and in lists of keys.
private struct UUIDRewriting {
    private let transaction: StoreTransaction
    private let form: UUIDForm
    private static let function = "_moorage_uuid"

    init(_ transaction: StoreTransaction, form: UUIDForm) {
        self.transaction = transaction
        self.form = form
    }

    func run() throws {
        let form = form
        let function = DatabaseFunction(Self.function, argumentCount: 1, pure: true) { values in
            guard case .string(let text) = values[0].storage else { return values[0] }
            switch form.stored(.text(text)) {
            case .text(let text): return text
            case .blob(let bytes): return Data(bytes)
            default: return values[0]
            }
        }
        let db = transaction.db
        db.add(function: function)
        defer { db.remove(function: function) }
        let suspended = transaction.tables.suspended.filter(\.hasRows).map(\.table)
        for table in transaction.tables.synced + suspended { try rewrite(table) }
        for reference in transaction.tables.localReferences { try rewrite(reference) }
    }

    private func rewrite(_ table: SyncedTable) throws {
        let columns = table.description.columns.indices.filter { table.form($0).usesUUIDForm }
        for column in columns {
            let isKey = table.description.isKey(column)
            let name = SQLText.name(table.localName(column))
            let target = SQLText.name(table.tracked.local.name)
            try rewrite(target, name)
            // The app made a row of the same key before it knew of the hub's. The app's row stays.
            if isKey, table.description.primaryKey.count == 1 {
                try transaction.db.execute(
                    sql: """
                        DELETE FROM \(target) \
                        WHERE typeof(\(name)) = 'text' AND \(name) IS NOT \(Self.function)(\(name))
                        """)
            }
            guard let logged = table.logColumn(column) else { continue }
            try rewrite(SQLText.name(table.tracked.logTable), logged)
            guard isKey else { continue }
            for keys in [
                table.tracked.unconfirmedTable, table.tracked.changedTable,
                table.tracked.fillTable,
            ] where try transaction.db.tableExists(keys) {
                try rewrite(SQLText.name(keys), logged)
            }
        }
    }

    /// Converts the UUIDs with which a local table, which is not synced, refers to a synced one.
    private func rewrite(_ reference: LocalForeignKey) throws {
        guard
            let table = transaction.tables.synced.first(where: {
                SQLText.isSameName($0.tracked.local.name, reference.referencedTable)
            })
        else { return }
        for (name, referenced) in zip(reference.columns, reference.referencedColumns) {
            let isUUID = table.description.columns.indices.contains {
                SQLText.isSameName(table.localName($0), referenced) && table.form($0).usesUUIDForm
            }
            if isUUID { try rewrite(SQLText.name(reference.table), SQLText.name(name)) }
        }
    }

    private func rewrite(_ table: String, _ column: String) throws {
        try transaction.db.execute(
            sql: """
                UPDATE OR IGNORE \(table) SET \(column) = \(Self.function)(\(column)) \
                WHERE typeof(\(column)) = 'text' AND \(column) IS NOT \(Self.function)(\(column))
                """)
    }
}
