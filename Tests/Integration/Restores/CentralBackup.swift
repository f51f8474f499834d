import Moorage
import MoorageHub
import MoorageWire

/// A copy of all rows of a central database, Moorage's own among them. The copy is beside the
/// originals, so that every database can put it back without tools of its own.
struct CentralBackup {
    private let centre: any Centre
    /// The owner's table comes first: putting its rows back fires Moorage's triggers.
    private let tables: [String]

    init(of centre: any Centre) throws {
        self.centre = centre
        let names = try centre.text(Self.ownTables(centre.kind)) ?? ""
        tables = [DrillLedger.table] + names.split(separator: ",").map(String.init)
        for (number, table) in tables.enumerated() {
            try centre.execute("CREATE TABLE drill_\(number) AS SELECT * FROM \(table)")
        }
    }

    /// Puts every table back as it was. Nobody syncs meanwhile.
    func restore() throws {
        for (number, table) in tables.enumerated() {
            try centre.execute("DELETE FROM \(table)")
            try centre.execute(
                "INSERT INTO \(table) \(overriding) SELECT * FROM drill_\(number)")
        }
    }

    /// PostgreSQL chooses the values of identity columns itself, unless the statement says no.
    private var overriding: String {
        centre.kind == .postgres ? "OVERRIDING SYSTEM VALUE" : ""
    }

    private static func ownTables(_ kind: CentreKind) -> String {
        switch kind {
        case .sqlite:
            """
            SELECT group_concat(name) FROM sqlite_master
            WHERE type = 'table' AND name LIKE 'moorage%'
            """
        case .postgres:
            """
            SELECT string_agg(table_name, ',') FROM information_schema.tables
            WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
              AND table_name LIKE 'moorage%'
            """
        case .mariadb:
            """
            SELECT group_concat(table_name) FROM information_schema.tables
            WHERE table_schema = database() AND table_type = 'BASE TABLE'
              AND table_name LIKE 'moorage%'
            """
        }
    }
}

extension World {
    /// A hub that was started again on the same central database.
    func restarted() throws -> World { try moved(to: centre) }

    /// The same devices beside another central database.
    func moved(to centre: any Centre) throws -> World {
        let hub = Hub(database: try centre.connector())
        return World(
            centre: centre, hub: hub, link: .direct(hub), way: .direct, url: url, folder: folder)
    }
}
