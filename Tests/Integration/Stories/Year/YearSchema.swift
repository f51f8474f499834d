import GRDB
import Moorage

/// A column that users edit, through all versions of the product.
struct YearColumn: Sendable {
    let table: String
    /// The name in the last version that has it.
    let name: String
    /// The first version that has it.
    var since = 0
    /// The first version that does not have it any more.
    var gone = Int.max
    /// An earlier name, and the first version that does not use it any more.
    var former: (name: String, until: Int)?

    /// The column's name in a version; `nil` where that version does not have it.
    func name(at version: Int) -> String? {
        guard version >= since, version < gone else { return nil }
        if let former, version < former.until { return former.name }
        return name
    }
}

/// Tables and columns by version. A version of the app and the release of the central database with
/// the same number have the same schema.
enum YearSchema {
    static let lastVersion = Release.all.count

    private static let columns = [
        YearColumn(table: "site", name: "title", former: ("name", 3)),
        YearColumn(table: "site", name: "city", gone: 5),
        YearColumn(table: "site", name: "phone", since: 1),
        YearColumn(table: "site", name: "region", since: 4),
        YearColumn(table: "visit", name: "note"), YearColumn(table: "visit", name: "state"),
        YearColumn(table: "visit", name: "grade", since: 10),
        YearColumn(table: "memo", name: "body", gone: 9),
        YearColumn(table: "task", name: "title", since: 2),
        YearColumn(table: "task", name: "code", since: 8),
        YearColumn(table: "task", name: "weight", since: 12),
        YearColumn(table: "contact", name: "phone", since: 11),
    ]

    /// Rows of these refer to a site, in the column `site_id`.
    static let belowSites: Set = ["visit", "contact"]

    /// The tables of a version, each after the tables that it refers to.
    static func tables(at version: Int) -> [String] {
        ["site", "visit", "memo", "task", "contact"].filter {
            !columns(of: $0, at: version).isEmpty
        }
    }

    static func columns(of table: String, at version: Int) -> [YearColumn] {
        columns.filter { $0.table == table && $0.name(at: version) != nil }
    }

    /// What a version of the app lists. The rename stays in the list for good.
    static func replicaTables(at version: Int) -> [ReplicaTable] {
        tables(at: version).map { table in
            .table(table, renamed: table == "site" && version >= 3 ? ["name": "title"] : [:])
        }
    }

    static func migrator(at version: Int) -> DatabaseMigrator {
        // As docs/limitations.md says: a row may refer to a row that is missing.
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("version 0") { db in
            for statement in Release.beginning { try db.execute(sql: statement) }
        }
        for release in Release.all where release.number <= version {
            migrator.registerMigration("version \(release.number)") { db in
                for statement in release.app { try db.execute(sql: statement) }
            }
        }
        return migrator
    }

    /// Values by column, without NULL.
    static func named(_ values: [String?], _ columns: [String]) -> [String: String] {
        Dictionary(
            zip(columns, values).compactMap { column, value in value.map { (column, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
