import MoorageCore
import MoorageHub
import MoorageREST
import TestSupport
import Testing

@Suite(.ownThreads) struct `Stateless sync on each database` {
    private static let schema = [
        """
        CREATE TABLE customer (
          id VARCHAR(20) NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL, owner VARCHAR(20))
        """,
        """
        CREATE TABLE purchase (
          id INTEGER NOT NULL PRIMARY KEY, customer VARCHAR(20), freight DECIMAL(20,2),
          made TIMESTAMP NULL, label VARCHAR(20) UNIQUE,
          FOREIGN KEY (customer) REFERENCES customer (id))
        """,
        """
        CREATE TABLE line (
          purchase INTEGER NOT NULL, number INTEGER NOT NULL, amount INTEGER,
          PRIMARY KEY (purchase, number), FOREIGN KEY (purchase) REFERENCES purchase (id))
        """,
        """
        INSERT INTO customer VALUES
          ('a', 'Åsa', 'ann'), ('B', 'Bo', 'bob'), ('c', 'Cid', 'ann'), ('é', 'Eve', NULL)
        """,
        """
        INSERT INTO purchase VALUES
          (1, 'a', 9.80, '2026-01-05 10:00:00', 'x'), (2, 'B', 1234567890123.25, NULL, NULL),
          (3, 'B', NULL, '2026-01-05 10:00:00', 'y'), (-4, 'c', 9.80, NULL, 'z')
        """,
        "INSERT INTO line VALUES (1, 1, 5), (1, 2, 6), (1, 10, 7), (3, 1, 8)",
    ]

    private struct Client: Sendable {
        let world: World
        var user = Principal(subject: "ann")

        func send(
            _ path: String, _ body: String, key: String? = nil
        ) async throws -> JSON {
            var headers: [(name: String, value: String)] = [("Content-Type", "application/json")]
            if let key { headers.append(("Idempotency-Key", key)) }
            let request = RESTRequest(
                method: "POST", path: path, headers: headers, body: Array(body.utf8))
            guard let route = try RESTService.route(method: "POST", path: path) else {
                return .null
            }
            let response = try await RESTService(hub: world.hub)
                .respond(to: request, route: route, for: user)
            return try JSON(parsing: response.body)
        }

        /// The sections of a manifest's answer: `gone: 1, 2; same: 3`.
        func sections(_ table: String, _ members: String) async throws -> String {
            let answer = try await send(
                "/v1/manifest", #"{"tables":{"\#(table)":{\#(members)}}}"#)
            guard case .object(let sections)? = answer["tables"]?[table] else {
                return answer["detail"]?.text ?? "no answer"
            }
            return sections.compactMap { name, value in
                switch value {
                case .array(let items) where !items.isEmpty && name != "next":
                    let keys = items.map { ($0["key"] ?? $0["result"])?.text ?? "?" }
                    return "\(name): \(keys.joined(separator: ", "))"
                case .number(let text): return "\(name): \(text)"
                default: return nil
                }
            }.joined(separator: "; ")
        }

        /// The statuses of the changes of a table, with those of linked rows.
        func changes(
            _ table: String, _ members: String, key: String? = nil
        ) async throws -> String {
            let answer = try await send(
                "/v1/synchronise", #"{"tables":{"\#(table)":{\#(members)}}}"#, key: key)
            guard case .object(let lists)? = answer["tables"]?[table] else {
                return answer["detail"]?.text ?? "no answer"
            }
            return lists.flatMap { _, list -> [String] in
                guard case .array(let results) = list else { return [] }
                return results.map(\.result)
            }.joined(separator: " ")
        }

        func version(_ table: String, _ key: String) async throws -> String {
            let answer = try await send(
                "/v1/synchronise", #"{"tables":{"\#(table)":{"get":[\#(key)]}}}"#)
            guard case .array(let rows)? = answer["tables"]?[table]?["get"],
                case .string(let version)? = rows.first?["row"]?["$etag"]
            else { return "" }
            return version
        }
    }

    private static func run(
        _ kind: CentreKind, configuration: HubConfiguration = HubConfiguration(),
        _ test: @escaping @Sendable (Client) async throws -> Void
    ) async throws {
        try await World.run(kind, schema: schema, configuration: configuration) { world in
            try await test(Client(world: world))
        }
    }

    @Test(arguments: CentreKind.available)
    func `finds rows by their keys, and between keys`(kind: CentreKind) async throws {
        try await Self.run(kind) { client in
            let a = try await client.version("customer", #""a""#)
            try client.world.centre.execute("DELETE FROM customer WHERE id = 'é'")
            #expect(
                try await client.sections(
                    "customer",
                    #""rows":[{"key":"a","version":"\#(a)"},{"key":"B","synced":true},"#
                        + #"{"key":"A"},{"key":"é"},{"key":"x","version":"x"}]"#)
                    == #"missingHere: "A"; missingThere: "c"; newerHere: "B"; gone: "é", "x"; same: 1"#
            )
            for (table, range, expected) in [
                ("customer", #""after":"B","upTo":"b""#, #"missingThere: "a"; same: 0"#),
                ("customer", #""limit":2"#, #"missingThere: "B", "a"; same: 0"#),
                ("customer", #""after":"a""#, #"missingThere: "c"; same: 0"#),
                ("purchase", #""after":-10,"upTo":1"#, "missingThere: -4, 1; same: 0"),
                ("purchase", #""after":-4,"upTo":2"#, "missingThere: 1, 2; same: 0"),
                (
                    "line", #""after":[1,1],"upTo":[3,0]"#,
                    "missingThere: [1,2], [1,10]; same: 0"
                ),
                ("line", #""upTo":[1,2],"limit":1"#, "missingThere: [1,1]; same: 0"),
            ] {
                #expect(try await client.sections(table, range) == expected, "\(range)")
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `compares times and digests`(kind: CentreKind) async throws {
        try await Self.run(kind) { client in
            let times = try await client.sections(
                "purchase",
                #""modified":"made","rows":[{"key":1,"modified":"2026-01-05T10:00:00"},"#
                    + #"{"key":2,"modified":null},{"key":3,"modified":"2026-01-05T10:00:01"},"#
                    + #"{"key":-4,"modified":"2026-01-01T10:00:00"}]"#)
            #expect(times == "newerThere: 3, -4; same: 2")
            // SHA-256 of `1,a,9.80,x` and of `2,B,1234567890123.25,!`. SQLite has 9.8.
            let first =
                kind == .sqlite
                ? "55d430e1fc709bde61bf341236c3187b43520c6d17c6d70fe640804536e9693b"
                : "442b63eaedc66e9befa88dc27b8841ed78e4649c9da1feb49e12be8345e3b555"
            let second = "cfda0e6292940e8d0a3c8a4e90f4475b040b83f70da1da4e17d2d351f1fa0fb2"
            let digests = try await client.sections(
                "purchase",
                #""digest":["id","customer","freight","label"],"upTo":2,"after":0,"rows":["#
                    + #"{"key":1,"digest":"\#(first)"},{"key":2,"digest":"\#(second)"}]"#)
            #expect(digests == "same: 2")
            // Of nothing, and of all lines.
            let none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            let all = "2dc0abccd01e4956a0fb681d2316fa235a975e1635154b43716aee9a31fff7d5"
            let ranges = try await client.sections(
                "line",
                #""ranges":[{"after":[9,9],"digest":"\#(none)"},{"digest":"\#(none)"},"#
                    + #"{"digest":"\#(all)"}]"#)
            #expect(ranges == #"ranges: "same", "differs", "same""#)
        }
    }

    @Test(arguments: CentreKind.available)
    func `writes rows that are linked, or none of them`(kind: CentreKind) async throws {
        try await Self.run(kind) { client in
            let changes = try await client.changes(
                "purchase",
                #""add":[{"id":40,"freight":"1.50","$related":{"customer":{"id":"n","name":"N"},"#
                    + #""line":[{"number":1,"amount":1},{"number":2}]}},"#
                    + #"{"label":"x","$related":{"line":[{"number":1}]}}],"#
                    + #""update":[{"id":3,"label":"x","$related":{"line":["#
                    + #"{"number":1,"amount":9},{"number":2}]}}],"delete":[-4,99]"#)
            #expect(changes == "201(201 201 201) 409(409) 409(424 424) 204 204")
            let lines = try await client.sections("line", #""after":[3,0]"#)
            #expect(lines == "missingThere: [3,1], [40,1], [40,2]; same: 0")
            let rows = try await client.sections("purchase", #""rows":[{"key":-4},{"key":99}]"#)
            #expect(rows == "missingHere: 99; missingThere: 1, 2, 3, 40; gone: -4; same: 0")
            let made = try await client.changes(
                "purchase", #""add":[{"label":"v","$related":{"line":[{"number":1}]}}]"#)
            #expect(made == "201(201)")
        }
    }

    @Test(arguments: CentreKind.available)
    func `lets one of two clients of a user win`(kind: CentreKind) async throws {
        try await Self.run(kind) { client in
            for round in 1...5 {
                let version = try await client.version("purchase", "1")
                let row = #"{"id":1,"freight":"\#(round).%","$etag":"\#(version)"}"#
                let results = try await withThrowingTaskGroup(of: String.self) { clients in
                    for number in 1...4 {
                        clients.addTask {
                            try await client.changes(
                                "purchase",
                                #""update":[\#(row.replacing("%", with: String(number)))]"#)
                        }
                    }
                    return try await clients.reduce(into: []) { $0.append($1) }
                }
                #expect(results.sorted() == ["200", "412", "412", "412"])
            }
            let repeated = try await withThrowingTaskGroup(of: String.self) { clients in
                for _ in 1...4 {
                    clients.addTask {
                        try await client.changes(
                            "purchase", #""add":[{"label":"once"}],"delete":[-4],"get":[1]"#,
                            key: "k")
                    }
                }
                return try await clients.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(repeated == ["201 204 200"])
        }
    }

    @Test(arguments: CentreKind.available)
    func `shows a user no row of another`(kind: CentreKind) async throws {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: [
                "customer": [ScopeRule(.column(kind: "owner", "owner"))],
                "purchase": [ScopeRule(.through(["customer"]))],
                "line": [ScopeRule(.through(["purchase"]))],
            ], holdings: ["owner": .claim("sub")])
        try await Self.run(kind, configuration: configuration) { client in
            var bob = client
            bob.user = Principal(subject: "bob")
            try client.world.centre.execute(
                "UPDATE customer SET owner = 'bob' WHERE id = 'c'; DELETE FROM line WHERE amount = 8"
            )
            let rows = #""rows":[{"key":1},{"key":2},{"key":-4},{"key":9}]"#
            #expect(
                try await client.sections("purchase", rows)
                    == "missingHere: 2, 9; conflicting: 1; gone: -4; same: 0")
            #expect(
                try await bob.sections("purchase", rows)
                    == "missingHere: 1, 9; missingThere: 3; conflicting: 2, -4; same: 0")
            #expect(
                try await client.sections("line", #""rows":[{"key":[3,1]}]"#)
                    == "missingHere: [3,1]; missingThere: [1,1], [1,2], [1,10]; same: 0")
            #expect(
                try await bob.sections("line", #""rows":[{"key":[3,1]}]"#)
                    == "gone: [3,1]; same: 0")
            // What is not there for a user is gone already.
            #expect(try await bob.changes("line", #""delete":[[1,1]],"get":[[1,1]]"#) == "204 404")
            #expect(try await client.changes("line", #""get":[[1,1]]"#) == "200")
        }
    }
}

extension JSON {
    /// A string or a number as it is, and a list as JSON.
    fileprivate var text: String {
        String(decoding: JSONWriter.document { $0.json(self) }, as: UTF8.self)
    }

    /// The status of a change, with those of the rows that are linked to it.
    fileprivate var result: String {
        guard case .number(let status)? = self["status"] else { return "?" }
        guard case .object(let relations)? = self["$related"] else { return status }
        let linked = relations.flatMap { _, value -> [String] in
            if case .array(let rows) = value { return rows.map(\.result) }
            return [value.result]
        }
        return "\(status)(\(linked.joined(separator: " ")))"
    }
}
