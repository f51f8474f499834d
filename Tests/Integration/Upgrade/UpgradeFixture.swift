import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub

/// Files and dumps that the build before format 5, file version 2 and protocol 3 made with its own
/// commands. The centre has scopes, a key block, a deletion marker and a down-only column. The
/// devices of the user `ann` are in many states.
enum UpgradeFixture {
    static let tables = ["project", "member", "task", "tag", "word"]
    static let ann = Principal(subject: "ann")

    static func url(_ name: String) throws -> URL {
        guard let url = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return url.appending(path: name)
    }

    static func text(_ name: String) throws -> String {
        try String(contentsOf: url(name), encoding: .utf8)
    }

    /// A copy that a test may change.
    static func copy(_ name: String, to folder: TemporaryFolder) throws -> String {
        let path = folder.path(name)
        try FileManager.default.copyItem(at: url(name), to: URL(filePath: path))
        return path
    }

    static func hub(_ database: any CentralDatabase) -> Hub {
        var configuration = HubConfiguration(rules: [
            "project": TableRules(keyBlock: 100), "tag": TableRules(softDelete: "gone"),
        ])
        configuration.directions = ["member": .down]
        configuration.columns = ["task": ColumnSettings(downOnly: ["grade"])]
        configuration.scopes = ScopeSettings(
            rules: [
                "project": [ScopeRule(.members(of: "member", kind: "person", "user_id"))],
                "member": [ScopeRule(.column(kind: "person", "user_id"))],
                "task": [ScopeRule(.through(["project_id"]))],
            ],
            unenforcedKeys: ["member": [["project_id"]]],
            holdings: ["person": .claim("sub")])
        return Hub(database: database, configuration: configuration)
    }

    static func replica(_ file: DatabaseQueue, _ hub: Hub) async throws -> Replica {
        try await Replica(
            database: file, hub: .direct(hub.asSeen(by: ann)),
            tables: tables.map { .table($0) })
    }
}

extension DatabaseQueue {
    /// Rows as texts, their columns joined by `|`.
    func joined(_ sql: String) throws -> [String] {
        try read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.map { $0.1.isNull ? "∅" : String.fromDatabaseValue($0.1) ?? $0.1.description }
                    .joined(separator: "|")
            }
        }
    }
}
