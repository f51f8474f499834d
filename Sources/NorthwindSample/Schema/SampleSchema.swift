/// The 13 tables, parents before children.
enum SampleSchema {
    static let tables: [SampleTable] = [
        table(
            "region", key: ["region_id"],
            [integer("region_id"), string("region_description", 60, required: true)]),
        table(
            "territories", key: ["territory_id"],
            [
                string("territory_id", 20), string("territory_description", 60, required: true),
                integer("region_id", required: true),
            ],
            [("region_id", "region", "region_id")]),
        table(
            "categories", key: ["category_id"],
            [
                integer("category_id"), string("category_name", 15, required: true),
                column("description", .text), column("picture", .blob),
            ]),
        table(
            "suppliers", key: ["supplier_id"],
            [integer("supplier_id")] + company + [column("homepage", .text)]),
        table(
            "products", key: ["product_id"],
            [
                integer("product_id"), string("product_name", 40, required: true),
                integer("supplier_id"), integer("category_id"), string("quantity_per_unit", 20),
                column("unit_price", .decimal(10, 2)), integer("units_in_stock"),
                integer("units_on_order"), integer("reorder_level"),
                column("discontinued", .boolean, required: true),
            ],
            [
                ("supplier_id", "suppliers", "supplier_id"),
                ("category_id", "categories", "category_id"),
            ]),
        table(
            "shippers", key: ["shipper_id"],
            [
                integer("shipper_id"), string("company_name", 40, required: true),
                string("phone", 24),
            ]),
        table("customers", key: ["customer_id"], [string("customer_id", 5)] + company),
        table(
            "employees", key: ["employee_id"], employee,
            [("reports_to", "employees", "employee_id")]),
        table(
            "employee_territories", key: ["employee_id", "territory_id"],
            [integer("employee_id"), string("territory_id", 20)],
            [
                ("employee_id", "employees", "employee_id"),
                ("territory_id", "territories", "territory_id"),
            ]),
        table(
            "orders", key: ["order_id"], order,
            [
                ("customer_id", "customers", "customer_id"),
                ("employee_id", "employees", "employee_id"),
                ("ship_via", "shippers", "shipper_id"),
            ]),
        table(
            "order_details", key: ["order_id", "product_id"],
            [
                integer("order_id"), integer("product_id"),
                column("unit_price", .decimal(10, 2), required: true),
                integer("quantity", required: true),
                column("discount", .decimal(4, 2), required: true),
            ],
            [("order_id", "orders", "order_id"), ("product_id", "products", "product_id")]),
        table(
            "customer_demographics", key: ["customer_type_id"],
            [string("customer_type_id", 5), column("customer_desc", .text)]),
        table(
            "customer_customer_demo", key: ["customer_id", "customer_type_id"],
            [string("customer_id", 5), string("customer_type_id", 5)],
            [
                ("customer_id", "customers", "customer_id"),
                ("customer_type_id", "customer_demographics", "customer_type_id"),
            ]),
    ]

    private static let address = [
        string("address", 60), string("city", 15), string("region", 15), string("postal_code", 10),
        string("country", 15),
    ]

    private static let company =
        [
            string("company_name", 40, required: true), string("contact_name", 30),
            string("contact_title", 30),
        ] + address + [string("phone", 24), string("fax", 24)]

    private static let employee =
        [
            integer("employee_id"), string("last_name", 20, required: true),
            string("first_name", 10, required: true), string("title", 30),
            string("title_of_courtesy", 25), column("birth_date", .date),
            column("hire_date", .date),
        ] + address + [
            string("home_phone", 24), string("extension", 4), column("photo", .blob),
            column("notes", .text), integer("reports_to"), string("photo_path", 255),
        ]

    private static let order = [
        integer("order_id"), string("customer_id", 5), integer("employee_id"),
        column("order_date", .date), column("required_date", .date), column("shipped_date", .date),
        integer("ship_via"), column("freight", .decimal(10, 2)), string("ship_name", 40),
        string("ship_address", 60), string("ship_city", 15), string("ship_region", 15),
        string("ship_postal_code", 10), string("ship_country", 15),
    ]

    private static func table(
        _ name: String, key: [String], _ columns: [SampleTable.Column],
        _ references: [(column: String, table: String, referencedColumn: String)] = []
    ) -> SampleTable {
        SampleTable(
            name: name, columns: columns, primaryKey: key,
            references: references.map {
                .init(column: $0.column, table: $0.table, referencedColumn: $0.referencedColumn)
            })
    }

    private static func column(
        _ name: String, _ kind: SampleTable.Kind, required: Bool = false
    ) -> SampleTable.Column {
        .init(name: name, kind: kind, isRequired: required)
    }

    private static func integer(_ name: String, required: Bool = false) -> SampleTable.Column {
        column(name, .integer, required: required)
    }

    private static func string(
        _ name: String, _ length: Int, required: Bool = false
    ) -> SampleTable.Column {
        column(name, .string(length), required: required)
    }
}
