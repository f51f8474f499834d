import MoorageCore
import MoorageWire

/// Schema files as `moorage schema` writes them, from which tests make central tables.
enum SampleSchemas {
    /// A music shop, with integers as keys.
    static let music = file([
        FileTable(
            "artist", [integer("artist_id"), text("name", 120)], key: ["artist_id"],
            comment: "Who plays"),
        FileTable(
            "album", [integer("album_id"), text("title", 160, .required), integer("artist_id")],
            key: ["album_id"], foreign: [.init(["artist_id"], "artist")]),
        FileTable(
            "genre", [integer("genre_id"), text("name", 120)], key: ["genre_id"],
            unique: [["name"]]),
        FileTable(
            "track",
            [
                integer("track_id"), text("name", 200, .required), integer("album_id", .optional),
                integer("genre_id", .optional), text("composer", 220),
                required("milliseconds", .integer, default: .integer(0)),
                integer("bytes", .optional),
                column(
                    "unit_price", .decimal, "numeric(10,2)", .required, default: .text("0.99"),
                    comment: "In whatever the shop's money is"),
            ], key: ["track_id"],
            foreign: [.init(["album_id"], "album"), .init(["genre_id"], "genre")],
            indexes: [["name"], ["genre_id", "name"]]),
        FileTable("playlist", [integer("playlist_id"), text("name", 120)], key: ["playlist_id"]),
        FileTable(
            "playlist_track", [integer("playlist_id"), integer("track_id")],
            key: ["playlist_id", "track_id"],
            foreign: [
                .init(["playlist_id"], "playlist", onDelete: .cascade),
                .init(["track_id"], "track", onDelete: .cascade),
            ]),
        FileTable(
            "employee",
            [
                integer("employee_id"), text("last_name", 20, .required),
                text("first_name", 20, .required), integer("reports_to", .optional),
                column("birth_date", .timestamp(fractionDigits: 0)), column("hired", .date),
                text("email", 60),
            ], key: ["employee_id"], unique: [["email"], ["last_name", "first_name"]],
            foreign: [.init(["reports_to"], "employee", ["employee_id"], onDelete: .setNull)]),
        FileTable(
            "customer",
            [
                integer("customer_id"), text("company", 80), text("email", 60, .required),
                integer("support_rep_id", .optional),
            ], key: ["customer_id"],
            foreign: [.init(["support_rep_id"], "employee", ["employee_id"])]),
    ])

    /// Stores that rent films, with UUIDs as keys and most of the types.
    static let rental = file([
        FileTable(
            "store",
            [
                uuid("store_id"), text("name", 80, .required),
                column("opens", .time(fractionDigits: 0)), uuid("manager_id", .optional),
            ], key: ["store_id"], unique: [["name"]],
            foreign: [
                .init(
                    ["manager_id"], "staff", ["staff_id"], onDelete: .setNull, isDeferrable: true)
            ]),
        FileTable(
            "staff",
            [
                uuid("staff_id"), uuid("store_id"),
                required(
                    "role", .text, default: .text("clerk"),
                    labels: ["clerk", "manager"]),
                required("is_active", .boolean, default: .integer(1)),
                column("hired", .date), column("picture", .blob), column("settings", .json),
            ], key: ["staff_id"],
            foreign: [.init(["store_id"], "store", onDelete: .restrict, onUpdate: .cascade)]),
        FileTable(
            "film",
            [
                integer("film_id"), text("title", 200, .required),
                column(
                    "rating", .text, default: .text("G"), labels: ["G", "PG", "PG-13", "R"],
                    comment: "Who may see it"),
                column("rate", .decimal, "decimal(4,2)", .required, default: .text("4.99")),
                column("hours", .real, default: .real(1.5)), column("note", .text),
            ], key: ["film_id"], indexes: [["title"]], keyBlock: 100),
        FileTable(
            "inventory",
            [
                uuid("store_id"), integer("film_id"), integer("copy"), column("shelf", .text),
            ], key: ["store_id", "film_id", "copy"], unique: [["store_id", "shelf"]],
            foreign: [
                .init(["store_id"], "store"), .init(["film_id"], "film", onDelete: .cascade),
            ]),
        FileTable(
            "rental",
            [
                uuid("rental_id"), uuid("store_id"), integer("film_id"), integer("copy"),
                required("rented_at", .instant(fractionDigits: 6), isCentral: true),
                column("returned_at", .instant(fractionDigits: 3)),
                required("due", .timestamp(fractionDigits: 3)),
                column("fee", .decimal, "numeric(10,2)", .required),
                column("total", .decimal, "numeric(12,4)", isGenerated: true),
            ], key: ["rental_id"],
            foreign: [
                .init(
                    ["store_id", "film_id", "copy"], "inventory", onDelete: .cascade,
                    onUpdate: .cascade)
            ], comment: "A row for each time"),
    ])

    /// Names and options that a generator could stumble over. No test makes tables from it.
    static let odd = file([
        FileTable(
            "statuses", [text("id", 20, .required), text("set", 20, .required)], key: ["set"],
            comment: "Ends */ nothing"),
        FileTable(
            "orders",
            [
                integer("self"), text("status", 20),
                column("状态", .text, labels: ["", "1", "a", "A"]),
                column(
                    "class", .text, .none, .required, labels: ["init", "self", "known", "none"]),
                integer("row", .optional), integer("container", .optional),
                integer("Columns", .optional), integer("1st", .optional), integer("limit"),
                uuid("order", .optional), column("a\"b\\c", .date),
            ], key: ["self"], unique: [["order"]],
            foreign: [
                .init(["status"], "statuses", ["set"]), .init(["order"], "orders", ["order"]),
            ],
            keyBlock: 100),
        FileTable(
            "strings", [integer("a"), integer("b"), column("JSON", .json)], key: ["a", "b"],
            foreign: [.init(["a"], "orders", ["self"])], direction: .down),
        FileTable(
            "顾客", [integer("顾客"), integer("订单", .optional)], key: ["顾客"],
            foreign: [.init(["订单"], "orders", ["self"])], direction: .up),
    ])

    private static func file(_ tables: [FileTable]) -> SchemaFile {
        SchemaFile(
            schema: SchemaDescription(tables: tables.map(\.description)),
            details: Dictionary(
                uniqueKeysWithValues: tables.map { (Identifier($0.description.name), $0.details) }))
    }

    private static func integer(_ name: String, _ need: Need = .required) -> FileColumn {
        column(name, .integer, "bigint", need)
    }

    private static func uuid(_ name: String, _ need: Need = .required) -> FileColumn {
        column(name, .uuid, "uuid", need)
    }

    private static func text(
        _ name: String, _ length: Int, _ need: Need = .optional
    ) -> FileColumn {
        column(name, .text, "character varying(\(length))", need)
    }

    /// - Parameters:
    ///   - value: A constant default.
    ///   - isCentral: Only the file's own database can evaluate the default.
    private static func column(
        _ name: String, _ type: ColumnType, _ original: String? = nil, _ need: Need = .optional,
        default value: Value? = nil, labels: [String] = [], comment: String? = nil,
        isCentral: Bool = false, isGenerated: Bool = false
    ) -> FileColumn {
        FileColumn(
            description: ColumnDescription(
                name: name, type: type, isNullable: need == .optional,
                defaultValue: value.map { ColumnDefault.value($0) }
                    ?? (isCentral ? .central : ColumnDefault.none),
                isGenerated: isGenerated),
            details: ColumnDetails(original: original, comment: comment, labels: labels))
    }

    /// The same of a column that is NOT NULL, and whose type has no name of the database's own.
    private static func required(
        _ name: String, _ type: ColumnType, default value: Value? = nil, labels: [String] = [],
        isCentral: Bool = false
    ) -> FileColumn {
        column(
            name, type, nil, .required, default: value, labels: labels, isCentral: isCentral)
    }
}

/// Whether a row may lack a value of the column.
private enum Need { case required, optional }

private struct FileColumn {
    let description: ColumnDescription
    let details: ColumnDetails
}

/// A foreign key by the names of its columns.
private struct FileReference {
    let columns: [String]
    let table: String
    let referenced: [String]
    let onDelete: ForeignKey.Action
    let onUpdate: ForeignKey.Action
    let isDeferrable: Bool

    /// - Parameter referenced: `nil` for columns of the same names.
    init(
        _ columns: [String], _ table: String, _ referenced: [String]? = nil,
        onDelete: ForeignKey.Action = .noAction, onUpdate: ForeignKey.Action = .noAction,
        isDeferrable: Bool = false
    ) {
        self.columns = columns
        self.table = table
        self.referenced = referenced ?? columns
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.isDeferrable = isDeferrable
    }
}

private struct FileTable {
    let description: TableDescription
    let details: TableDetails

    init(
        _ name: String, _ columns: [FileColumn], key: [String], unique: [[String]] = [],
        foreign: [FileReference] = [], indexes: [[String]] = [], comment: String? = nil,
        direction: TableDirection = .both, keyBlock: Int? = nil
    ) {
        func positions(_ names: [String]) -> [Int] {
            names.compactMap { name in columns.firstIndex { $0.description.name == name } }
        }
        description = TableDescription(
            name: name, columns: columns.map(\.description), primaryKey: positions(key),
            uniqueKeys: unique.map(positions),
            foreignKeys: foreign.map { reference in
                ForeignKey(
                    columns: positions(reference.columns), referencedTable: reference.table,
                    referencedColumns: reference.referenced, onDelete: reference.onDelete,
                    onUpdate: reference.onUpdate, isDeferrable: reference.isDeferrable)
            }, direction: direction, keyBlock: keyBlock)
        details = TableDetails(
            comment: comment, indexes: indexes.map(positions),
            columns: Dictionary(
                uniqueKeysWithValues: columns.enumerated().map { ($0, $1.details) }))
    }
}
