import MoorageCore

@testable import Moorage

/// Customers, their orders and the orders' lines. The keys are a text, an integer, and two columns.
enum Shop {
    static let schema = SchemaDescription(tables: [
        TableDescription(
            name: "customer",
            columns: [
                .column("id", .text), .column("email", .text), .column("name", .text),
                .column("boss", .text),
            ], primaryKey: [0], uniqueKeys: [[1]],
            foreignKeys: [
                ForeignKey(columns: [3], referencedTable: "customer", referencedColumns: ["id"])
            ]),
        TableDescription(
            name: "orders",
            columns: [
                .column("id", .integer), .column("customer", .text), .column("freight", .decimal),
                .column("note", .text),
            ], primaryKey: [0],
            foreignKeys: [
                ForeignKey(columns: [1], referencedTable: "customer", referencedColumns: ["id"])
            ]),
        TableDescription(
            name: "line",
            columns: [
                .column("orders", .integer), .column("number", .integer),
                .column("quantity", .integer),
            ], primaryKey: [0, 1],
            foreignKeys: [
                ForeignKey(
                    columns: [0], referencedTable: "orders", referencedColumns: ["id"],
                    onDelete: .cascade)
            ]),
    ])

    static let sql = """
        CREATE TABLE customer(
          id TEXT PRIMARY KEY, email TEXT UNIQUE, name TEXT, boss TEXT REFERENCES customer(id));
        CREATE TABLE orders(
          id INTEGER PRIMARY KEY, customer TEXT REFERENCES customer(id), freight NUMERIC,
          note TEXT, draft TEXT);
        CREATE TABLE line(
          orders INTEGER REFERENCES orders(id) ON DELETE CASCADE, number INTEGER, quantity INTEGER,
          PRIMARY KEY(orders, number));
        """

    static func tables(_ first: ReplicaTable.FirstContact = .refuse) -> [ReplicaTable] {
        ["line", "customer", "orders"].map { .table($0, firstContact: first) }
    }

    static func device(
        _ more: String = "", first: ReplicaTable.FirstContact = .refuse
    ) throws -> Device {
        let device = try Device(sql + more, tables: tables(first))
        try device.adopt(schema)
        return device
    }

    static func hub() -> FakeHub {
        let hub = FakeHub(schema)
        hub.put(
            "customer", [.text("a"), .text("a@x"), .text("Anna"), .null],
            [.text("b"), .text("b@x"), .text("Bert"), .text("a")])
        hub.put("orders", [.integer(1), .text("a"), .text("9.80"), .text("first")])
        hub.put("line", [.integer(1), .integer(1), .integer(10)])
        return hub
    }
}
