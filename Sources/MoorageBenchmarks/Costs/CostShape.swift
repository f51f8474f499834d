import Foundation

/// How large a measured centre is, in each direction that a cost may grow with.
struct CostShape: Sendable {
    var tables = 1
    /// Rows of the first table; the others have a hundred each.
    var rows = 10_000
    /// Among which the rows are dealt out by a column; 0 where all are everyone's.
    var tenants = 0
    /// Of the first tenants, a device's user each.
    var users = 1
    /// Devices that came before, with ten batches each.
    var devices = 0
    /// Edits of rows since the tables were attached.
    var edits = 0
    /// Rows that were inserted and deleted since then.
    var removals = 0

    static func name(_ table: Int) -> String { "item_\(table)" }

    /// The same row has the same key each time, in no order.
    static func key(_ row: Int) -> String {
        let mixed = (UInt64(row) &* 2_654_435_761) % 4_294_967_296
        func hex(_ number: UInt64, _ digits: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        return "\(hex(mixed, 8))-0000-4000-8000-\(hex(UInt64(row), 12))"
    }

    static let columns = Item.columns + ["tenant"]
    static func note(_ row: Int) -> String { "the note of row \(row)" }

    /// `Item`'s row, and whose it is.
    func createSQL(_ table: Int) -> String {
        let count = table == 0 ? rows : 100
        return """
            CREATE TABLE \(Self.name(table)) (
              id text PRIMARY KEY, name text NOT NULL, note text, quantity bigint, flags bigint,
              price double precision, updated_at text, tenant bigint NOT NULL);
            \(insertSQL(table, 0, count))
            """
    }

    func insertSQL(_ table: Int, _ first: Int, _ count: Int) -> String {
        """
        INSERT INTO \(Self.name(table))
        SELECT lpad(to_hex((i * 2654435761) % 4294967296), 8, '0') || '-0000-4000-8000-'
                 || lpad(to_hex(i), 12, '0'),
               'the name of row ' || i, 'the note of row ' || i, i % 1000, i * 7919 % 100000,
               (i * 104729 % 1000000) / 100.0, '2026-03-10T08:' || (10 + i % 50) || ':07.123Z',
               i % \(max(1, tenants))
        FROM generate_series(\(first)::bigint, \(first + count - 1)::bigint) AS i;
        """
    }

    /// The same shape in the server's own words.
    func configuration(secret: String) -> String {
        let scope = tenants == 0 ? "{}" : "{scope: {tenant: tenant}}"
        let names = (0..<tables).map { "  \(Self.name($0)): \(scope)" }
        let keys = (0..<users).map {
            "  user\($0): {key: \(Self.apiKey($0)), claims: {tenant: \($0)}}"
        }
        let scopes = tenants == 0 ? "" : "scopes: {tenant: claims.tenant}"
        return """
            secret: \(secret)
            listen: 127.0.0.1:0
            limits: {requestsPerMinute: 1000000, connections: 2000, exchanges: 2000}
            \(scopes)
            apiKeys:
            \(keys.joined(separator: "\n"))
            tables:
            \(names.joined(separator: "\n"))
            """
    }

    static func apiKey(_ user: Int) -> String { "key-of-a-measured-user-0123456789-\(user)" }
}
