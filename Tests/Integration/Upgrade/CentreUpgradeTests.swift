import GRDB
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// Restores a dump of a database, which the previous build attached, in another server. That begins
/// a new epoch.
@Suite("Centres of the build before", .ownThreads) struct CentreUpgradeTests {
    private static let kinds = CentreKind.available.filter { $0 != .sqlite }

    private func restore(_ centre: any Centre) throws {
        let name = centre.kind == .postgres ? "postgres" : "mariadb"
        let dump = try UpgradeFixture.text("centre-\(name).sql")
        switch centre {
        case let centre as MySQLCentre:
            for statement in dump.split(separator: "\n-- next\n") {
                try centre.owner.run(String(statement))
            }
        default: try centre.execute(dump)
        }
    }

    @Test(arguments: kinds)
    func `are upgraded by an attach, and their devices lose nothing`(kind: CentreKind) async throws
    {
        let centre = try kind.make()
        try restore(centre)
        let hub = UpgradeFixture.hub(try centre.connector())
        for _ in 0..<2 { _ = try await hub.attach(tables: UpgradeFixture.tables) }
        #expect(try await hub.doctor().filter { $0.severity == .problem } == [])
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let name = kind == .postgres ? "postgres" : "mariadb"
        let file = try DatabaseQueue(
            path: UpgradeFixture.copy("device-\(name).sqlite", to: folder))
        let replica = try await UpgradeFixture.replica(file, hub)
        for _ in 0..<3 { _ = try await replica.sync() }
        #expect(replica.status.isCaughtUp)
        #expect(try centre.text("SELECT cost FROM task WHERE id = 't1'").flatMap(Double.init) == 12)
        #expect(try centre.text("SELECT title FROM task WHERE id = 't1'") == "Dredge (office)")
        #expect(try file.joined("SELECT id FROM task ORDER BY id") == ["t1"])
        #expect(try file.joined("SELECT id FROM word ORDER BY id") == ["w2", "w3"])
        #expect(try await replica.verify().isEmpty)
        _ = try await hub.detach()
        try centre.close()
    }
}
