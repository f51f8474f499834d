import GRDB
import MoorageCore
import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

@testable import Moorage

/// The hub's `site` is `place` to apps, or `spot`, and its `name` is `title`.
@Suite(.ownThreads) struct `A column with several names` {
    private static func configuration(
        _ change: (inout HubConfiguration) -> Void = { _ in }
    ) -> HubConfiguration {
        var configuration = HubConfiguration()
        configuration.tableNames = ["site": AppNames(name: "place", renamedFrom: ["spot"])]
        configuration.columns = [
            "site": ColumnSettings(
                names: [
                    "name": AppNames(name: "title", renamedFrom: ["label"]),
                    "height": AppNames(name: "tall"),
                ])
        ]
        change(&configuration)
        return configuration
    }

    private func open(
        _ camp: Camp, _ file: DatabaseQueue, table: String = "place"
    ) async throws -> Replica {
        try await Replica(database: file, hub: .direct(camp.hub), tables: [.table(table)])
    }

    /// A device with these columns, which has synced once.
    private func device(
        _ camp: Camp, _ columns: String, table: String = "place"
    ) async throws -> (DatabaseQueue, Replica) {
        let file = try DatabaseQueue()
        try await file.run("CREATE TABLE \(table)(id TEXT PRIMARY KEY NOT NULL, \(columns))")
        let replica = try await open(camp, file, table: table)
        try await replica.sync()
        return (file, replica)
    }

    private func checkNothingIsLost(_ camp: Camp, _ replica: Replica) async throws {
        #expect(replica.status.suspendedTables.isEmpty && replica.status.pendingCount == 0)
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        #expect(try await replica.overruledChanges.fetch().isEmpty)
        #expect(try await replica.verify().isEmpty)
    }

    @Test(arguments: ["name", "title", "label"])
    func `is synced under the name that the file has`(name: String) async throws {
        let camp = try await Camp(Self.configuration())
        let (file, replica) = try await device(camp, "\(name) TEXT, height INTEGER")
        #expect(try await file.texts("SELECT \(name), height FROM place") == ["Hut|10"])
        try await file.run("UPDATE place SET \(name) = 'Shed', height = 11")
        try await replica.sync()
        #expect(try camp.rows("SELECT name, height FROM site") == [["Shed", "11"]])
        try camp.central.execute("UPDATE site SET name = 'Lodge'")
        try await replica.sync()
        #expect(try await file.texts("SELECT \(name), height FROM place") == ["Lodge|11"])
        try await checkNothingIsLost(camp, replica)
    }

    @Test(arguments: ["site", "place", "spot"])
    func `is in a table with several names`(table: String) async throws {
        let camp = try await Camp(Self.configuration())
        let (file, replica) = try await device(camp, "title TEXT", table: table)
        try await file.run("INSERT INTO \(table) VALUES('s2', 'Barn')")
        try await replica.sync()
        #expect(try camp.rows("SELECT name FROM site WHERE id = 's2'") == [["Barn"]])
        try camp.central.execute("DELETE FROM site WHERE id = 's1'")
        try await replica.sync()
        #expect(try await file.texts("SELECT id FROM \(table)") == ["s2"])
        try await checkNothingIsLost(camp, replica)
    }

    @Test func `keeps its edits when the app takes the new name`() async throws {
        let camp = try await Camp(Self.configuration())
        let (file, _) = try await device(camp, "label TEXT, height INTEGER")
        try await file.run("UPDATE place SET label = 'Shed'")
        try camp.central.execute("UPDATE site SET height = 12")
        try await file.run("ALTER TABLE place RENAME COLUMN label TO title")
        let replica = try await open(camp, file)
        #expect(try await replica.pendingChanges.fetch().count == 1)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT name, height FROM site") == [["Shed", "12"]])
        #expect(try await file.texts("SELECT title, height FROM place") == ["Shed|12"])
        try await checkNothingIsLost(camp, replica)
    }

    /// Nothing that the file remembers tells which new column is which old one. The hub's names do.
    @Test func `keeps its edits when a rebuilt table takes several new names`() async throws {
        let camp = try await Camp(Self.configuration())
        let (file, _) = try await device(camp, "label TEXT, height INTEGER")
        try await file.run("UPDATE place SET label = 'Shed', height = 12")
        try await file.run(
            """
            CREATE TABLE new(id TEXT PRIMARY KEY NOT NULL, tall INTEGER, title TEXT);
            INSERT INTO new SELECT id, height, label FROM place; DROP TABLE place;
            ALTER TABLE new RENAME TO place
            """)
        let replica = try await open(camp, file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT name, height FROM site") == [["Shed", "12"]])
        #expect(try await file.texts("SELECT title, tall FROM place") == ["Shed|12"])
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
    }

    @Test func `is compared if a migration changes it in a rebuilt table`() async throws {
        let camp = try await Camp(Self.configuration())
        let (file, _) = try await device(camp, "label TEXT, height INTEGER")
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v2") { db in
            try db.execute(
                sql: """
                    CREATE TABLE new(id TEXT PRIMARY KEY NOT NULL, label TEXT, height INTEGER);
                    INSERT INTO new SELECT id, lower(label), height FROM place; DROP TABLE place;
                    ALTER TABLE new RENAME TO place
                    """)
        }
        try Replica.migrate(file, with: migrator)
        let replica = try await open(camp, file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try camp.rows("SELECT name, height FROM site") == [["hut", "10"]])
        #expect(try await replica.verify().isEmpty)
    }

    /// To the hub nothing changed, so it would not send the table again by itself.
    @Test func `gets the hub's values if the app adds it beside its old name`() async throws {
        let camp = try await Camp(Self.configuration())
        try camp.central.execute("INSERT INTO site VALUES('s2', 'Barn', 20)")
        let (file, _) = try await device(camp, "label TEXT, height INTEGER")
        try camp.central.execute("DELETE FROM site WHERE id = 's2'")
        try await file.run("ALTER TABLE place ADD COLUMN title TEXT")
        let replica = try await open(camp, file)
        #expect(try await replica.sync().isCaughtUp)
        #expect(try await file.texts("SELECT id, title FROM place") == ["s1|Hut"])
        try camp.central.execute("UPDATE site SET name = 'Lodge'")
        try await replica.sync()
        #expect(try await file.texts("SELECT label, title FROM place") == ["Hut|Lodge"])
        try await file.run("UPDATE place SET title = 'Shed'")
        try await replica.sync()
        #expect(try camp.rows("SELECT name FROM site") == [["Shed"]])
        try await checkNothingIsLost(camp, replica)
    }

    /// An edit of a column that the device has not read begins with nothing: it would add 15.
    @Test func `begins to sync under the app's name, and is merged like any other`() async throws {
        let camp = try await Camp(
            Self.configuration { $0.rules["site"] = TableRules(columns: ["height": .add]) })
        let (file, _) = try await device(camp, "label TEXT")
        try await file.run("ALTER TABLE place ADD COLUMN tall INTEGER")
        let replica = try await open(camp, file)
        try await replica.sync()
        #expect(try await file.texts("SELECT tall FROM place") == ["10"])
        try await file.run("UPDATE place SET tall = tall + 5")
        try camp.central.execute("UPDATE site SET height = 20")
        try await replica.sync()
        #expect(try camp.rows("SELECT height FROM site") == [["25"]])
        #expect(try await file.texts("SELECT tall FROM place") == ["25"])
    }

    @Test func `that the app drops is missing, whatever it was called`() async throws {
        let camp = try await Camp(Self.configuration())
        let (file, _) = try await device(camp, "label TEXT, tall INTEGER")
        try await file.run("ALTER TABLE place DROP COLUMN tall")
        let replica = try await open(camp, file)
        try await replica.sync()
        let suspended = replica.status.suspendedTables
        #expect(suspended.map(\.code) == ["tableSuspended"])
        #expect(suspended.first?.reason.contains("lost its column tall") == true)
    }

    @Test func `may be written as the user's rights say, in the app's names`() async throws {
        let camp = try await Camp(
            Self.configuration {
                let rights = TableRights(update: true, columns: ["height"])
                $0.rights = RightSettings(tables: ["site": ["*": rights]])
            })
        let (_, replica) = try await device(camp, "title TEXT, tall INTEGER", table: "spot")
        let rights = try await replica.rights(on: "spot")
        #expect(!rights.mayInsert && rights.mayUpdate)
        #expect(rights.mayUpdate(column: "tall") && !rights.mayUpdate(column: "title"))
    }

    @Test func `is in a table that the hub suspends under the app's name`() async throws {
        let camp = try await Camp(Self.configuration())
        let (_, replica) = try await device(camp, "title TEXT", table: "spot")
        try camp.central.execute("ALTER TABLE site RENAME COLUMN height TO size")
        try await replica.sync()
        #expect(replica.status.suspendedTables.map(\.name) == ["spot"])
    }
}
