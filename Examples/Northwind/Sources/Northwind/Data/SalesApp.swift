import Foundation
import GRDB
import Moorage

/// What the employee does. Nothing here knows that the file is synced: it reads and writes records
/// of GRDB, which the build makes from moorage.schema.json.
struct SalesApp {
    let database: DatabaseQueue

    /// Until the hub hands out blocks of keys, each employee has a range of order ids of their own,
    /// so that two of them never invent the same one. See README.md.
    static func orderIDs(of employee: Int64) -> ClosedRange<Int64> {
        employee * 1_000_000...employee * 1_000_000 + 999_999
    }

    /// Remembers who is at the keyboard, in a table of the app's own that is not synced.
    func logIn(_ name: String) async throws -> String {
        try await database.write { db in
            let found = try Employee.fetchAll(db).filter {
                [$0.lastName, $0.firstName, "\($0.firstName) \($0.lastName)"].contains(name)
            }
            guard let employee = found.first, found.count == 1 else {
                throw AppError(
                    found.isEmpty
                        ? "There is no employee \(name)."
                        : "There are \(found.count) employees \(name); give the full name.")
            }
            try Session.createTable(db)
            try Session.deleteAll(db)
            try Session(employeeID: employee.employeeID).insert(db)
            return "\(employee.firstName) \(employee.lastName)"
        }
    }

    func printOrders() async throws {
        let orders = try await database.read { db in
            let employee = try employee(db)
            return
                try Order
                .filter { $0.employeeID == employee.employeeID }
                .order { [$0.orderDate.desc, $0.orderID.desc] }
                .limit(20)
                .including(optional: Order.customer)
                .including(all: Order.orderDetails)
                .asRequest(of: OrderSummary.self)
                .fetchAll(db)
        }
        if orders.isEmpty { print("You have no orders.") }
        for order in orders { print(order) }
    }

    func move(city: String, region: String?) async throws {
        try await database.write { db in
            var employee = try employee(db)
            try employee.updateChanges(db) { ($0.city, $0.region) = (city, region) }
        }
    }

    /// An order with its lines, in one transaction; foreign keys are checked here as everywhere.
    func addOrder(customer: String, lines: [OrderLine]) async throws -> Int64 {
        try await database.write { db in
            let employee = try employee(db).employeeID
            guard let known = try Customer.fetchOne(db, key: customer) else {
                throw AppError("There is no customer \(customer).")
            }
            let order = Order(
                orderID: try nextOrderID(db, employee), customerID: customer, employeeID: employee,
                orderDate: LocalDate(Date()), shipName: known.companyName,
                shipAddress: known.address, shipCity: known.city, shipRegion: known.region,
                shipPostalCode: known.postalCode, shipCountry: known.country)
            try order.insert(db)
            for line in lines {
                guard let product = try Product.fetchOne(db, key: line.product) else {
                    throw AppError("There is no product \(line.product); nothing was written.")
                }
                // The price as it is stored, digit for digit.
                try OrderDetail(
                    orderID: order.orderID, productID: product.productID,
                    unitPrice: product.unitPrice ?? 0, quantity: line.quantity,
                    discount: line.discount
                ).insert(db)
            }
            return order.orderID
        }
    }

    private func nextOrderID(_ db: Database, _ employee: Int64) throws -> Int64 {
        let range = Self.orderIDs(of: employee)
        let last =
            try Order
            .filter { range.contains($0.orderID) }
            .order { $0.orderID.desc }
            .fetchOne(db)
        let next = last.map { $0.orderID + 1 } ?? range.lowerBound
        guard range.contains(next) else { throw AppError("Your range of order ids is used up.") }
        return next
    }

    private func employee(_ db: Database) throws -> Employee {
        guard try db.tableExists(Session.databaseTableName), let session = try Session.fetchOne(db),
            let employee = try Employee.fetchOne(db, key: session.employeeID)
        else { throw AppError("Log in first: northwind login <name>") }
        return employee
    }
}

/// Who is at the keyboard.
private struct Session: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "app_session"
    let employeeID: Int64

    static func createTable(_ db: Database) throws {
        try db.create(table: databaseTableName, options: .ifNotExists) { table in
            table.column("employeeID", .integer).notNull()
        }
    }
}

/// An order as the list shows it.
private struct OrderSummary: Decodable, FetchableRecord, Sendable, CustomStringConvertible {
    let order: Order
    let customer: Customer?
    let orderDetails: [OrderDetail]

    private var total: Decimal {
        orderDetails.reduce(0) { sum, line in
            let (price, discount) = (line.unitPrice.decimal ?? 0, line.discount.decimal ?? 0)
            return sum + price * Decimal(line.quantity) * (1 - discount)
        }
    }

    var description: String {
        let sum = String(format: "%10.2f", Double(truncating: total as NSDecimalNumber))
        let date = order.orderDate?.description ?? "          "
        return "\(order.orderID)  \(date)  \(sum)  \(orderDetails.count) lines  "
            + (customer?.companyName ?? "–")
    }
}
