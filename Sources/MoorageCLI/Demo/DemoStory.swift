#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import NorthwindSample

    /// The whole story: a central database with its hub in this process, and two devices.
    struct DemoStory {
        private let console = Console(showsProgress: false)
        private let folder: URL

        /// - Parameter folder: Where the databases stay; without one they are removed at the end.
        static func run(folder: String?) async throws {
            let files = FileManager.default
            let url =
                folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
                ?? files.temporaryDirectory.appendingPathComponent("moorage-\(UUID().uuidString)")
            try files.createDirectory(at: url, withIntermediateDirectories: true)
            defer {
                if folder == nil { removeFolder(url) }
            }
            for name in ["central.db", "anna.db", "ben.db"]
            where files.fileExists(atPath: url.appendingPathComponent(name).path) {
                throw CommandFailure.demoExists(url.path, file: name)
            }
            try await DemoStory(folder: url).tell()
        }

        private static func removeFolder(_ url: URL) {
            do {
                try FileManager.default.removeItem(at: url)
            } catch {
                Console.error("moorage: The folder \(url.path) could not be removed: \(error)")
            }
        }

        private init(folder: URL) { self.folder = folder }

        private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

        private func say(_ line: String) { console.print(line) }

        private func tell() async throws {
            let start = ContinuousClock.now
            say("1. A central database, and a hub on it")
            let central = try DemoDatabase(name: "the centre", path: path("central.db"))
            let hub = try await makeHub(central)
            let check = DemoCheck(tables: try await hub.schema().schema.tables)

            say("\n2. Two devices clone it")
            let anna = try await clone("Anna", "anna.db", hub, check)
            let ben = try await clone("Ben", "ben.db", hub, check)

            say("\n3. Both work offline, and a third program writes at the centre")
            let orders = try await pick(central)
            try await editOffline(anna.database, ben.database, central, orders)

            say("\n4. They sync: Ben, Anna, Ben again")
            try await sync(ben)
            try await sync(anna)
            try await sync(ben)

            say("\n5. What became of the edits")
            try await tellOutcome(central, hub, orders)

            say("\n6. All three are equal, row by row")
            try await compare([central, anna.database, ben.database], check)
            let took = start.duration(to: .now).components
            let tenths = took.seconds * 10 + took.attoseconds / 100_000_000_000_000_000
            say("\nDone in \(tenths / 10).\(tenths % 10) s.")
        }

        // MARK: The parts of the story

        private struct Device {
            let database: DemoDatabase
            let replica: Replica
        }

        /// The orders that the story is about.
        private struct Orders {
            let shared: Int64
            let contested: Int64
            let shortened: Int64
            let product: Int64
            let employee: Int64
            let chief: Int64
            let new: Int64
        }

        private func makeHub(_ central: DemoDatabase) async throws -> Hub {
            let sample = NorthwindSample(seed: 1, size: 1)
            try await central.queue.write { db in
                for statement in NorthwindSample.schema(for: .sqlite)
                    + sample.statements(for: .sqlite)
                {
                    try db.execute(sql: statement)
                }
            }
            let hub = Hub(database: try SQLiteDatabase(path: path("central.db")))
            let report = try await hub.attach()
            say(
                "   \(sample.rowCount) rows in \(report.attached.count) tables, all of them tracked"
            )
            return hub
        }

        private func clone(
            _ name: String, _ file: String, _ hub: Hub, _ check: DemoCheck
        ) async throws -> Device {
            let start = ContinuousClock.now
            let replica = try await ReplicaFile(path: path(file)).clone(
                from: .direct(hub), at: nil, tables: [], progress: { _ in })
            let database = try DemoDatabase(name: name, path: path(file))
            let milliseconds = start.duration(to: .now) / .milliseconds(1)
            let count = try await check.rowCount(database)
            say("   \(name) has \(count) rows after \(Int(milliseconds)) ms")
            return Device(database: database, replica: replica)
        }

        private func pick(_ central: DemoDatabase) async throws -> Orders {
            let shared = try await central.integer("SELECT min(order_id) FROM orders")
            let shortened = try await central.integer(
                """
                SELECT order_id FROM order_details WHERE order_id > \(shared) + 1
                GROUP BY order_id HAVING count(*) >= 2 ORDER BY order_id LIMIT 1
                """)
            return Orders(
                shared: shared,
                contested: try await central.integer(
                    "SELECT min(order_id) FROM orders WHERE order_id > \(shared)"),
                shortened: shortened,
                product: try await central.integer(
                    "SELECT min(product_id) FROM order_details WHERE order_id = \(shortened)"),
                employee: try await central.integer(
                    "SELECT max(employee_id) FROM employees WHERE reports_to IS NOT NULL"),
                chief: try await central.integer(
                    "SELECT min(employee_id) FROM employees WHERE reports_to IS NULL"),
                new: try await central.integer("SELECT max(order_id) FROM orders") + 1_000)
        }

        private func editOffline(
            _ anna: DemoDatabase, _ ben: DemoDatabase, _ central: DemoDatabase, _ orders: Orders
        ) async throws {
            say("   Anna: order \(orders.shared) goes to Reims; order \(orders.contested) to Lyon")
            try await anna.write(
                "UPDATE orders SET ship_city = 'Reims' WHERE order_id = \(orders.shared)",
                "UPDATE orders SET ship_city = 'Lyon' WHERE order_id = \(orders.contested)")
            say("   Anna: a new order \(orders.new) with two lines; one line of another removed")
            let other = try await anna.integer(
                """
                SELECT min(product_id) FROM products
                WHERE product_id <> \(orders.product)
                """)
            try await anna.write(
                """
                INSERT INTO orders (order_id, customer_id, employee_id, order_date, freight)
                SELECT \(orders.new), min(customer_id), \(orders.employee), '2026-01-05', '9.80'
                FROM customers
                """,
                """
                INSERT INTO order_details (order_id, product_id, unit_price, quantity, discount)
                VALUES (\(orders.new), \(orders.product), '12.50', 3, '0'),
                       (\(orders.new), \(other), '4.00', 10, '0.05')
                """,
                """
                DELETE FROM order_details
                WHERE order_id = \(orders.shortened) AND product_id = \(orders.product)
                """)
            // The later edit wins, as well as clocks can tell: an exchange measures the device's
            // clock with an error of its own delay. An hour is longer than any exchange takes.
            try await anna.makeEditsOlder()
            say("   Ben:  order \(orders.shared) costs 42.00; order \(orders.contested) to Nice,")
            say("         an hour after Anna; employee \(orders.employee) has another chief")
            try await ben.write(
                "UPDATE orders SET freight = '42.00' WHERE order_id = \(orders.shared)",
                "UPDATE orders SET ship_city = 'Nice' WHERE order_id = \(orders.contested)",
                """
                UPDATE employees SET reports_to = \(orders.chief)
                WHERE employee_id = \(orders.employee)
                """)
            say("   The centre: a customer's phone changes, a shipper is added")
            try await central.write(
                """
                UPDATE customers SET phone = '030-0074321'
                WHERE customer_id = (SELECT min(customer_id) FROM customers)
                """,
                """
                INSERT INTO shippers (shipper_id, company_name)
                SELECT max(shipper_id) + 1, 'Ærlig Fragt' FROM shippers
                """)
        }

        private func sync(_ device: Device) async throws {
            let summary = try await device.replica.sync()
            say("   \(device.database.name): \(ReplicaReport.line(summary))")
            guard summary.isCaughtUp else {
                throw CommandFailure.demoNotCaughtUp(device.database.name)
            }
        }

        private func tellOutcome(
            _ central: DemoDatabase, _ hub: Hub, _ orders: Orders
        ) async throws {
            func order(_ column: String, _ id: Int64) async throws -> String {
                try await central.text(
                    "SELECT CAST(\(column) AS TEXT) FROM orders WHERE order_id = \(id)")
            }
            let city = try await order("ship_city", orders.shared)
            let freight = try await order("freight", orders.shared)
            say("   Order \(orders.shared): \(city), \(freight). Different columns, both survive")
            let winner = try await order("ship_city", orders.contested)
            say("   Order \(orders.contested): \(winner). The same column: the later edit stands")
            let conflicts = try await hub.conflicts()
            for conflict in conflicts {
                say(
                    """
                       Conflict log: \(conflict.table) \(conflict.key), rule \
                    \(conflict.rule ?? "none"): \(conflict.mine ?? "nothing") lost against \
                    \(conflict.theirs ?? "nothing")
                    """)
            }
            try expect(
                city == "Reims" && freight.hasPrefix("42"), "both edits of one order survive")
            try expect(winner == "Nice", "the later edit of one column wins")
            try expect(conflicts.count == 1, "the loser is in the conflict log")
            let lines = try await central.integer(
                "SELECT count(*) FROM order_details WHERE order_id = \(orders.new)")
            try expect(lines == 2, "the new order came with its lines")
            let removed = try await central.integer(
                """
                SELECT count(*) FROM order_details
                WHERE order_id = \(orders.shortened) AND product_id = \(orders.product)
                """)
            try expect(removed == 0, "the removed line is gone")
        }

        private func compare(_ databases: [DemoDatabase], _ check: DemoCheck) async throws {
            guard let first = databases.first else { return }
            for database in databases.dropFirst() {
                let differences = try await check.differences(first, database)
                for line in differences.prefix(20) { say("   \(line)") }
                try expect(
                    differences.isEmpty, "\(first.name) and \(database.name) have the same rows")
            }
            for database in databases {
                let broken = try await database.brokenReferences()
                try expect(broken == 0, "every reference of \(database.name) leads to a row")
                say("   \(database.name): \(try await check.rowCount(database)) rows")
            }
        }

        private func expect(_ isTrue: Bool, _ what: String) throws {
            guard isTrue else { throw CommandFailure.demoFailed(what) }
        }
    }
#endif
