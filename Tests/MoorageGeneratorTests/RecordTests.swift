import Foundation
import GRDB
import Moorage
import MoorageGenerator
import MoorageWire
import TestSupport
import Testing

/// The records in Generated/RentalModels.swift, as an app uses them.
@Suite(.ownThreads) struct `Generated records in a database` {
    private static func schema() throws -> SchemaFile {
        let place = Repository.root.appending(path: "Tests/Consumers/Schemas/rental.schema.json")
        return try SchemaFile(decoding: Array(Data(contentsOf: place)))
    }

    private static func database() throws -> DatabaseQueue {
        let file = try schema()
        let database = try DatabaseQueue()
        try database.write { db in
            let names = file.schema.tables.map(\.name)
            for statement in file.createStatements(forTables: names, in: .sqlite) {
                try db.execute(sql: statement)
            }
            try db.execute(
                sql: """
                    INSERT INTO store VALUES ('0F9B4A52-0000-4000-8000-000000000001', 'A', '09:00', NULL);
                    INSERT INTO staff VALUES ('0f9b4a52-0000-4000-8000-000000000002',
                        '0F9B4A52-0000-4000-8000-000000000001', 'manager', 1, '2024-02-29', x'00ff', '{"a": 1}');
                    INSERT INTO film VALUES (7, 'One', 'PG', '4.990', 1.5, NULL);
                    INSERT INTO inventory VALUES ('0F9B4A52-0000-4000-8000-000000000001', 7, 1, 'x');
                    INSERT INTO rental VALUES ('0f9b4a52-0000-4000-8000-000000000003',
                        '0F9B4A52-0000-4000-8000-000000000001', 7, 1, '2024-02-29T12:00:00Z', NULL,
                        '2024-03-01 12:00', '10.00', '10.5000');
                    """)
        }
        return database
    }

    /// Each value with its class and its bytes.
    private static func contents(_ db: Database) throws -> [[DatabaseValue]] {
        try ["store", "staff", "film", "inventory", "rental"].flatMap { table in
            try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { Array($0.databaseValues) }
        }
    }

    @Test func `are what the generator makes`() throws {
        let place = Repository.root.appending(
            path: "Tests/MoorageGeneratorTests/Generated/RentalModels.swift")
        let source = try Self.schema().swiftModels()
        if ProcessInfo.processInfo.environment["MOORAGE_WRITE_DOCS"] == "1" {
            try source.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: place, encoding: .utf8) == source,
            "MOORAGE_WRITE_DOCS=1 writes the file again")
    }

    @Test func `change nothing in rows that are read and saved`() throws {
        try Self.database().write { db in
            let before = try Self.contents(db)
            for store in try Store.fetchAll(db) { try store.update(db) }
            for staff in try Staff.fetchAll(db) { try staff.update(db) }
            for film in try Film.fetchAll(db) { try film.update(db) }
            for copy in try Inventory.fetchAll(db) { try copy.update(db) }
            for rental in try Rental.fetchAll(db) { try rental.update(db) }
            let after = try Self.contents(db)
            #expect(after == before)
            #expect(before.count == 5)
        }
    }

    @Test func `keep a label that they do not know`() throws {
        try Self.database().write { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try db.execute(sql: "UPDATE film SET rating = 'NC-17'")
            var film = try #require(try Film.fetchOne(db, key: 7))
            #expect(film.rating == .unrecognized("NC-17"))
            film.title = "Two"
            try film.update(db)
            let found = try String.fetchOne(db, sql: "SELECT title || rating FROM film")
            #expect(found == "TwoNC-17")
            #expect(Film.Rating(rawValue: "PG-13") == .pg13)
        }
    }

    @Test func `never write what only the hub's side writes`() throws {
        try Self.database().write { db in
            var rental = try #require(try Rental.fetchOne(db))
            #expect(rental.total == ExactDecimal("10.5"))
            rental.total = nil
            try rental.update(db)
            #expect(try Rental.fetchOne(db)?.total == ExactDecimal("10.5"))
        }
    }

    @Test func `get a key that SQLite chooses`() throws {
        try Self.database().write { db in
            var film = Film(title: "New", rate: 5)
            #expect(film.id == nil)
            try film.insert(db)
            #expect(film.filmID == 8)
            let found = try #require(try Film.fetchOne(db, key: 8))
            #expect(found.rating == .g)
            #expect(found.rate == 5)
        }
    }

    @Test func `find rows by UUIDs, in the form that the file has`() throws {
        try Self.database().read { db in
            let id = try #require(TextUUID("0f9b4a52-0000-4000-8000-000000000002"))
            #expect(try Staff.fetchOne(db, key: id)?.role == .manager)
            #expect(try Staff.filter { $0.staffID == id }.fetchCount(db) == 1)
            #expect(try Staff.fetchOne(db, id: id) != nil)
            let staff = try #require(try Staff.fetchOne(db))
            let store = try #require(try staff.request(for: Staff.store).fetchOne(db))
            #expect(store.storeID == staff.storeID)
            #expect(store.storeID.uuid.uuidString == store.storeID.description)
            let capitals = TextUUID(store.storeID.uuid, form: .upperCase)
            #expect(try Store.fetchOne(db, id: capitals) != nil)
            #expect(try Store.fetchOne(db, id: TextUUID(store.storeID.uuid)) == nil)
        }
    }

    @Test(arguments: [
        "UPDATE film SET hours = 'long'", "UPDATE film SET title = x'41'",
        "UPDATE film SET rating = x'41'", "UPDATE inventory SET copy = 1.5",
        "UPDATE staff SET is_active = 'yes'", "UPDATE staff SET picture = 'text'",
        "UPDATE film SET rate = 'much'",
    ])
    func `read nothing that they would write otherwise`(sql: String) throws {
        try Self.database().write { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try db.execute(sql: sql)
            #expect(throws: (any Error).self) {
                _ = try Film.fetchAll(db)
                _ = try Inventory.fetchAll(db)
                _ = try Staff.fetchAll(db)
            }
            try db.execute(sql: "UPDATE staff SET is_active = 7")
            let isActive = try sql.contains("staff") || Staff.fetchOne(db)?.isActive == true
            #expect(isActive)
        }
    }

    @Test func `take no key of another row`() throws {
        try Self.database().write { db in
            try db.execute(sql: "INSERT INTO film(film_id, title) VALUES (20, 'Other')")
            var film = Film(filmID: 7, title: "Again", rate: 1)
            try film.insert(db, onConflict: .ignore)
            #expect(film.filmID == 7)
        }
    }

    @Test func `are joined by their foreign keys`() throws {
        try Self.database().read { db in
            struct Loan: Decodable, FetchableRecord {
                let rental: Rental
                let inventory: Inventory
            }
            let loan =
                try Rental
                .including(required: Rental.inventory.filter { $0.copy == 1 })
                .asRequest(of: Loan.self)
                .fetchOne(db)
            #expect(loan?.inventory.filmID == 7)
            #expect(loan?.rental.returnedAt == nil)
            #expect(loan?.rental.due == LocalDateTime("2024-03-01 12:00:00"))
            #expect(try Film.joining(required: Film.inventory).fetchCount(db) == 1)
        }
    }
}
