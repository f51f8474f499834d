import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import MoorageGenerator

@Suite(.ownThreads) struct `Generated records` {
    private static func models(
        _ tables: [TableDescription], _ details: [Identifier: TableDetails] = [:],
        _ options: ModelOptions = ModelOptions()
    ) -> String {
        SchemaFile(schema: SchemaDescription(tables: tables), details: details)
            .swiftModels(options)
    }

    @Test func `look like this`() {
        let file = `A schema file`.file
        #expect(
            file.swiftModels() == """
                // Made by `moorage generate swift` from moorage.schema.json. Do not edit.
                // Signature: \(file.signature)
                // swift-format-ignore-file

                import GRDB
                import Moorage

                /// A row of `customers`.
                nonisolated struct Customer: Codable, Hashable, Identifiable, Sendable, FetchableRecord, MutablePersistableRecord {
                    static let databaseTableName = "customers"

                    var id: Int64?
                    var name: String?

                    init(
                        id: Int64? = nil,
                        name: String? = nil
                    ) {
                        self.id = id
                        self.name = name
                    }

                    /// The columns, for requests.
                    enum Columns {
                        static let id = Column("id")
                        static let name = Column("name")
                    }

                    /// Each `Order` that refers to the row.
                    static var orders: HasManyAssociation<Customer, Order> {
                        hasMany(Order.self, using: Order.ForeignKeys.customer)
                            .forKey("orders")
                    }
                }

                nonisolated extension Customer {
                    enum CodingKeys: String, CodingKey {
                        case id = "id"
                        case name = "name"
                    }

                    init(row: GRDB.Row) throws {
                        id = try row.exactly("id")
                        name = try row.exactly("name")
                    }

                    func encode(to container: inout PersistenceContainer) throws {
                        container["id"] = id
                        container["name"] = name
                    }

                    /// SQLite chose the key, if nobody else did.
                    mutating func didInsert(_ inserted: InsertionSuccess) {
                        if self.id == nil, inserted.rowIDColumn != nil { self.id = inserted.rowID }
                    }
                }

                /// What {was} [bought].
                nonisolated struct Order: Codable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
                    static let databaseTableName = "orders"

                    var id: TextUUID
                    var customerID: Int64?
                    var status: Status

                    init(
                        id: TextUUID,
                        customerID: Int64? = nil,
                        status: Status = .open
                    ) {
                        self.id = id
                        self.customerID = customerID
                        self.status = status
                    }

                    /// The columns, for requests.
                    enum Columns {
                        static let id = Column("id")
                        static let customerID = Column("customer_id")
                        static let status = Column("status")
                    }

                    /// The foreign keys, for associations.
                    enum ForeignKeys {
                        static let customer = GRDB.ForeignKey(
                            ["customer_id"], to: ["id"])
                    }

                    /// The `Customer` that the row refers to.
                    static var customer: BelongsToAssociation<Order, Customer> {
                        belongsTo(Customer.self, using: ForeignKeys.customer)
                            .forKey("customer")
                    }

                    /// What `status` may be.
                    enum Status: RawRepresentable, Codable, Hashable, Sendable, DatabaseValueConvertible {
                        case open
                        case closed
                        /// A label that this version of the app does not know.
                        case unrecognized(String)

                        /// All labels that this version of the app knows.
                        static let known: [Status] = [
                            .open,
                            .closed,
                        ]

                        init(rawValue: String) {
                            self =
                                Self.known.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }
                                ?? .unrecognized(rawValue)
                        }

                        var rawValue: String {
                            switch self {
                            case .open: "open"
                            case .closed: "closed"
                            case .unrecognized(let label): label
                            }
                        }
                    }
                }

                nonisolated extension Order {
                    enum CodingKeys: String, CodingKey {
                        case id = "id"
                        case customerID = "customer_id"
                        case status = "status"
                    }

                    init(row: GRDB.Row) throws {
                        id = try row.decode(forColumn: "id")
                        customerID = try row.exactly("customer_id")
                        status = try row.exactly("status")
                    }

                    func encode(to container: inout PersistenceContainer) throws {
                        container["id"] = id
                        container["customer_id"] = customerID
                        container["status"] = status
                    }
                }

                nonisolated extension GRDB.Row {
                    /// A value that the record would write as it is.
                    /// - Throws: `DatabaseError` if the column contains one of another type.
                    fileprivate func exactly<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
                        let stored = try decode(DatabaseValue.self, forColumn: column)
                        if let value = Value.fromDatabaseValue(stored) {
                            if value.databaseValue == stored { return value }
                            // Each integer but 0 is true.
                            if value is Bool, case .int64 = stored.storage { return value }
                        }
                        throw DatabaseError(
                            resultCode: .SQLITE_MISMATCH,
                            message: "The column \\(column) contains a value of another type.")
                    }
                }

                """)
    }

    @Test func `are the same each time, whatever the tables' order`() {
        let (orders, customers) = (`A schema file`.orders, `A schema file`.customers)
        #expect(Self.models([orders, customers]) == Self.models([customers, orders]))
    }

    @Test func `read what the database computes, and never write it`() {
        let table = TableDescription(
            name: "lines",
            columns: [
                ColumnDescription(name: "id", type: .integer, isNullable: false),
                ColumnDescription(
                    name: "total", type: .decimal, isNullable: false, isGenerated: true),
            ], primaryKey: [0], uniqueKeys: [], foreignKeys: [])
        let text = Self.models([table])
        #expect(text.contains("import Moorage\n"))
        #expect(
            text.contains(
                "    /// The hub's side writes it, and no app.\n    var total: ExactDecimal?")
        )
        #expect(!text.contains(#"container["total"]"#))
    }

    @Test(arguments: [TableDirection.down, .downReverting])
    func `of a table that only the hub writes cannot be saved`(direction: TableDirection) {
        let table = TableDescription(
            name: "prices",
            columns: [ColumnDescription(name: "id", type: .integer, isNullable: false)],
            primaryKey: [0], uniqueKeys: [], foreignKeys: [], direction: direction)
        let text = Self.models([table])
        #expect(text.contains("FetchableRecord, TableRecord {"))
        #expect(!text.contains("func encode"))
    }

    @Test func `say public where they are to be`() {
        let text = Self.models(
            [`A schema file`.customers], [:], ModelOptions(access: .public, uuids: .blob))
        #expect(text.contains("public import GRDB\n"))
        #expect(text.contains("nonisolated public struct Customer"))
        #expect(text.contains("    public var name: String?"))
    }

    @Test func `store UUIDs as bytes where they are to`() {
        let orders = `A schema file`.orders
        let text = Self.models([orders], [:], ModelOptions(uuids: .blob))
        #expect(text.contains("import Foundation\n"))
        #expect(text.contains("    var id: UUID\n"))
    }

    @Test func `have a name each, whatever the tables and columns are called`() {
        func table(_ name: String, _ columns: [String]) -> TableDescription {
            TableDescription(
                name: name,
                columns: columns.map {
                    ColumnDescription(name: $0, type: .integer, isNullable: false)
                }, primaryKey: [0], uniqueKeys: [], foreignKeys: [])
        }
        let text = Self.models([
            table("string", ["class", "Columns", "a b", "a_b", "limit", "row"]),
            table("strings", ["--", "insert"]),
            table("rows", ["1st"]),
        ])
        #expect(text.contains("struct StringRecord:"))
        #expect(text.contains("struct StringRecord2:"))
        #expect(text.contains("struct RowRecord:"))
        for name in [
            "`class`", "columns", "aB", "aB2", "unnamed", "insert2", "_1st", "limit", "row2",
        ] {
            #expect(text.contains("    var \(name): Int64\n"))
        }
    }

    @Test func `have types that no other record and no property has`() {
        let orders = TableDescription(
            name: "orders",
            columns: [
                ColumnDescription(name: "id", type: .integer, isNullable: false),
                ColumnDescription(name: "status", type: .text),
                ColumnDescription(name: "状态", type: .text),
            ], primaryKey: [0], uniqueKeys: [],
            foreignKeys: [
                ForeignKey(columns: [1], referencedTable: "statuses", referencedColumns: ["id"])
            ])
        let statuses = TableDescription(
            name: "statuses",
            columns: [ColumnDescription(name: "id", type: .text, isNullable: false)],
            primaryKey: [0], uniqueKeys: [], foreignKeys: [])
        let labels = ColumnDetails(labels: ["a"])
        let text = Self.models(
            [orders, statuses], ["orders": TableDetails(columns: [1: labels, 2: labels])])
        #expect(text.contains("    var status: Status2?\n"))
        #expect(text.contains("    enum Status2: "))
        #expect(text.contains("BelongsToAssociation<Order, Status>"))
        #expect(text.contains("    var 状态: 状态2?\n"))
    }

    @Test func `ask for a value where a default cannot be written in Swift`() {
        func column(_ name: String, _ value: ColumnDefault) -> ColumnDescription {
            ColumnDescription(name: name, type: .decimal, defaultValue: value)
        }
        let table = TableDescription(
            name: "prices",
            columns: [
                ColumnDescription(
                    name: "id", type: .integer, isNullable: false, defaultValue: .central),
                column("rate", .value(.text("0.5"))), column("gross", .value(.text("2.00"))),
                column("net", .central), column("tax", .none),
            ], primaryKey: [0], uniqueKeys: [], foreignKeys: [], keyBlock: 10)
        let text = Self.models([table])
        for line in [
            "id: Int64? = nil,", "rate: ExactDecimal?,", "gross: ExactDecimal? = 2,",
            "net: ExactDecimal?,", "tax: ExactDecimal? = nil",
        ] {
            #expect(text.contains("        \(line)\n"))
        }
    }

    @Test func `contain nothing that the owner's words could do`() {
        let table = TableDescription(
            name: "a\"\n}",
            columns: [
                ColumnDescription(name: "id\\(x)", type: .integer, isNullable: false)
            ], primaryKey: [0], uniqueKeys: [], foreignKeys: [])
        let details = TableDetails(comment: "one\nfatalError()\r\u{2028}\u{202E}x")
        let text = Self.models([table], [Identifier(table.name): details])
        #expect(text.contains(#"databaseTableName = "a\"\u{a}}""#))
        #expect(text.contains(#"Column("id\\(x)")"#))
        #expect(text.contains("/// one\n/// fatalError()\n///"))
        #expect(!text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `tell several references between two tables apart`() {
        let people = TableDescription(
            name: "people",
            columns: [
                ColumnDescription(name: "id", type: .integer, isNullable: false),
                ColumnDescription(name: "reports_to", type: .integer),
                ColumnDescription(name: "mentor_id", type: .integer),
            ], primaryKey: [0], uniqueKeys: [[2]],
            foreignKeys: [
                ForeignKey(columns: [1], referencedTable: "people", referencedColumns: ["id"]),
                ForeignKey(columns: [2], referencedTable: "people", referencedColumns: ["id"]),
            ])
        let text = Self.models([people])
        #expect(text.contains("static var person: BelongsToAssociation<Person, Person>"))
        #expect(text.contains("static var mentor: BelongsToAssociation<Person, Person>"))
        #expect(text.contains("static var peopleByPerson: HasManyAssociation<Person, Person>"))
        #expect(text.contains("static var personByMentor: HasOneAssociation<Person, Person>"))
    }
}
