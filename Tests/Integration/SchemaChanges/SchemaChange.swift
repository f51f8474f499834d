import Moorage
import Testing

/// A change of the central schema, with what the owner and the app do about it.
///
/// The table `item` changes. `site` and `calm` beside it stay as they are.
struct SchemaChange: Sendable, CustomTestStringConvertible {
    /// As docs/reference/schema-changes.md names it.
    let name: String
    /// The columns that the page shows, `table.column` each, as the old app has them; `nil` for a
    /// column that it does not have.
    let before: [String?]
    /// The same at the centre after the change, and in the new app.
    let after: [String?]
    /// What the device edits in its row before the change.
    var edit = "label = 'mine'"
    /// The central table before the change.
    var item = ItemTable.create()
    /// Further statements at the centre before it is attached.
    var prepare: @Sendable (CentreKind) -> [String] = { _ in [] }
    /// Further statements in the old app's file.
    var prepareDevice = ""
    /// The owner's migration.
    let alter: @Sendable (CentreKind) -> String
    /// What the owner writes after the attach, everywhere but in the row 0.
    var write = "UPDATE item SET amount = 9 WHERE id <> 0"
    /// The app's migration; empty if it needs none.
    var upgrade = ""
    /// The tables of the new app.
    var newTables = SchemaChange.tables

    var testDescription: String { name }

    static let tables: [ReplicaTable] = ["site", "item", "calm"].map { .table($0) }

    /// Every change of which the page must speak.
    static let all: [SchemaChange] = ofColumns + ofTables + ofConstraints

    private static let beside = [
        "CREATE TABLE site (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(20))",
        "CREATE TABLE calm (id INTEGER NOT NULL PRIMARY KEY, note VARCHAR(20), total INTEGER)",
    ]

    func centralSchema(_ kind: CentreKind) -> [String] {
        let calm = (0...12).map { "(\($0), 'old', 1)" }.joined(separator: ", ")
        let rows = [
            "INSERT INTO site VALUES (1, 'Hut')", "INSERT INTO calm VALUES \(calm)",
            ItemTable.rows,
        ]
        return Self.beside + [item] + rows + prepare(kind)
    }

    var deviceSchema: String {
        (Self.beside + [item, prepareDevice]).joined(separator: "; ")
    }
}
