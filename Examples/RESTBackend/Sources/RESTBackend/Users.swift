import Foundation
import GRDB

/// A user of the app, as its table and the JSON of the API have it.
struct User: Codable, FetchableRecord, PersistableRecord {
    var id = UUID().uuidString.lowercased()
    var name: String
    var email: String
}

/// The app's database. It knows nothing of the API.
struct Users {
    let database: DatabasePool

    init(file: String) throws {
        var configuration = Configuration()
        // `watch` may run beside another command.
        configuration.busyMode = .timeout(5)
        database = try DatabasePool(path: file, configuration: configuration)
    }

    /// The replica runs the migrations when it opens the file.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("users") { db in
            try db.create(table: "user") { table in
                table.primaryKey("id", .text)
                table.column("name", .text).notNull()
                table.column("email", .text).notNull()
            }
        }
        return migrator
    }

    func all() async throws -> [User] {
        try await database.read { try User.order(Column("name")).fetchAll($0) }
    }

    func add(name: String, email: String) async throws {
        try await database.write { try User(name: name, email: email).insert($0) }
    }

    func setEmail(_ email: String, of name: String) async throws {
        try await change(name) { user, db in
            user.email = email
            try user.update(db)
        }
    }

    func remove(_ name: String) async throws {
        try await change(name) { user, db in try user.delete(db) }
    }

    private func change(
        _ name: String, _ body: @escaping @Sendable (inout User, Database) throws -> Void
    ) async throws {
        try await database.write { db in
            guard var user = try User.filter(Column("name") == name).fetchOne(db) else {
                throw AppError("there is no user \(name)")
            }
            try body(&user, db)
        }
    }
}

struct AppError: LocalizedError {
    let errorDescription: String?

    init(_ text: String) { errorDescription = text }
}
