/// A change that an owner makes to a table.
enum AlterKind: String, CaseIterable, Sendable {
    case addColumn = "add a column"
    case addDefault = "add a column with a default"
    case rename = "rename a column"
    case drop = "drop a column"
    case widen = "widen a column"
    case retype = "change a column's type"
    case notNull = "make a column NOT NULL"
    case setDefault = "change a default"
    case unique = "add a unique key"
    case rebuild = "make the table again"
    case foreignKey = "add a foreign key"

    /// Whether devices that have no part in the change read the table again, as hub.md (Migrations
    /// of the owner) and the page of each database say.
    func isReadAgain(on centre: CentreKind) -> Bool {
        switch self {
        // The columns that both sides have are others, or the triggers went with the old table.
        case .rename, .drop, .retype, .rebuild: true
        // SQLite has no statement for these, so the table is made again.
        case .widen, .notNull, .setDefault, .foreignKey: centre == .sqlite
        case .addColumn, .addDefault, .unique: false
        }
    }
}

/// A table as its owner has it after each change, so that it can be made again.
struct AlteredTable: Sendable {
    let name: String
    private var columns: [(name: String, declaration: String)]
    private var constraints: [String] = []

    /// - Parameter area: The area of a row that names none.
    init(name: String, area: Int) {
        self.name = name
        columns = [
            ("id", "BIGINT NOT NULL PRIMARY KEY"), ("area", "INTEGER NOT NULL DEFAULT \(area)"),
            ("n", "BIGINT NOT NULL"), ("body", "VARCHAR(60)"), ("former", "VARCHAR(20)"),
            ("unused", "VARCHAR(20)"), ("wide", "VARCHAR(20)"), ("price", "DECIMAL(10,2)"),
            ("note", "VARCHAR(20) DEFAULT '-'"), ("code", "BIGINT"), ("ref", "INTEGER"),
        ]
    }

    /// The table that ``AlterKind/foreignKey`` refers to. It is not synced.
    static let lookup = [
        "CREATE TABLE lookup (id INTEGER NOT NULL PRIMARY KEY)", "INSERT INTO lookup VALUES (1)",
    ]

    /// The statement that makes the table as it is now.
    var creation: String { creation(of: name) }

    /// The values of a new row, in the order of the columns before any change.
    static func values(id: Int, area: Int, body: String) -> String {
        "(\(id), \(area), 0, '\(body)', 'f', 'u', 'w', 1.25, 'x', \(id), 1)"
    }

    /// Carries out a change here, and returns the owner's SQL for it.
    mutating func alter(_ kind: AlterKind, on centre: CentreKind) -> String {
        switch kind {
        case .addColumn: return add("extra", "VARCHAR(20)")
        case .addDefault: return add("level", "INTEGER NOT NULL DEFAULT 7")
        case .rename:
            if let place = place(of: "former") { columns[place].name = "latter" }
            return "ALTER TABLE \(name) RENAME COLUMN former TO latter"
        case .drop:
            if let place = place(of: "unused") { columns.remove(at: place) }
            return "ALTER TABLE \(name) DROP COLUMN unused"
        case .widen:
            return declare(
                "wide", "VARCHAR(60)", on: centre, postgres: "ALTER COLUMN wide TYPE VARCHAR(60)")
        case .retype:
            return declare(
                "price", "VARCHAR(20)", on: centre,
                postgres: "ALTER COLUMN price TYPE VARCHAR(20) USING price::text")
        case .notNull:
            return declare(
                "note", "VARCHAR(20) NOT NULL DEFAULT '-'", on: centre,
                postgres: "ALTER COLUMN note SET NOT NULL")
        case .setDefault:
            return declare(
                "note", "VARCHAR(20) NOT NULL DEFAULT '?'", on: centre,
                postgres: "ALTER COLUMN note SET DEFAULT '?'")
        case .unique:
            constraints.append("UNIQUE (code)")
            return "CREATE UNIQUE INDEX \(name)_code ON \(name) (code)"
        case .rebuild: return again(on: centre)
        case .foreignKey:
            let key = "FOREIGN KEY (ref) REFERENCES lookup (id)"
            constraints.append(key)
            return centre == .sqlite ? again(on: centre) : "ALTER TABLE \(name) ADD \(key)"
        }
    }

    private func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    private mutating func add(_ column: String, _ declaration: String) -> String {
        columns.append((column, declaration))
        return "ALTER TABLE \(name) ADD COLUMN \(column) \(declaration)"
    }

    private mutating func declare(
        _ column: String, _ declaration: String, on centre: CentreKind, postgres: String
    ) -> String {
        if let place = place(of: column) { columns[place].declaration = declaration }
        switch centre {
        case .sqlite: return again(on: centre)
        case .postgres: return "ALTER TABLE \(name) \(postgres)"
        case .mariadb: return "ALTER TABLE \(name) MODIFY \(column) \(declaration)"
        }
    }

    private func creation(of name: String) -> String {
        let parts = columns.map { "\($0.name) \($0.declaration)" } + constraints
        return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
    }

    /// A new table gets the rows and takes the name. On MariaDB no lock can contain both, so what
    /// others write during the copy stays in the old table.
    private func again(on centre: CentreKind) -> String {
        let list = columns.map(\.name).joined(separator: ", ")
        let copy = """
            \(creation(of: "\(name)_new"));
            INSERT INTO \(name)_new (\(list)) SELECT \(list) FROM \(name);
            """
        let swap = "DROP TABLE \(name); ALTER TABLE \(name)_new RENAME TO \(name);"
        switch centre {
        case .sqlite: return "BEGIN IMMEDIATE; \(copy) \(swap) COMMIT"
        case .postgres: return "BEGIN; LOCK TABLE \(name); \(copy) \(swap) COMMIT"
        case .mariadb:
            // A copy that a deadlock ended is begun again.
            return """
                DROP TABLE IF EXISTS \(name)_new; \(copy)
                RENAME TABLE \(name) TO \(name)_old, \(name)_new TO \(name);
                DROP TABLE \(name)_old
                """
        }
    }
}
