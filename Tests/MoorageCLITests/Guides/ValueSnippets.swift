#if Server
    import Foundation
    import GRDB
    import Moorage

    // The Swift code of docs/guides on single values, keys and types. `GuideTests` compares.

    private struct Order: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "orders"
        enum Columns {
            static let price = Column("price")
        }
        var orderID: Int64
    }

    // MARK: Records

    private enum Values {
        func make() -> [(any ColumnText)?] {
            let price = ExactDecimal("12.50")  // nil if the text is no number
            let day = LocalDate(year: 2026, month: 3, day: 14)  // nil if there is no such day
            let id = TextUUID()  // a new one
            let known = TextUUID("01890a5d-ac96-774b-bcce-b302099a8057")  // nil if it is no UUID
            return [price, day, id, known]
        }

        func sort(_ db: Database) throws -> [Order] {
            // As docs/guides/models.md has it within its table.
            try Order.order { cast($0.price, as: .real) }.fetchAll(db)
        }

        func createVisits(_ migrator: inout DatabaseMigrator) {
            migrator.registerMigration("v1") { db in
                try db.create(table: "visits") { table in
                    table.primaryKey("id", Database.ColumnType(rawValue: "UUID"))
                    table.column("startsAt", Database.ColumnType(rawValue: "TIMESTAMPTZ"))
                }
            }
        }
    }

    // MARK: Review

    private enum Decisions {
        func enter(_ conflict: OverruledChange, _ replica: Replica) async throws {
            try await replica.resolve(conflict, with: ["city": .text("Lindvik"), "note": .null])
        }

        func explain(_ order: Order, _ replica: Replica) async throws -> [PendingReason] {
            let key = RowKey([.integer(order.orderID)])  // one value for each column of the key
            let reasons = try await replica.pendingReasons(of: key, in: "orders")
            return reasons
        }
    }
#endif
