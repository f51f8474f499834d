#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageAsyncHTTP
    import MoorageRESTHub
    import TestSupport
    import Testing

    /// A user, as the API and the device's table have it. A test chooses the settings.
    struct APIUser: Codable, FetchableRecord, PersistableRecord, Sendable, Uploadable {
        static let databaseTableName = "user"
        static let path = "users"
        @TaskLocal static var rest = RESTSettings()
        var id: String
        var name: String
        var email: String
    }

    /// The API of `Examples/RESTBackend`, in a Python process of its own. Other programs write here.
    struct PythonAPI {
        let port: Int
        private let server: ChildProcess
        private let transport = AsyncHTTPTransport()

        /// Starts the server, and waits until it listens.
        static func start(_ arguments: [String], folder: URL) async throws -> PythonAPI {
            let program = Repository.root.appending(path: "Examples/RESTBackend/server.py")
            let server = try ChildProcess(
                ["python3", program.path, "0"] + arguments, folder: folder,
                program: URL(filePath: "/usr/bin/env"))
            var port: Int?
            try await eventually("the API listens, or has ended") {
                port = server.text.split(separator: "\n").first.flatMap {
                    $0.split(separator: ":").last.flatMap { Int($0) }
                }
                return port != nil || !server.isRunning
            }
            guard let port else { throw ChildProcess.Failure(description: server.text) }
            return PythonAPI(port: port, server: server)
        }

        private init(port: Int, server: ChildProcess) {
            self.port = port
            self.server = server
        }

        func stop() async { await server.stop() }

        /// Id and name of each user, in order.
        func users() async throws -> [String] {
            struct Feed: Decodable { let items: [APIUser] }
            let answer = Data(try await send("GET", "users"))
            let users =
                try (try? JSONDecoder().decode([APIUser].self, from: answer))
                ?? JSONDecoder().decode(Feed.self, from: answer).items
            return users.map { "\($0.id) \($0.name)" }.sorted()
        }

        func add(_ id: String) async throws {
            _ = try await send("POST", "users", #"{"id":"\#(id)","name":"theirs","email":"a@b"}"#)
        }

        func delete(_ id: String) async throws { _ = try await send("DELETE", "users/\(id)") }

        private func send(
            _ method: String, _ path: String, _ body: String = ""
        ) async throws -> [UInt8] {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/\(path)"))
            let response = try await transport.send(
                HTTPTransportRequest(
                    method: method, url: url, headers: [("Content-Type", "application/json")],
                    body: Array(body.utf8)))
            var bytes: [UInt8] = []
            for try await chunk in response.body { bytes += chunk }
            return bytes
        }
    }
#endif
