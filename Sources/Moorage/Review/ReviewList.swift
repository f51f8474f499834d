public import GRDB
import MoorageCore

/// A list that the replica keeps for review: what is pending, refused, overruled, withheld or
/// dangling.
///
/// ```swift
/// let first = try await replica.refusedChanges.fetch(limit: 20)
/// for try await refused in replica.refusedChanges.values() { show(refused) }
/// ```
public struct ReviewList<Element: Sendable>: Sendable {
    private let database: any DatabaseWriter
    private let store: ReplicaStore
    private let tables: [String]
    private let read: @Sendable (Database, ReplicaStore, Int) throws -> [Element]

    /// - Parameter tables: Where the list is kept.
    init(
        in database: any DatabaseWriter, _ store: ReplicaStore, tables: [String],
        read: @escaping @Sendable (Database, ReplicaStore, _ limit: Int) throws -> [Element]
    ) {
        self.database = database
        self.store = store
        // GRDB cannot observe a table with a double quote in its name.
        self.tables = tables.filter { !$0.utf8.contains(UInt8(ascii: "\"")) }
        self.read = read
    }

    /// The entries at this moment. Refused and overruled changes come oldest first.
    ///
    /// With a `DatabasePool` it does not wait for the app's writes. It never waits for the network.
    ///
    /// - Parameter limit: How many at most.
    /// - Throws: ``ReplicaError`` if the file cannot be read, and `CancellationError` if the task
    ///   is cancelled.
    public func fetch(limit: Int = 1000) async throws -> [Element] {
        try await store.reading(database) { [read] db, store in try read(db, store, limit) }
    }

    /// The entries that a connection of the app sees. In a `ValueObservation` of the app, it counts
    /// as reading the list.
    ///
    /// - Parameters:
    ///   - db: A connection of the replica's own database.
    ///   - limit: How many at most.
    /// - Throws: ``ReplicaError`` and what GRDB throws, if the file cannot be read.
    public func fetch(_ db: Database, limit: Int = 1000) throws -> [Element] {
        for table in tables { try db.registerAccess(to: Table(table)) }
        return try read(db, store, limit)
    }

    /// The entries now, and again each time this process changes them. A slow listener gets the
    /// newest ones only. Iterating throws ``ReplicaError`` and what GRDB throws, if the file cannot
    /// be read.
    ///
    /// - Parameter limit: How many at most.
    public func values(limit: Int = 1000) -> AsyncValueObservation<[Element]> {
        let regions = tables.map { Table($0) }
        return ValueObservation.tracking(regions: regions) { [read, store] db in
            try read(db, store, limit)
        }
        .values(in: database, bufferingPolicy: .bufferingNewest(1))
    }
}
