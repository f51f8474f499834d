import Foundation
import GRDB

/// What the employee does. Nothing here knows that the file is synced: it is plain SQL on plain
/// tables.
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
            let found = try Row.fetchAll(
                db,
                sql: """
                    SELECT employee_id, first_name, last_name
                    FROM employees
                    WHERE last_name = :name OR first_name = :name
                       OR first_name || ' ' || last_name = :name
                    """, arguments: ["name": name])
            guard let row = found.first, found.count == 1 else {
                throw AppError(
                    found.isEmpty
                        ? "There is no employee \(name)."
                        : "There are \(found.count) employees \(name); give the full name.")
            }
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS app_session (employee_id INTEGER NOT NULL)")
            try db.execute(sql: "DELETE FROM app_session")
            let id: Int64 = row["employee_id"]
            try db.execute(sql: "INSERT INTO app_session VALUES (?)", arguments: [id])
            return "\(row["first_name"] as String) \(row["last_name"] as String)"
        }
    }

    func printOrders() async throws {
        let orders = try await database.read { db in
            try OrderSummary.fetchAll(
                db,
                sql: """
                    SELECT o.order_id AS id, o.order_date AS date, c.company_name AS company,
                           count(d.product_id) AS lines,
                           coalesce(sum(d.unit_price * d.quantity * (1 - d.discount)), 0) AS total
                    FROM orders o
                    LEFT JOIN customers c ON c.customer_id = o.customer_id
                    LEFT JOIN order_details d ON d.order_id = o.order_id
                    WHERE o.employee_id = ?
                    GROUP BY o.order_id
                    ORDER BY o.order_date DESC, o.order_id DESC
                    LIMIT 20
                    """, arguments: [try employee(db)])
        }
        if orders.isEmpty { print("You have no orders.") }
        for order in orders { print(order) }
    }

    func move(city: String, region: String?) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE employees SET city = ?, region = ? WHERE employee_id = ?",
                arguments: [city, region, try employee(db)])
        }
    }

    /// An order with its lines, in one transaction; foreign keys are checked here as everywhere.
    func addOrder(customer: String, lines: [OrderLine]) async throws -> Int64 {
        let today = Self.today()
        return try await database.write { db in
            let employee = try employee(db)
            guard
                let known = try Row.fetchOne(
                    db, sql: "SELECT * FROM customers WHERE customer_id = ?", arguments: [customer])
            else { throw AppError("There is no customer \(customer).") }
            let id = try nextOrderID(db, employee)
            try db.execute(
                sql: """
                    INSERT INTO orders
                        (order_id, customer_id, employee_id, order_date, ship_name, ship_address,
                         ship_city, ship_region, ship_postal_code, ship_country)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id, customer, employee, today, known["company_name"] as String?,
                    known["address"] as String?, known["city"] as String?,
                    known["region"] as String?,
                    known["postal_code"] as String?, known["country"] as String?,
                ])
            for line in lines {
                // The price as it is stored, digit for digit.
                try db.execute(
                    sql: """
                        INSERT INTO order_details (order_id, product_id, unit_price, quantity, discount)
                        SELECT ?, product_id, coalesce(unit_price, 0), ?, ?
                        FROM products WHERE product_id = ?
                        """, arguments: [id, line.quantity, line.discount, line.product])
                guard db.changesCount == 1 else {
                    throw AppError("There is no product \(line.product); nothing was written.")
                }
            }
            return id
        }
    }

    private func nextOrderID(_ db: Database, _ employee: Int64) throws -> Int64 {
        let range = Self.orderIDs(of: employee)
        let last = try Int64.fetchOne(
            db, sql: "SELECT max(order_id) FROM orders WHERE order_id BETWEEN ? AND ?",
            arguments: [range.lowerBound, range.upperBound])
        let next = last.map { $0 + 1 } ?? range.lowerBound
        guard range.contains(next) else { throw AppError("Your range of order ids is used up.") }
        return next
    }

    private func employee(_ db: Database) throws -> Int64 {
        guard try db.tableExists("app_session"),
            let id = try Int64.fetchOne(db, sql: "SELECT employee_id FROM app_session")
        else { throw AppError("Log in first: northwind login <name>") }
        return id
    }

    private static func today() -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let parts = calendar.dateComponents([.year, .month, .day], from: Date())
        return String(format: "%04d-%02d-%02d", parts.year ?? 1, parts.month ?? 1, parts.day ?? 1)
    }
}

/// An order as the list shows it: a plain GRDB record.
private struct OrderSummary: Decodable, FetchableRecord, Sendable, CustomStringConvertible {
    let id: Int64
    let date: String?
    let company: String?
    let lines: Int
    let total: Double

    var description: String {
        let sum = String(format: "%10.2f", total)
        return "\(id)  \(date ?? "          ")  \(sum)  \(lines) lines  \(company ?? "–")"
    }
}
