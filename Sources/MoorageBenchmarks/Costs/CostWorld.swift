import Foundation
import Moorage
import MoorageTesting
import MoorageWire

#if Server
    import MoorageAsyncHTTP
#endif

/// A centre of one shape, and a server that serves it.
final class CostWorld {
    let shape: CostShape
    let database: String
    let server: ServeProcess
    /// A program that writes to the centre past the hub.
    let central: PostgresLink
    /// In another database of the cluster.
    let elsewhere: PostgresLink
    let bytes = TravelledBytes()

    private init(_ shape: CostShape, _ scratch: PostgresScratch, _ other: String, _ folder: URL)
        throws
    {
        self.shape = shape
        database = scratch.url.split(separator: "/").last.map(String.init) ?? ""
        central = try PostgresLink(scratch.url)
        elsewhere = try PostgresLink(other)
        try central.run(
            (0..<shape.tables).map { shape.createSQL($0) }.joined(separator: "\n"))
        let file = folder.appending(path: "moorage-\(UUID().uuidString).yaml")
        try shape.configuration(secret: ServerProcess.secret)
            .write(to: file, atomically: true, encoding: .utf8)
        try ServeProcess.attach(database: scratch.url, configuration: file)
        for statement in SeededHistory(shape).statements { try central.run(statement) }
        try central.run("VACUUM ANALYZE")
        server = try ServeProcess(database: scratch.url, configuration: file)
    }

    /// Makes a centre, and removes it after the work.
    static func with(
        _ shape: CostShape, folder: URL, _ work: (CostWorld, Meter) async throws -> Void
    ) async throws {
        guard let address = PostgresScratch.serverURL else { return }
        let scratch = try PostgresScratch(address)
        let other = try PostgresScratch(address)
        func remove() throws {
            try scratch.remove()
            try other.remove()
        }
        do {
            let world = try CostWorld(shape, scratch, other.url, folder)
            defer { world.server.stop() }
            try await work(world, try Meter(world, reading: other.url))
        } catch {
            try remove()
            throw error
        }
        try remove()
    }

    #if Server
        /// A way to the server with a connection of its own.
        ///
        /// - Parameter user: `nil` for who comes with the shared secret.
        func connection(user: Int?) -> HTTPHubConnection {
            HTTPHubConnection(
                url: server.url, secret: user.map(CostShape.apiKey) ?? ServerProcess.secret,
                transport: CountingTransport(base: AsyncHTTPTransport(), bytes: bytes))
        }
    #endif

    /// A program edits rows of the first table, in one statement.
    func edit(_ rows: [Int]) throws {
        let keys = rows.map { "'\(CostShape.key($0))'" }.joined(separator: ", ")
        try central.run("UPDATE item_0 SET quantity = quantity + 1 WHERE id IN (\(keys))")
    }
}
