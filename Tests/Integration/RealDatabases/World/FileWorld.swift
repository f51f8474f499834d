import Foundation
import MoorageHub
import MoorageSQLite

/// A world without faults: a SQLite file, a server in this process, and two devices that sync on
/// request.
struct FileWorld: @unchecked Sendable {
    // `@unchecked`: one test uses it, from one task.
    let centre: FileCentre
    /// The hub's own access to the file.
    let database: SQLiteDatabase
    let url: String
    let devices: [FireDevice]

    static func run(
        in folder: URL, _ body: @escaping @Sendable (FileWorld) async throws -> Void
    ) async throws {
        let centre = FileCentre(folder: folder)
        try centre.create()
        let database = try SQLiteDatabase(path: centre.path)
        let hub = Hub(database: database)
        _ = try await hub.attach(tables: FireSchema.tables)
        try await RunningHub.run(hub, secret: KillSchema.secret) { url in
            let devices = (1...2).map {
                FireDevice(number: $0, folder: folder, environment: [:], options: .init())
            }
            for device in devices { try await device.clone(from: url.absoluteString) }
            try await body(
                FileWorld(
                    centre: centre, database: database, url: url.absoluteString, devices: devices))
        }
    }

    static let known = [
        "parent": Array(1...FireSchema.parents), "child": Array(1...FireSchema.children),
        "leaf": Array(1...FireSchema.leaves),
    ]

    /// Syncs every device until nothing is left to do.
    func converge() async throws {
        for _ in 0..<20 {
            var isBusy = false
            for device in devices where try await device.sync(url) { isBusy = true }
            if !isBusy { return }
        }
    }

    func problems() async throws -> [String] {
        try await FireOracle(centre: centre, devices: devices, officeTokens: []).problems()
    }
}
