import GRDB
import MoorageTesting
import Testing

/// How a database keeps what is committed.
struct Durability: CustomTestStringConvertible, Hashable, Sendable {
    enum Journal: String, CaseIterable, Sendable { case delete, truncate, persist, wal }

    let journal: Journal
    let synchronous: String

    var testDescription: String { "\(journal.rawValue) \(synchronous)" }

    static let every = Journal.allCases.map { Durability(journal: $0, synchronous: "FULL") }
}

extension SimulatedDisk {
    /// A database whose pages leave the cache early and whose log is folded back often: more happens.
    func open(_ durability: Durability) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA cache_size = 8;
                    PRAGMA wal_autocheckpoint = 12;
                    PRAGMA journal_mode = \(durability.journal.rawValue);
                    PRAGMA synchronous = \(durability.synchronous);
                    """)
        }
        return try queue("app.sqlite", configuration: configuration)
    }

    /// Nothing is lost from here: what there is counts as written long ago.
    func flush() throws { try restore(snapshot()) }
}

extension DatabaseReader {
    func isWhole() throws -> Bool {
        try read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"]
    }
}
