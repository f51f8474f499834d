/// A release of the product: what its owner changes in the central database, and what the next
/// version of the app changes in its files.
struct Release: Sendable {
    let number: Int
    /// What changes, for failure messages.
    let name: String
    /// The owner's statements.
    let central: @Sendable (CentreKind) -> [String]
    /// The statements of the app's migration.
    let app: [String]
    /// Tables that the hub may suspend between the owner's statements and the attach. Devices then
    /// say `tableSuspended`.
    var untilAttach: @Sendable (CentreKind) -> [String] = { _ in [] }
    /// Tables that may be suspended on devices with an older version of the app, with the code.
    var untilUpgrade: [String: String] = [:]

    /// Whether a device may have suspended a table for a reason that some release explains.
    ///
    /// - Parameters:
    ///   - release: The last release of the central database.
    ///   - isAttached: Whether the owner has attached after it.
    ///   - version: The device's version of the app.
    static func explains(
        _ table: String, _ code: String, on kind: CentreKind, release: Int, isAttached: Bool,
        version: Int
    ) -> Bool {
        all.contains { one in
            guard one.number <= release else { return false }
            if !isAttached, one.number == release, code == "tableSuspended" {
                return one.untilAttach(kind).contains(table)
            }
            return version < one.number && one.untilUpgrade[table] == code
        }
    }

    /// The tables of version 0, at the centre and on devices.
    static let beginning = [
        """
        CREATE TABLE site (
          id VARCHAR(40) NOT NULL PRIMARY KEY, name VARCHAR(80) NOT NULL, city VARCHAR(80))
        """,
        """
        CREATE TABLE visit (
          id VARCHAR(40) NOT NULL PRIMARY KEY, site_id VARCHAR(40) NOT NULL, note VARCHAR(80),
          state VARCHAR(80), FOREIGN KEY (site_id) REFERENCES site (id))
        """,
        "CREATE TABLE memo (id VARCHAR(40) NOT NULL PRIMARY KEY, body VARCHAR(80))",
    ]

    static let all: [Release] = [
        same(1, "a new column", ["ALTER TABLE site ADD COLUMN phone VARCHAR(80)"]),
        same(
            2, "a new table",
            ["CREATE TABLE task (id VARCHAR(40) NOT NULL PRIMARY KEY, title VARCHAR(80))"]),
        Release(
            number: 3, name: "a required column is renamed", central: { _ in rename },
            app: rename, untilAttach: { _ in ["site"] },
            untilUpgrade: ["site": "missingColumn"]),
        same(
            4, "a new column, filled on both sides",
            [
                "ALTER TABLE site ADD COLUMN region VARCHAR(80)",
                "UPDATE site SET region = 'unknown'",
            ]),
        Release(
            number: 5, name: "a column is dropped", central: { _ in dropCity }, app: dropCity,
            untilAttach: { _ in ["site"] }),
        Release(
            number: 6, name: "a column becomes NOT NULL", central: requireState,
            app: rebuildVisit("state VARCHAR(80) NOT NULL DEFAULT 'open'"),
            untilAttach: { $0 == .sqlite ? ["visit"] : [] }),
        Release(number: 7, name: "a wider column", central: widenTitle, app: []),
        same(
            8, "a new unique key",
            [
                "ALTER TABLE task ADD COLUMN code VARCHAR(80)",
                "CREATE UNIQUE INDEX task_code ON task (code)",
            ]),
        Release(
            number: 9, name: "a dropped table", central: { _ in ["DROP TABLE memo"] },
            app: ["DROP TABLE memo"], untilAttach: { _ in ["memo"] },
            untilUpgrade: ["memo": "unknownTable"]),
        Release(
            number: 10, name: "the app makes a table again, with a new column",
            central: { _ in ["ALTER TABLE visit ADD COLUMN grade VARCHAR(80)"] },
            app: rebuildVisit(
                "state VARCHAR(80) NOT NULL DEFAULT 'open', grade VARCHAR(80)")),
        Release(
            number: 11, name: "a table of what was a column",
            central: { _ in
                [
                    contact,
                    """
                    INSERT INTO contact (id, site_id, phone)
                    SELECT 'contact-' || id, id, phone FROM site WHERE phone IS NOT NULL
                    """,
                ]
            }, app: [contact]),
        same(
            12, "a new required column with a default",
            ["ALTER TABLE task ADD COLUMN weight VARCHAR(80) NOT NULL DEFAULT 'normal'"]),
    ]

    /// A release with the same statements on both sides.
    private static func same(_ number: Int, _ name: String, _ statements: [String]) -> Release {
        Release(number: number, name: name, central: { _ in statements }, app: statements)
    }

    private static let rename = ["ALTER TABLE site RENAME COLUMN name TO title"]
    private static let dropCity = ["ALTER TABLE site DROP COLUMN city"]
    private static let contact = """
        CREATE TABLE contact (
          id VARCHAR(40) NOT NULL PRIMARY KEY, site_id VARCHAR(40) NOT NULL, phone VARCHAR(80),
          FOREIGN KEY (site_id) REFERENCES site (id))
        """

    @Sendable private static func requireState(on kind: CentreKind) -> [String] {
        switch kind {
        case .sqlite: rebuildVisit("state VARCHAR(80) NOT NULL DEFAULT 'open'")
        case .postgres:
            [
                """
                ALTER TABLE visit ALTER COLUMN state SET DEFAULT 'open',
                  ALTER COLUMN state SET NOT NULL
                """
            ]
        case .mariadb: ["ALTER TABLE visit MODIFY state VARCHAR(80) NOT NULL DEFAULT 'open'"]
        }
    }

    /// SQLite limits no text.
    @Sendable private static func widenTitle(on kind: CentreKind) -> [String] {
        switch kind {
        case .sqlite: []
        case .postgres: ["ALTER TABLE site ALTER COLUMN title TYPE VARCHAR(200)"]
        case .mariadb: ["ALTER TABLE site MODIFY title VARCHAR(200) NOT NULL"]
        }
    }

    /// SQLite's own recipe for what `ALTER TABLE` cannot do.
    private static func rebuildVisit(_ columns: String) -> [String] {
        [
            """
            CREATE TABLE new_visit (
              id VARCHAR(40) NOT NULL PRIMARY KEY, site_id VARCHAR(40) NOT NULL,
              note VARCHAR(80), \(columns), FOREIGN KEY (site_id) REFERENCES site (id))
            """,
            """
            INSERT INTO new_visit (id, site_id, note, state)
            SELECT id, site_id, note, state FROM visit
            """,
            "DROP TABLE visit",
            "ALTER TABLE new_visit RENAME TO visit",
        ]
    }
}
