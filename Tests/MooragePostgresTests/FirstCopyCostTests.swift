import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MooragePostgres

/// Where the tracking rows lie that a first copy reads by key: counted in the tracking table's own pages,
/// not in time.
@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable))
struct `What a first copy reads of tracking rows` {
    @Test(arguments: [
        ("id text PRIMARY KEY", "md5(i::text)", "k0"),
        ("id text COLLATE \"en-x-icu\" PRIMARY KEY", "chr(65 + i % 50) || md5(i::text)", "k0"),
        ("id uuid PRIMARY KEY", "md5(i::text)::uuid", "k0"),
        ("id bigint PRIMARY KEY", "i * 7919 % 10007", "k0"),
        (
            "id integer, part text, PRIMARY KEY (id, part)", "i * 7919 % 17, md5(i::text)",
            "k0, k1"
        ),
    ])
    func `lies side by side, in whichever order the rows came`(
        columns: String, values: String, keys: String
    ) throws {
        try PostgresServer.withDatabase { subject in
            try subject.session().execute(
                """
                CREATE TABLE item (\(columns));
                INSERT INTO item SELECT \(values) FROM generate_series(1, \(Self.rowCount)) AS i;
                """)
            try subject.attach()
            let track = try OwnerSchema("public").table(subject.table("item").objectName("track"))
            let (all, first) = try subject.postgres.perform { connection in
                (
                    try pages(of: track, on: connection),
                    try pages(
                        of:
                            "(SELECT ctid FROM \(track) ORDER BY \(keys) LIMIT \(Self.rowCount / 10))",
                        on: connection)
                )
            }
            // A tenth of the rows may begin and end within a page.
            #expect(all > 20 && first <= all / 10 + 2, "\(first) of \(all) pages")
        }
    }

    private static let rowCount = 5_000

    /// In how many pages the rows lie.
    private func pages(of rows: String, on connection: any CentralConnection) throws -> Int64 {
        let found = try connection.run(
            "SELECT count(DISTINCT (r.ctid::text::point)[0]) FROM \(rows) AS r", [])
        guard case .integer(let count)? = found.first?.first else {
            throw TestFailure("the count is no number")
        }
        return count
    }
}
