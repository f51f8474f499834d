#if Server
    import Foundation
    import GRDB
    import Logging
    import Moorage
    import MoorageAsyncHTTP
    import MoorageRESTHub
    import MoorageTesting
    import TestSupport
    import Testing

    /// A REST API in Python that knows nothing of Moorage, behind a network that resets all connections
    /// after each number of bytes that an exchange sends, or receives, in turn. Unlike
    /// `A network that is cut at each byte` these are real connections, and the next one is whole.
    ///
    /// In the gate it is every 53rd byte, and at night every one.
    @Suite(.ownThreads) struct `A REST API in Python` {
        enum Kind: CaseIterable, Sendable {
            case lists, changeFeed

            var arguments: [String] { self == .changeFeed ? ["--feed"] : [] }

            var settings: RESTSettings {
                switch self {
                case .lists: RESTSettings()
                case .changeFeed:
                    RESTSettings(fetching: .changes(), lostAnswers: .idempotencyKey)
                }
            }
        }

        private static let stride = isNightly ? 1 : 53

        @Test(arguments: Kind.allCases, TCPProxy.Direction.allCases)
        func `gets each edit once, wherever connections break`(
            _ kind: Kind, _ direction: TCPProxy.Direction
        ) async throws {
            try await FileManager.withTemporaryFolder("python", in: ScratchFolder.parent) {
                folder in
                let api = try await PythonAPI.start(kind.arguments, folder: folder)
                let proxy = try TCPProxy()
                defer { proxy.close() }
                proxy.lead(to: [api.port])
                let database = try Self.database()
                let replica = try await Self.replica(
                    of: database, at: proxy.url, kind.settings)
                var (cut, step, isCut) = (Self.stride / 2, 0, true)
                while isCut {
                    try await Self.edit(step, database, api)
                    let before = proxy.broken
                    proxy.inject(.cutAfter(bytes: cut, direction))
                    do { try await replica.sync() } catch is ReplicaError {}
                    isCut = proxy.broken > before
                    proxy.heal()
                    try await Self.check(step, database, api, replica)
                    (cut, step) = (cut + Self.stride, step + 1)
                }
                #expect(cut > 500)
                if isNightly {
                    NightPlan.figures("A REST API in Python, \(kind), \(direction): \(step) cuts")
                }
                await api.stop()
            }
        }

        private static func database() throws -> DatabaseQueue {
            let database = try DatabaseQueue()
            try database.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE user(
                          id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL)
                        """)
            }
            return database
        }

        private static func replica(
            of database: DatabaseQueue, at url: String, _ settings: RESTSettings
        ) async throws -> Replica {
            var options = ReplicaOptions()
            options.logger.logLevel = .critical
            let url = try #require(URL(string: url))
            let hub = APIUser.$rest.withValue(settings) {
                RESTHub(url, [APIUser.self], in: database, transport: AsyncHTTPTransport())
            }
            return try await hub.replica(options: options)
        }

        /// An insert, an update and a delete on the device, and an insert and a delete by others.
        private static func edit(
            _ step: Int, _ database: DatabaseQueue, _ api: PythonAPI
        ) async throws {
            try await database.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO user VALUES ('u\(step)', 'new', 'a@b');
                        UPDATE user SET name = 'old' WHERE id = 'u\(step - 1)';
                        DELETE FROM user WHERE id = 'u\(step - 2)';
                        """)
            }
            try await api.add("s\(step)")
            if step > 0 { try await api.delete("s\(step - 1)") }
        }

        private static func check(
            _ step: Int, _ database: DatabaseQueue, _ api: PythonAPI, _ replica: Replica
        ) async throws {
            // Connections that were left open are reset, too, and the first request may meet one.
            for _ in 0..<20 {
                do { try await replica.sync() } catch is ReplicaError {}
                if replica.status.isCaughtUp { break }
            }
            let old = step > 0 ? ["u\(step - 1) old"] : []
            let expected = (["s\(step) theirs", "u\(step) new"] + old).sorted()
            let there = try await api.users()
            #expect(there == expected, "step \(step)")
            let here = try await database.read {
                try String.fetchAll($0, sql: "SELECT id || ' ' || name FROM user ORDER BY id")
            }
            #expect(here == expected, "step \(step)")
            let (refused, overruled) = (
                try await replica.refusedChanges.fetch(), try await replica.overruledChanges.fetch()
            )
            #expect(refused.isEmpty && overruled.isEmpty, "step \(step)")
        }
    }
#endif
