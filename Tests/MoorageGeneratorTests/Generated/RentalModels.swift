// Made by `moorage generate swift` from moorage.schema.json. Do not edit.
// Signature: 1da08a3ee952d6a410f252177465ae5c
// swift-format-ignore-file

import Foundation
import GRDB
import Moorage

/// A row of `film`.
nonisolated struct Film: Codable, Hashable, Identifiable, Sendable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "film"

    var filmID: Int64?
    /// `character varying(200)`
    var title: String
    /// Who may see it
    var rating: Rating?
    /// `decimal(4,2)`
    var rate: ExactDecimal
    var hours: Double?
    var note: String?

    var id: Int64? { self.filmID }

    init(
        filmID: Int64? = nil,
        title: String,
        rating: Rating? = .g,
        rate: ExactDecimal,
        hours: Double? = 1.5,
        note: String? = nil
    ) {
        self.filmID = filmID
        self.title = title
        self.rating = rating
        self.rate = rate
        self.hours = hours
        self.note = note
    }

    /// The columns, for requests.
    enum Columns {
        static let filmID = Column("film_id")
        static let title = Column("title")
        static let rating = Column("rating")
        static let rate = Column("rate")
        static let hours = Column("hours")
        static let note = Column("note")
    }

    /// Each `Inventory` that refers to the row.
    static var inventory: HasManyAssociation<Film, Inventory> {
        hasMany(Inventory.self, using: Inventory.ForeignKeys.film)
            .forKey("inventory")
    }

    /// What `rating` may be.
    enum Rating: RawRepresentable, Codable, Hashable, Sendable, DatabaseValueConvertible {
        case g
        case pg
        case pg13
        case r
        /// A label that this version of the app does not know.
        case unrecognized(String)

        /// All labels that this version of the app knows.
        static let known: [Rating] = [
            .g,
            .pg,
            .pg13,
            .r,
        ]

        init(rawValue: String) {
            self =
                Self.known.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }
                ?? .unrecognized(rawValue)
        }

        var rawValue: String {
            switch self {
            case .g: "G"
            case .pg: "PG"
            case .pg13: "PG-13"
            case .r: "R"
            case .unrecognized(let label): label
            }
        }
    }
}

nonisolated extension Film {
    enum CodingKeys: String, CodingKey {
        case filmID = "film_id"
        case title = "title"
        case rating = "rating"
        case rate = "rate"
        case hours = "hours"
        case note = "note"
    }

    init(row: GRDB.Row) throws {
        filmID = try row.exactly("film_id")
        title = try row.exactly("title")
        rating = try row.exactly("rating")
        rate = try row.decode(forColumn: "rate")
        hours = try row.exactly("hours")
        note = try row.exactly("note")
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["film_id"] = filmID
        container["title"] = title
        container["rating"] = rating
        container["rate"] = rate
        container["hours"] = hours
        container["note"] = note
    }

    /// SQLite chose the key, if nobody else did.
    mutating func didInsert(_ inserted: InsertionSuccess) {
        if self.filmID == nil, inserted.rowIDColumn != nil { self.filmID = inserted.rowID }
    }
}

/// A row of `staff`.
nonisolated struct Staff: Codable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "staff"

    var staffID: TextUUID
    var storeID: TextUUID
    var role: Role
    var isActive: Bool
    var hired: LocalDate?
    var picture: Data?
    /// A JSON document as text.
    var settings: String?

    var id: TextUUID { self.staffID }

    init(
        staffID: TextUUID,
        storeID: TextUUID,
        role: Role = .clerk,
        isActive: Bool = true,
        hired: LocalDate? = nil,
        picture: Data? = nil,
        settings: String? = nil
    ) {
        self.staffID = staffID
        self.storeID = storeID
        self.role = role
        self.isActive = isActive
        self.hired = hired
        self.picture = picture
        self.settings = settings
    }

    /// The columns, for requests.
    enum Columns {
        static let staffID = Column("staff_id")
        static let storeID = Column("store_id")
        static let role = Column("role")
        static let isActive = Column("is_active")
        static let hired = Column("hired")
        static let picture = Column("picture")
        static let settings = Column("settings")
    }

    /// The foreign keys, for associations.
    enum ForeignKeys {
        static let store = GRDB.ForeignKey(
            ["store_id"], to: ["store_id"])
    }

    /// The `Store` that the row refers to.
    static var store: BelongsToAssociation<Staff, Store> {
        belongsTo(Store.self, using: ForeignKeys.store)
            .forKey("store")
    }

    /// Each `Store` that refers to the row.
    static var store2: HasManyAssociation<Staff, Store> {
        hasMany(Store.self, using: Store.ForeignKeys.manager)
            .forKey("store2")
    }

    /// What `role` may be.
    enum Role: RawRepresentable, Codable, Hashable, Sendable, DatabaseValueConvertible {
        case clerk
        case manager
        /// A label that this version of the app does not know.
        case unrecognized(String)

        /// All labels that this version of the app knows.
        static let known: [Role] = [
            .clerk,
            .manager,
        ]

        init(rawValue: String) {
            self =
                Self.known.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }
                ?? .unrecognized(rawValue)
        }

        var rawValue: String {
            switch self {
            case .clerk: "clerk"
            case .manager: "manager"
            case .unrecognized(let label): label
            }
        }
    }
}

nonisolated extension Staff {
    enum CodingKeys: String, CodingKey {
        case staffID = "staff_id"
        case storeID = "store_id"
        case role = "role"
        case isActive = "is_active"
        case hired = "hired"
        case picture = "picture"
        case settings = "settings"
    }

    init(row: GRDB.Row) throws {
        staffID = try row.decode(forColumn: "staff_id")
        storeID = try row.decode(forColumn: "store_id")
        role = try row.exactly("role")
        isActive = try row.exactly("is_active")
        hired = try row.decode(forColumn: "hired")
        picture = try row.exactly("picture")
        settings = try row.exactly("settings")
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["staff_id"] = staffID
        container["store_id"] = storeID
        container["role"] = role
        container["is_active"] = isActive
        container["hired"] = hired
        container["picture"] = picture
        container["settings"] = settings
    }
}

/// A row of `store`.
nonisolated struct Store: Codable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "store"

    var storeID: TextUUID
    /// `character varying(80)`
    var name: String
    var opens: LocalTime?
    var managerID: TextUUID?

    var id: TextUUID { self.storeID }

    init(
        storeID: TextUUID,
        name: String,
        opens: LocalTime? = nil,
        managerID: TextUUID? = nil
    ) {
        self.storeID = storeID
        self.name = name
        self.opens = opens
        self.managerID = managerID
    }

    /// The columns, for requests.
    enum Columns {
        static let storeID = Column("store_id")
        static let name = Column("name")
        static let opens = Column("opens")
        static let managerID = Column("manager_id")
    }

    /// The foreign keys, for associations.
    enum ForeignKeys {
        static let manager = GRDB.ForeignKey(
            ["manager_id"], to: ["staff_id"])
    }

    /// The `Staff` that the row refers to.
    static var manager: BelongsToAssociation<Store, Staff> {
        belongsTo(Staff.self, using: ForeignKeys.manager)
            .forKey("manager")
    }

    /// Each `Staff` that refers to the row.
    static var staff: HasManyAssociation<Store, Staff> {
        hasMany(Staff.self, using: Staff.ForeignKeys.store)
            .forKey("staff")
    }

    /// Each `Inventory` that refers to the row.
    static var inventory: HasManyAssociation<Store, Inventory> {
        hasMany(Inventory.self, using: Inventory.ForeignKeys.store)
            .forKey("inventory")
    }
}

nonisolated extension Store {
    enum CodingKeys: String, CodingKey {
        case storeID = "store_id"
        case name = "name"
        case opens = "opens"
        case managerID = "manager_id"
    }

    init(row: GRDB.Row) throws {
        storeID = try row.decode(forColumn: "store_id")
        name = try row.exactly("name")
        opens = try row.decode(forColumn: "opens")
        managerID = try row.decode(forColumn: "manager_id")
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["store_id"] = storeID
        container["name"] = name
        container["opens"] = opens
        container["manager_id"] = managerID
    }
}

/// A row of `inventory`.
nonisolated struct Inventory: Codable, Hashable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "inventory"

    var storeID: TextUUID
    var filmID: Int64
    var copy: Int64
    var shelf: String?

    init(
        storeID: TextUUID,
        filmID: Int64,
        copy: Int64,
        shelf: String? = nil
    ) {
        self.storeID = storeID
        self.filmID = filmID
        self.copy = copy
        self.shelf = shelf
    }

    /// The columns, for requests.
    enum Columns {
        static let storeID = Column("store_id")
        static let filmID = Column("film_id")
        static let copy = Column("copy")
        static let shelf = Column("shelf")
    }

    /// The foreign keys, for associations.
    enum ForeignKeys {
        static let store = GRDB.ForeignKey(
            ["store_id"], to: ["store_id"])
        static let film = GRDB.ForeignKey(
            ["film_id"], to: ["film_id"])
    }

    /// The `Store` that the row refers to.
    static var store: BelongsToAssociation<Inventory, Store> {
        belongsTo(Store.self, using: ForeignKeys.store)
            .forKey("store")
    }

    /// The `Film` that the row refers to.
    static var film: BelongsToAssociation<Inventory, Film> {
        belongsTo(Film.self, using: ForeignKeys.film)
            .forKey("film")
    }

    /// Each `Rental` that refers to the row.
    static var rental: HasManyAssociation<Inventory, Rental> {
        hasMany(Rental.self, using: Rental.ForeignKeys.inventory)
            .forKey("rental")
    }
}

nonisolated extension Inventory {
    enum CodingKeys: String, CodingKey {
        case storeID = "store_id"
        case filmID = "film_id"
        case copy = "copy"
        case shelf = "shelf"
    }

    init(row: GRDB.Row) throws {
        storeID = try row.decode(forColumn: "store_id")
        filmID = try row.exactly("film_id")
        copy = try row.exactly("copy")
        shelf = try row.exactly("shelf")
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["store_id"] = storeID
        container["film_id"] = filmID
        container["copy"] = copy
        container["shelf"] = shelf
    }
}

/// A row for each time
nonisolated struct Rental: Codable, Hashable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "rental"

    var rentalID: TextUUID
    var storeID: TextUUID
    var filmID: Int64
    var copy: Int64
    var rentedAt: Instant
    var returnedAt: Instant?
    var due: LocalDateTime
    /// `numeric(10,2)`
    var fee: ExactDecimal
    /// `numeric(12,4)`
    /// The hub's side writes it, and no app.
    var total: ExactDecimal?

    var id: TextUUID { self.rentalID }

    init(
        rentalID: TextUUID,
        storeID: TextUUID,
        filmID: Int64,
        copy: Int64,
        rentedAt: Instant,
        returnedAt: Instant? = nil,
        due: LocalDateTime,
        fee: ExactDecimal,
        total: ExactDecimal? = nil
    ) {
        self.rentalID = rentalID
        self.storeID = storeID
        self.filmID = filmID
        self.copy = copy
        self.rentedAt = rentedAt
        self.returnedAt = returnedAt
        self.due = due
        self.fee = fee
        self.total = total
    }

    /// The columns, for requests.
    enum Columns {
        static let rentalID = Column("rental_id")
        static let storeID = Column("store_id")
        static let filmID = Column("film_id")
        static let copy = Column("copy")
        static let rentedAt = Column("rented_at")
        static let returnedAt = Column("returned_at")
        static let due = Column("due")
        static let fee = Column("fee")
        static let total = Column("total")
    }

    /// The foreign keys, for associations.
    enum ForeignKeys {
        static let inventory = GRDB.ForeignKey(
            ["store_id", "film_id", "copy"], to: ["store_id", "film_id", "copy"])
    }

    /// The `Inventory` that the row refers to.
    static var inventory: BelongsToAssociation<Rental, Inventory> {
        belongsTo(Inventory.self, using: ForeignKeys.inventory)
            .forKey("inventory")
    }
}

nonisolated extension Rental {
    enum CodingKeys: String, CodingKey {
        case rentalID = "rental_id"
        case storeID = "store_id"
        case filmID = "film_id"
        case copy = "copy"
        case rentedAt = "rented_at"
        case returnedAt = "returned_at"
        case due = "due"
        case fee = "fee"
        case total = "total"
    }

    init(row: GRDB.Row) throws {
        rentalID = try row.decode(forColumn: "rental_id")
        storeID = try row.decode(forColumn: "store_id")
        filmID = try row.exactly("film_id")
        copy = try row.exactly("copy")
        rentedAt = try row.decode(forColumn: "rented_at")
        returnedAt = try row.decode(forColumn: "returned_at")
        due = try row.decode(forColumn: "due")
        fee = try row.decode(forColumn: "fee")
        total = try row.decode(forColumn: "total")
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["rental_id"] = rentalID
        container["store_id"] = storeID
        container["film_id"] = filmID
        container["copy"] = copy
        container["rented_at"] = rentedAt
        container["returned_at"] = returnedAt
        container["due"] = due
        container["fee"] = fee
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
            message: "The column \(column) contains a value of another type.")
    }
}
