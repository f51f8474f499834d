import Foundation
import GRDB
import Moorage

/// What the employee does. Nothing here knows that the file is synced: it reads and writes records
/// of GRDB, which the build makes from moorage.schema.json.
struct SalesApp {
    let database: DatabasePool

    /// Remembers who is at the keyboard, in a table of the app's own that is not synced.
    func logIn(_ name: String) async throws -> String {
        try await database.write { db in
            let found = try Employee.filter { $0.firstName == name || $0.lastName == name }
                .fetchAll(db)
            guard let employee = found.first, found.count == 1 else {
                throw AppError("\(found.count) employees are called \(name).")
            }
            try db.create(table: Session.databaseTableName, options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("employeeID", .integer).notNull()
            }
            try Session(employeeID: employee.employeeID).save(db)
            return "\(employee.firstName) \(employee.lastName)"
        }
    }

    /// My newest orders.
    func orders() async throws -> ArraySlice<OrderSummary> {
        try await database.read(myOrders).prefix(20)
    }

    /// My orders now, and again after each change.
    func followOrders() -> AsyncValueObservation<[OrderSummary]> {
        ValueObservation.tracking(myOrders).values(in: database)
    }

    func move(city: String, region: String?) async throws {
        try await database.write { db in
            var employee = try employee(db)
            try employee.updateChanges(db) { ($0.city, $0.region) = (city, region) }
        }
    }

    /// An order with its lines, in one transaction: without one of its products nothing is written.
    /// SQLite chooses the id, from a block of keys that no other device has.
    func addOrder(customer: String, lines: [OrderLine]) async throws -> Int64 {
        try await database.write { db in
            let known = try Customer.find(db, key: customer)
            let order = try Order(
                customerID: customer, employeeID: employee(db).employeeID,
                orderDate: LocalDate(Date()), shipName: known.companyName,
                shipAddress: known.address, shipCity: known.city, shipRegion: known.region,
                shipPostalCode: known.postalCode, shipCountry: known.country
            ).inserted(db)
            guard let id = order.orderID else { throw AppError("The order has no id.") }
            for line in lines {
                let product = try Product.find(db, key: line.product)
                // The price as it is stored, digit for digit.
                try OrderDetail(
                    orderID: id, productID: product.productID, unitPrice: product.unitPrice ?? 0,
                    quantity: line.quantity, discount: line.discount
                ).insert(db)
            }
            return id
        }
    }

    private func employee(_ db: Database) throws -> Employee {
        guard try db.tableExists(Session.databaseTableName), let session = try Session.fetchOne(db),
            let employee = try Employee.fetchOne(db, key: session.employeeID)
        else { throw AppError("Log in first: northwind login <name>") }
        return employee
    }

    private func myOrders(_ db: Database) throws -> [OrderSummary] {
        let employee = try employee(db).employeeID
        return try Order.filter { $0.employeeID == employee }
            .order { [$0.orderDate.desc, $0.orderID.desc] }
            .including(optional: Order.customer)
            .including(all: Order.orderDetails)
            .asRequest(of: OrderSummary.self).fetchAll(db)
    }
}

/// Who is at the keyboard.
private struct Session: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "app_session"
    var id = 1
    let employeeID: Int64
}
