import Foundation
import GRDB
import Moorage

/// An app's own writes, which the replica's triggers track.
struct TrackingGuards {
    let folder: URL

    var all: [Guard] {
        [
            writing("app's insert, tracked", into: []) { try $0.insert($1) },
            writing("app's update, tracked", into: base) { try $0.update($1) },
            writing("app's delete, tracked", into: base) { try $0.delete($1) },
        ]
    }

    /// As many as are ever written.
    private var base: [Item] { Item.rows(6_000, seed: 1) }

    private func writing(
        _ name: String, into base: [Item],
        _ write: @escaping (RawSQLite, ArraySlice<Item>) throws -> Void
    ) -> Guard {
        Guard(name: name) { size in
            let path = folder.appending(path: "\(UUID().uuidString).db").path
            let file = try RawSQLite(path)
            try file.run(Item.sqliteSchema)
            _ = try await Replica(
                database: try DatabaseQueue(path: path), hub: .direct(NoHub()),
                tables: [.table("item")])
            try file.upsertGuarded(base, rowsPerTransaction: max(1, base.count))
            let items = Item.rows(size, seed: 1)
            return GuardedWork(connections: [file.withHandle { $0 }]) {
                try write(file, items[...])
            }
        }
    }
}
