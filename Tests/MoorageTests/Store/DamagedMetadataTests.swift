import GRDB
import MoorageCore
import TestSupport
import Testing

@testable import Moorage

/// Another program wrote into the replica's own tables. GRDB's subscripts would end the process.
@Suite(.ownThreads) struct `A value of the replica's own that nobody can read` {
    enum Part: String, CaseIterable, CustomTestStringConvertible {
        case table, names, refused, overruled, withheld, dangling, keys

        var testDescription: String { rawValue }

        /// SQL that stores a value of a wrong type, or none where one has to be.
        var damage: String {
            switch self {
            case .table: "UPDATE _moorage_table SET places = x'FF'"
            case .names: "UPDATE _moorage_table SET local = x'FF'"
            case .refused:
                """
                INSERT INTO _moorage_refused(tbl, key, operation, columns, code, message, at)
                VALUES('customer', '["a"]', 'update', '[]', 'type', 'secret', x'FF')
                """
            case .overruled:
                """
                INSERT INTO _moorage_overruled(tbl, key, operation, mine, at)
                VALUES('customer', '["a"]', 'update', x'FF', 1)
                """
            case .withheld:
                """
                INSERT INTO _moorage_withheld(tbl, key, column, reason, here)
                VALUES('customer', '["a"]', x'FF', 'secret', 1)
                """
            case .dangling:
                """
                INSERT INTO _moorage_dangling(tbl, key, columns, parent)
                VALUES('customer', '["a"]', '[]', x'FF')
                """
            case .keys:
                "INSERT INTO _moorage_keys(tbl, next, last) VALUES('orders', x'FF', 10)"
            }
        }

        func read(_ store: ReplicaStore, _ db: Database) throws {
            switch self {
            case .table: _ = try TableRecords(db: db).record(of: Identifier("customer"))
            case .names: _ = try TableRecords(db: db).localNames()
            case .refused: _ = try store.refused(db, limit: 10)
            case .overruled: _ = try store.overruled(db, limit: 10)
            case .withheld: _ = try store.withheld(db, limit: 10)
            case .dangling: _ = try store.dangling(db, limit: 10)
            case .keys: _ = try KeyBlocks(db: db).nextKey(for: "orders")
            }
        }
    }

    @Test(arguments: Part.allCases)
    func `is a typed error without the row`(_ part: Part) throws {
        let device = try Shop.device()
        try device.run(part.damage)
        do {
            try device.queue.write { try part.read(device.store, $0) }
            Issue.record("\(part) was read")
        } catch {
            let typed = try #require(SyncDriver.readable(error) as? ReplicaError)
            #expect(typed.code == .metadataDamaged)
            #expect(!"\(typed)".contains("secret"))
        }
    }

    @Test func `is a typed error where its column is missing`() throws {
        let device = try Shop.device()
        try device.run("ALTER TABLE _moorage_refused RENAME COLUMN message TO text")
        try device.run(
            """
            INSERT INTO _moorage_refused(tbl, key, operation, columns, code, text, at)
            VALUES('customer', '["a"]', 'update', '[]', 'type', 'refused', 1)
            """)
        let error = #expect(throws: ReplicaError.self) {
            try device.queue.read { try device.store.refused($0, limit: 10) }
        }
        #expect(error?.code == .metadataDamaged)
    }
}
