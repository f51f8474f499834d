import CPostgres
import Foundation

/// A libpq connection: what a program without Moorage would use.
final class PostgresLink {
    private let handle: OpaquePointer?

    init(_ url: String) throws {
        handle = PQconnectdb(url)
        guard PQstatus(handle) == CONNECTION_OK else { throw failure() }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    func run(_ sql: String) throws { try checked(PQexec(handle, sql)) }

    /// The rows of a query as text; NULL is an empty one.
    func rows(_ sql: String) throws -> [[String]] {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw failure() }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
        }
    }

    /// The process that serves this connection.
    var backend: Int { Int(PQbackendPID(handle)) }

    /// Writes rows by one statement, as a program written by hand would: an array for each column.
    func upsert(_ items: [Item]) throws {
        let sql = """
            INSERT INTO item
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[],
              $6::double precision[], $7::text[])
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, note = excluded.note,
              quantity = excluded.quantity, flags = excluded.flags, price = excluded.price,
              updated_at = excluded.updated_at
            """
        func array(_ values: some Sequence<String>) -> [CChar] {
            let text = "{" + values.map { "\"\($0)\"" }.joined(separator: ",") + "}"
            return text.utf8CString.map { $0 }
        }
        let arguments = [
            array(items.map(\.id)), array(items.map(\.name)), array(items.map(\.note)),
            array(items.map { String($0.quantity) }), array(items.map { String($0.flags) }),
            array(items.map { String($0.price) }), array(items.map(\.updatedAt)),
        ]
        let pointers = arguments.map { argument in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: argument.count)
            copy.initialize(from: argument, count: argument.count)
            return UnsafePointer<CChar>?(copy)
        }
        defer { for pointer in pointers { pointer?.deallocate() } }
        try checked(
            PQexecParams(handle, sql, Int32(pointers.count), nil, pointers, nil, nil, 0))
    }

    /// Waits until a channel that this connection listens to was notified; ten seconds at most.
    func waitForNotification() throws {
        while true {
            if let notification = PQnotifies(handle) {
                PQfreemem(notification)
                return
            }
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 10_000) == 1, PQconsumeInput(handle) == 1 else {
                throw failure()
            }
        }
    }

    private func checked(_ result: OpaquePointer?) throws {
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw failure() }
    }

    private func failure() -> BenchmarkFailure {
        BenchmarkFailure(String(cString: PQerrorMessage(handle)))
    }
}
