import Foundation
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import NorthwindSample
import Testing

/// The settings of one run of the story.
struct StorySetting: Sendable, CustomTestStringConvertible {
    let kind: CentreKind
    let way: Way
    /// Rows of a page; `nil` for the default.
    let pageRows: Int?
    let order: Order

    /// Who syncs first. In the end everyone has synced.
    enum Order: String, Sendable {
        case firstA = "A, then B"
        case firstB = "B, then A"
        case together = "both at once"
    }

    var testDescription: String {
        let pages = pageRows.map { "pages of \($0) rows" } ?? "whole pages"
        return "\(kind.rawValue) \(way.rawValue), \(pages), \(order.rawValue)"
    }

    static let all: [StorySetting] = CentreKind.available.reversed().flatMap { kind in
        let way: Way = kind == .sqlite ? .direct : .http
        // A page takes MariaDB more than twice as long as PostgreSQL.
        let small = kind == .mariadb && !isNightly ? 50 : 10
        return [
            StorySetting(kind: kind, way: way, pageRows: nil, order: .firstA),
            StorySetting(kind: kind, way: way, pageRows: nil, order: .firstB),
            StorySetting(kind: kind, way: way, pageRows: nil, order: .together),
            StorySetting(kind: kind, way: way, pageRows: small, order: .firstA),
            StorySetting(kind: kind, way: way, pageRows: small, order: .firstB),
        ].filter { isNightly || $0.isOfTheDay }
    }

    /// By day: small pages on each database, whole pages on PostgreSQL, and each order once. Which
    /// of two parallel syncs is first is chance, so only the night runs them.
    private var isOfTheDay: Bool {
        switch (kind, order) {
        case (.postgres, .firstA): pageRows == nil
        case (.mariadb, .firstA), (.postgres, .firstB), (.sqlite, .firstB): pageRows != nil
        case (.mariadb, .firstB), (.sqlite, .firstA), (_, .together): false
        }
    }
}

/// Two travelling employees and the office. The story clones, changes rows in all three places,
/// syncs, and expects equal copies.
struct NorthwindStory {
    let sample: NorthwindSample
    let world: World
    let setting: StorySetting

    static func run(_ sample: NorthwindSample, _ setting: StorySetting) async throws {
        let dialect = setting.kind.dialect
        let statements = NorthwindSample.schema(for: dialect) + sample.statements(for: dialect)
        try await World.run(setting.kind, setting.way, schema: statements) { world in
            try await NorthwindStory(sample: sample, world: world, setting: setting).tell()
        }
    }

    private func tell() async throws {
        let a = try await world.clone("A", pageRows: setting.pageRows)
        let b = try await world.clone("B", pageRows: setting.pageRows)
        for device in [a, b] {
            let counts = try NorthwindSample.tableNames.map {
                Int(try device.text("SELECT count(*) FROM \"\($0)\"") ?? "") ?? 0
            }
            #expect(counts.reduce(0, +) == sample.rowCount)
        }
        #expect(try await world.differences(a, b) == [])

        try await offline(a, b)
        try await sync(a, b)
        #expect(try await world.differences(a, b) == [])
        try await seeTheFirstDay()

        try secondDay(a, b)
        try await sync(a, b)
        #expect(try await world.differences(a, b) == [])
        #expect(try await a.replica.refusedChanges.fetch().map(\.message) == [])
        #expect(try await b.replica.refusedChanges.fetch().map(\.message) == [])
    }

    private func sync(_ a: Device, _ b: Device) async throws {
        switch setting.order {
        case .firstA: try await a.replica.sync()
        case .firstB: try await b.replica.sync()
        case .together:
            async let first = a.replica.sync()
            async let second = b.replica.sync()
            _ = try await (first, second)
        }
        try await world.converge(a, b)
    }

    // MARK: Rows

    private func id(_ table: String, _ row: Int) -> String {
        switch sample[table][row][0] {
        case .integer(let number): String(number)
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        default: "NULL"
        }
    }

    private func order(_ row: Int) -> String { id("orders", row) }

    /// The first line of an order, as a condition.
    private func line(ofOrder row: Int) throws -> String {
        let key = sample["orders"][row][0]
        let line = try #require(sample["order_details"].first { $0[0] == key })
        guard case .integer(let product) = line[1] else { throw CancellationError() }
        return "order_id = \(order(row)) AND product_id = \(product)"
    }

    /// An employee who has a boss and is nobody's boss.
    private func employee() throws -> (id: String, newBoss: String) {
        let rows = sample["employees"]
        let column = try #require(
            NorthwindSample.descriptions.first { $0.name == "employees" }?
                .column(named: "reports_to"))
        let bosses = Set(rows.map { $0[column] })
        let moved = try #require(
            rows.firstIndex { !$0[column].isNull && !bosses.contains($0[0]) })
        let boss = try #require(
            rows.indices.first { rows[$0][0] != rows[moved][column] && $0 != moved })
        return (id("employees", moved), id("employees", boss))
    }

    // MARK: The first day

    /// All three change rows before anyone syncs.
    private func offline(_ a: Device, _ b: Device) async throws {
        let products = (0..<4).map { id("products", $0) }
        let customer = id("customers", 0)
        let worker = try employee()

        // A changes rows an hour before the others.
        try a.execute(
            """
            UPDATE orders SET ship_city = 'Ålesund' WHERE order_id = \(order(0));
            UPDATE orders SET ship_name = 'named by A' WHERE order_id = \(order(1));
            UPDATE orders SET ship_name = 'A too early' WHERE order_id = \(order(2));
            INSERT INTO orders (order_id, customer_id, employee_id, order_date, freight)
              VALUES (900001, \(customer), \(worker.id), '1899-12-31', '9.80');
            INSERT INTO order_details (order_id, product_id, unit_price, quantity, discount)
              VALUES (900001, \(products[0]), '14.00', 12, '0'), (900001, \(products[1]), '9.8', 10, '0.05');
            DELETE FROM order_details WHERE \(try line(ofOrder: 3));
            """)
        try a.makeEditsOlder()
        // B changes rows.
        try b.execute(
            """
            UPDATE orders SET freight = '12.50' WHERE order_id = \(order(0));
            UPDATE orders SET ship_name = 'named by B' WHERE order_id = \(order(1));
            INSERT INTO orders (order_id, customer_id, employee_id) VALUES (910001, \(customer), \(worker.id));
            INSERT INTO order_details (order_id, product_id, unit_price, quantity, discount)
              VALUES (910001, \(products[2]), '1.00', 1, '0.1');
            UPDATE employees SET reports_to = \(worker.newBoss) WHERE employee_id = \(worker.id);
            """)
        // The office writes directly to the central database.
        try world.centre.execute(
            """
            UPDATE orders SET ship_name = 'the office knows better' WHERE order_id = \(order(2));
            UPDATE orders SET ship_region = 'Møre' WHERE order_id = \(order(0));
            UPDATE customers SET contact_name = 'Zoë 👩🏽‍🚀', fax = '' WHERE customer_id = \(customer);
            INSERT INTO customers (customer_id, company_name) VALUES ('NEW01', 'Straight in');
            INSERT INTO orders (order_id, customer_id) VALUES (920001, 'NEW01');
            INSERT INTO order_details (order_id, product_id, unit_price, quantity, discount)
              VALUES (920001, \(products[3]), 5, 5, 0);
            DELETE FROM order_details WHERE \(try line(ofOrder: 4));
            DELETE FROM order_details WHERE order_id = \(order(5));
            DELETE FROM orders WHERE order_id = \(order(5));
            """)
    }

    private func seeTheFirstDay() async throws {
        func central(_ column: String, _ row: Int) throws -> String? {
            try world.centre.text("SELECT \(column) FROM orders WHERE order_id = \(order(row))")
        }
        // They changed different columns of one order, so all three values remain.
        #expect(try central("ship_city", 0) == "Ålesund")
        #expect(
            try central(
                "CAST(freight AS \(setting.kind == .mariadb ? "double" : "real"))", 0) == "12.5")
        #expect(try central("ship_region", 0) == "Møre")
        // They changed the same column: the later value remains, and the conflict log has the other
        // one.
        #expect(try central("ship_name", 1) == "named by B")
        #expect(try central("ship_name", 2) == "the office knows better")
        let conflicts = try await world.conflicts()
        #expect(conflicts.count == 2, "\(conflicts)")
        #expect(conflicts.contains { $0.contains("named by A") })
        #expect(conflicts.contains { $0.contains("A too early") })
        // Orders with their lines, from everywhere.
        for (key, lines) in [(900_001, 2), (910_001, 1), (920_001, 1)] {
            let sql = "SELECT count(*) FROM order_details WHERE order_id = \(key)"
            #expect(try world.centre.count(sql) == lines)
        }
        for row in [3, 4] {
            let sql = "SELECT count(*) FROM order_details WHERE \(try line(ofOrder: row))"
            #expect(try world.centre.count(sql) == 0)
        }
        let worker = try employee()
        let boss = try world.centre.text(
            "SELECT reports_to FROM employees WHERE employee_id = \(worker.id)")
        #expect(boss == worker.newBoss)
    }

    // MARK: The second day

    /// What one side made, another one changes and removes.
    private func secondDay(_ a: Device, _ b: Device) throws {
        try a.execute(
            """
            UPDATE orders SET freight = '0.01' WHERE order_id = 910001;
            DELETE FROM order_details WHERE order_id = 920001;
            DELETE FROM orders WHERE order_id = 920001;
            DELETE FROM customers WHERE customer_id = 'NEW01';
            """)
        try b.execute(
            """
            UPDATE order_details SET quantity = quantity + 1 WHERE order_id = 900001;
            UPDATE orders SET ship_name = NULL WHERE order_id = \(order(1));
            """)
        try world.centre.execute(
            """
            DELETE FROM order_details WHERE order_id = 910001;
            UPDATE order_details SET discount = '0.50' WHERE order_id = 900001;
            UPDATE products SET unit_price = unit_price + 1;
            """)
    }
}
