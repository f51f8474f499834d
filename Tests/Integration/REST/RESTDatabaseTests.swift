import MoorageCore
import MoorageHub
import MoorageREST
import TestSupport
import Testing

@Suite(.ownThreads) struct `REST on each database` {
    private static let schema = [
        """
        CREATE TABLE customer (
          id VARCHAR(20) NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL, owner VARCHAR(20))
        """,
        """
        CREATE TABLE purchase (
          id INTEGER NOT NULL PRIMARY KEY, customer VARCHAR(20), freight DECIMAL(20,2),
          made TIMESTAMP NULL, shipped DATE,
          FOREIGN KEY (customer) REFERENCES customer (id))
        """,
        "INSERT INTO customer VALUES ('a', 'Åsa', 'ann'), ('B', 'Bo', 'bob'), ('c', 'Cid', NULL)",
        """
        INSERT INTO purchase VALUES
          (1, 'a', 9.80, '2026-01-05 10:00:00', '2026-01-06'),
          (2, 'B', 1234567890123.25, '2026-01-04 10:00:00', NULL),
          (3, 'B', NULL, NULL, '2026-01-02'), (4, NULL, 9.80, '2026-01-05 10:00:01', NULL)
        """,
    ]

    private struct Program: Sendable {
        let service: RESTService
        var user: Principal?

        func send(
            _ method: String, _ path: String, query: String? = nil,
            _ headers: [(name: String, value: String)] = [], body: String? = nil
        ) async throws -> (status: Int, json: JSON, etag: String?) {
            var headers = headers
            if body != nil { headers.append(("Content-Type", "application/json")) }
            let request = RESTRequest(
                method: method, path: path, query: query, headers: headers,
                body: Array((body ?? "").utf8))
            guard let route = try RESTService.route(method: method, path: path) else {
                return (404, .null, nil)
            }
            let response = try await service.respond(to: request, route: route, for: user)
            return (
                response.status, (try? JSON(parsing: response.body)) ?? .null,
                response.headers.first { $0.name == "ETag" }?.value
            )
        }

        /// The ids of a list, in its order, page by page.
        func ids(_ table: String, _ query: String, limit: Int = 2) async throws -> [String] {
            var ids: [String] = []
            var after = ""
            while true {
                let page = try await send(
                    "GET", "/v1/tables/\(table)", query: "\(query)&limit=\(limit)\(after)")
                guard page.status == 200, case .array(let rows)? = page.json["rows"] else {
                    return ids + ["status \(page.status): \(page.json["detail"]?.text ?? "")"]
                }
                ids += rows.compactMap { $0["id"]?.text }
                guard case .string(let next)? = page.json["next"] else { return ids }
                after = "&after=\(next)"
            }
        }
    }

    private static func run(
        _ kind: CentreKind, configuration: HubConfiguration = HubConfiguration(),
        _ test: @escaping @Sendable (Program) async throws -> Void
    ) async throws {
        try await World.run(kind, schema: schema, configuration: configuration) { world in
            try await test(
                Program(
                    service: RESTService(hub: world.hub), user: Principal(subject: "ann")))
        }
    }

    @Test(arguments: CentreKind.available)
    func `reads by filter, in an order, page by page`(kind: CentreKind) async throws {
        try await Self.run(kind) { program in
            for (query, expected) in [
                ("sort=-freight,made", ["2", "1", "4", "3"]),
                ("sort=made", ["3", "2", "1", "4"]),
                ("sort=customer,-id", ["4", "3", "2", "1"]),
                ("filter=freight%3D9.8", ["1", "4"]),
                ("filter=freight>1234567890123.24", ["2"]),
                ("filter=made>'2026-01-05%2010:00:00'", ["4"]),
                ("filter=made<='2026-01-05%2010:00:00'&sort=-made", ["1", "2"]),
                ("filter=shipped+IS+NULL+AND+NOT+customer='b'", ["2"]),
                ("filter=customer+IN+('a','b')", ["1"]),
            ] {
                #expect(try await program.ids("purchase", query) == expected, "\(query)")
            }
            #expect(
                try await program.ids("customer", "sort=name", limit: 1) == ["B", "c", "a"])
            let row = try await program.send(
                "GET", "/v1/tables/purchase/2", query: "related=customer")
            #expect(row.json["freight"]?.text == "1234567890123.25")
            #expect(row.json["$related"]?["customer"]?["name"]?.text == "Bo")
            let counted = try await program.send(
                "GET", "/v1/tables/customer", query: "count=true&related=purchase")
            #expect(counted.json["count"]?.text == "3")
        }
    }

    @Test(arguments: CentreKind.available)
    func `writes rows in the versions that it expects`(kind: CentreKind) async throws {
        try await Self.run(kind) { program in
            let made = try await program.send(
                "POST", "/v1/tables/purchase",
                body: """
                    {"customer":"a","freight":"0.10","made":"2026-02-01T08:30:00","shipped":null}
                    """)
            #expect(made.status == 201)
            let path = "/v1/tables/purchase/\(made.json["id"]?.text ?? "")"
            let first = try #require(made.etag)
            let read = try await program.send("GET", path)
            #expect(read.etag == first)
            let changed = try await program.send(
                "PATCH", path, [("If-Match", first)], body: #"{"freight":"0.20"}"#)
            #expect(changed.status == 200 && changed.etag != first)
            let late = try await program.send(
                "PATCH", path, [("If-Match", first)], body: #"{"freight":"0.30"}"#)
            #expect(late.status == 412)
            let dangling = try await program.send("PATCH", path, body: #"{"customer":"x"}"#)
            #expect(dangling.status == 409 && dangling.json["code"]?.text == "foreignKey")
            let batch = try await program.send(
                "POST", "/v1/batch",
                body: """
                    {"operations":[
                      {"op":"insert","table":"customer","row":{"id":"d","name":"Di"}},
                      {"op":"insert","table":"purchase","row":{"id":90,"customer":"d"}},
                      {"op":"insert","table":"purchase","row":{"id":91,"freight":"1"}},
                      {"op":"delete","table":"purchase","key":1}]}
                    """)
            #expect(batch.status == 200)
            let undone = try await program.send(
                "POST", "/v1/batch",
                body: """
                    {"operations":[
                      {"op":"delete","table":"purchase","key":2},
                      {"op":"delete","table":"customer","key":"d"}]}
                    """)
            #expect(undone.status == 409)
            #expect(
                try await program.ids("purchase", "filter=id<90+OR+id>=90").sorted()
                    == ["2", "3", "4", "5", "90", "91"])
            #expect(try await program.send("DELETE", path).status == 204)
            #expect(try await program.send("DELETE", path).status == 404)
        }
    }

    @Test(arguments: CentreKind.available)
    func `carries a named request out once, however often it comes`(
        kind: CentreKind
    ) async throws {
        try await Self.run(kind) { program in
            let answers = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<6 {
                    tasks.addTask {
                        let answer = try await program.send(
                            "POST", "/v1/tables/purchase", [("Idempotency-Key", "k")],
                            body: #"{"customer":"a"}"#)
                        return "\(answer.status) \(answer.json["id"]?.text ?? "")"
                    }
                }
                return try await tasks.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(answers == ["201 5"])
            #expect(try await program.ids("purchase", "filter=id>4") == ["5"])
        }
    }

    @Test(arguments: CentreKind.available)
    func `shows a user no row of another`(kind: CentreKind) async throws {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: [
                "customer": [ScopeRule(.column(kind: "owner", "owner"))],
                "purchase": [ScopeRule(.through(["customer"]))],
            ], holdings: ["owner": .claim("sub")])
        try await Self.run(kind, configuration: configuration) { ann in
            var bob = ann
            bob.user = Principal(subject: "bob")
            #expect(try await ann.ids("purchase", "sort=id") == ["1"])
            #expect(try await bob.ids("purchase", "sort=-id") == ["3", "2"])
            #expect(try await ann.ids("customer", "filter=name<>'x'") == ["a"])
            #expect(try await bob.send("GET", "/v1/tables/purchase/1").status == 404)
            #expect(
                try await bob.send("PATCH", "/v1/tables/purchase/1", body: #"{"freight":null}"#)
                    .status == 404)
            let stolen = try await bob.send(
                "PATCH", "/v1/tables/purchase/2", body: #"{"customer":"a"}"#)
            #expect(stolen.status == 409 || stolen.status == 403)
            let given = try await ann.send(
                "PATCH", "/v1/tables/customer/a", body: #"{"owner":"bob"}"#)
            #expect(given.status == 200 || given.status == 403)
            let count = try await bob.send(
                "GET", "/v1/tables/purchase", query: "count=true&limit=1")
            #expect(count.json["count"]?.text == (given.status == 200 ? "3" : "2"))
        }
    }
}

extension JSON {
    /// The text of a string or a number.
    fileprivate var text: String? {
        switch self {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}
