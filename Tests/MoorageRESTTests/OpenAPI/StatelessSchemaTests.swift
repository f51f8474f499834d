import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

/// The schemas of requests of clients that track nothing, against requests that are answered.
@Suite(.ownThreads) struct `The schemas of stateless sync` {
    private let bench: RESTBench
    private let check: SchemaCheck

    init() async throws {
        bench = try await RESTBench()
        check = SchemaCheck(document: try await bench.openAPI())
    }

    private func schema(_ path: String, _ part: String) throws -> JSON {
        let operation = try #require(check.document["paths"]?[path]?["post"])
        let holder =
            part == "request" ? operation["requestBody"] : operation["responses"]?["200"]
        return try #require(holder?["content"]?["application/json"]?["schema"])
    }

    private static let requests: [(path: String, body: String)] = [
        ("/v1/manifest", "{}"), ("/v1/manifest", #"{"tables":{}}"#), ("/v1/manifest", "[]"),
        ("/v1/manifest", #"{"tables":{"line":null,"purchase":[],"customer":{"rows":{}}}}"#),
        (
            "/v1/manifest",
            """
            {"tables":{
              "line":{"after":[1,1],"upTo":null,"limit":5,"rows":[
                {"key":[1,2],"version":"x","synced":false},{"key":[9,9],"deleted":true}]},
              "purchase":{"modified":"shipped","digest":["id"],"rows":[
                {"key":1,"modified":"1996-07-16"},{"key":2,"digest":"x","synced":true},{"key":8}]},
              "customer":{"ranges":[{"upTo":"M","digest":"x"},{"after":"M","digest":""}]}}}
            """
        ),
        ("/v1/synchronise", #"{"tables":{"customer":{"add":null,"get":{}}},"atomic":null}"#),
        (
            "/v1/synchronise",
            """
            {"tables":{"purchase":{
              "add":[{"paid":true,"$related":{"line":[{"number":1,"amount":5}],
                "customer":{"id":"N","name":"n","$etag":null}}}],
              "update":[{"id":1,"$etag":"x","paid":false},{"id":3,"paid":true,
                "$related":{"line":[{"number":1,"amount":6,"$related":{"purchase":{"id":3}}}]}}],
              "delete":[2,2,{"key":3,"version":"x"}],"get":[1,{"key":9}],
              "related":["customer","line.purchase"]},
             "line":{"delete":[[1,1],{"key":[1,2]}],"get":[[3,1]]}}}
            """
        ),
    ]

    @Test func `accept what is answered, and describe the answers`() async throws {
        for (path, body) in Self.requests {
            let request = check.problem(of: try JSON(parsing: body), try schema(path, "request"))
            #expect(request == nil, "\(body)")
            let answer = try await bench.send("POST", path, body: body)
            #expect(answer.status == 200, "\(answer.text)")
            let problem = check.problem(of: answer.json, try schema(path, "response"))
            #expect(problem == nil, "\(answer.text)")
        }
    }

    /// Members of a table's manifest, of which some contradict each other.
    private static let members = [
        #""rows":[]"#, #""rows":{}"#, #""rows":null"#, #""rows":5"#, #""rows":[5]"#,
        #""rows":[{"key":1}]"#, #""rows":[{"key":1,"version":"x","synced":true}]"#,
        #""rows":[{"key":1,"version":"x","deleted":true}]"#, #""rows":[{"version":"x"}]"#,
        #""rows":[{"key":1,"synced":true,"deleted":true}]"#, #""rows":[{"key":1,"other":1}]"#,
        #""rows":[{"key":1,"version":null,"modified":"1996-07-16"}]"#,
        #""rows":[{"key":1,"version":"x","modified":null}]"#,
        #""rows":[{"key":1,"digest":"x"},{"key":2}]"#, #""rows":[{"key":1,"digest":null}]"#,
        #""rows":[{"key":1,"digest":"x","modified":"1996-07-16"}]"#,
        #""rows":[{"key":1,"digest":"x","version":"x"}]"#, #""rows":[{"key":[1,2]}]"#,
        #""modified":null"#, #""modified":"shipped""#, #""modified":"id""#,
        #""modified":"customer""#, #""modified":[]"#, #""digest":[]"#, #""digest":{}"#,
        #""digest":["id"]"#, #""digest":["id","customer"]"#, #""digest":["id","id"]"#,
        #""digest":["none"]"#, #""digest":[5]"#, #""after":null"#, #""after":1"#,
        #""after":[1,2]"#, #""upTo":2"#, #""upTo":{}"#, #""limit":5"#, #""limit":0"#,
        #""limit":null"#, #""limit":[]"#, #""modified":{}"#, #""after":[]"#, #""ranges":[]"#,
        #""ranges":null"#,
        #""ranges":[{"digest":"x"}]"#, #""ranges":[{"digest":"x","upTo":1}]"#,
        #""ranges":[{"upTo":1}]"#, #""ranges":[{"digest":"x","other":1}]"#, #""ranges":5"#,
        #""other":[]"#,
    ]

    /// What the server finds out by the types of values, which are 422.
    @Test(arguments: UInt64(1)...10)
    func `accept exactly what is understood`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let schema = try schema("/v1/manifest", "request")
        for _ in 1...60 {
            var members: [String: String] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let member = Self.members[Self.members.indices.randomElement(using: &random) ?? 0]
                members[String(member.prefix { $0 != ":" })] = member
            }
            let body =
                #"{"tables":{"purchase":{\#(members.values.sorted().joined(separator: ","))}}}"#
            let isAccepted = check.accepts(try JSON(parsing: body), schema)
            let answer = try await bench.manifest(body)
            #expect(isAccepted == (answer.status == 200), "\(body) \(answer.text)")
            #expect(isAccepted || [400, 422].contains(answer.status), "\(body)")
        }
    }

    @Test func `refuse what is refused`() async throws {
        for (path, body) in [
            ("/v1/manifest", #"{"table":{}}"#), ("/v1/manifest", #"{"tables":{"nothing":{}}}"#),
            ("/v1/manifest", "5"), ("/v1/manifest", #"{"tables":[{}]}"#),
            ("/v1/synchronise", #"{"tables":{"line":{"put":[]}}}"#),
            ("/v1/synchronise", #"{"tables":{"line":{"related":1}}}"#),
            ("/v1/synchronise", #"{"tables":{"line":{"related":["none"]}}}"#),
            ("/v1/synchronise", #"{"tables":{"line":{"add":5}}}"#),
            ("/v1/synchronise", #"{"tables":{"line":{"delete":[{"version":"x"}]}}}"#),
            ("/v1/synchronise", #"{"atomic":"no"}"#),
        ] {
            let request = check.problem(of: try JSON(parsing: body), try schema(path, "request"))
            #expect(request != nil, "\(body)")
            let answer = try await bench.send("POST", path, body: body)
            #expect(answer.status >= 400 || body.contains("none"), "\(body)")
        }
    }

    @Test func `describe a refusal of all changes`() async throws {
        let answer = try await bench.synchronise(
            #"{"atomic":true,"tables":{"purchase":{"update":[{"id":9,"paid":true}]}}}"#)
        #expect(answer.status == 404)
        let schema = try #require(check.document["components"]?["schemas"]?["Problem"])
        #expect(check.problem(of: answer.json, schema) == nil, "\(answer.text)")
        #expect(answer.changes("purchase") == "update: 404 notFound")
    }
}
