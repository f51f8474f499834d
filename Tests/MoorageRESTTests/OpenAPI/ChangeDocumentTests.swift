import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Changes in an OpenAPI document` {
    private func check(
        _ bench: RESTBench, as user: Principal? = Principal(subject: "ann")
    ) async throws -> SchemaCheck {
        SchemaCheck(document: try await bench.openAPI(as: user))
    }

    private func operation(_ check: SchemaCheck) -> JSON? {
        check.document["paths"]?["/v1/changes"]?["get"]
    }

    private func parameter(_ name: String, _ check: SchemaCheck) -> JSON? {
        operation(check)?["parameters"]?.elements.first { $0["name"]?.string == name }
    }

    private let page = JSON.object([
        (name: "$ref", value: .string("#/components/schemas/Changes"))
    ])

    @Test func `have the form of pages, with inserts, updates and deletes`() async throws {
        let bench = try await RESTBench()
        let check = try await check(bench)
        try bench.sql("INSERT INTO sample (id) VALUES ('6fa9de85-6161-4583-9060-401245a55af9')")
        let first = try await bench.send("GET", "/v1/changes")
        #expect(check.problem(of: first.json, page) == nil)
        #expect(first.json["changes"]?.elements.count == 9)
        try bench.sql("UPDATE purchase SET paid = 1; DELETE FROM line WHERE number = 2")
        let next = try #require(first.json["next"]?.string)
        let second = try await bench.send("GET", "/v1/changes?since=\(next)")
        #expect(check.problem(of: second.json, page) == nil)
        #expect(
            Set(second.json["changes"]?.elements.compactMap { $0["op"]?.string } ?? [])
                == ["update", "delete"])
    }

    @Test(arguments: [
        (#"{"table":"line","op":"delete","key":[1,2]}"#, true),
        (#"{"table":"line","op":"delete","key":[1]}"#, false),
        (#"{"table":"line","op":"delete","key":["1",2]}"#, false),
        (#"{"table":"line","op":"insert","key":[1,2]}"#, false),
        (#"{"table":"line","op":"upsert","key":[1,2]}"#, false),
        (#"{"table":"other","op":"delete","key":[1,2]}"#, false),
        (#"{"op":"delete","key":[1,2]}"#, false),
    ])
    func `have the forms that there are, and no others`(change: String, isOne: Bool) async throws {
        let check = try await check(try await RESTBench())
        let text = #"{"changes":[\#(change)],"next":"a","more":false}"#
        let document = try JSON(parsing: Array(text.utf8))
        #expect(check.accepts(document, page) == isOne)
    }

    @Test func `have an event for each change`() async throws {
        let bench = try await RESTBench()
        let check = try await check(bench)
        let events = try await bench.events("/v1/changes?limit=3", until: "caughtUp")
        let data = events.split(separator: "\n").filter { $0.hasPrefix("data: {\"table\"") }
        #expect(data.count == 8)
        let items = try #require(
            check.resolved(page)?["properties"]?["changes"]?["items"])
        for line in data {
            let change = try JSON(parsing: Array(line.utf8.dropFirst("data: ".utf8.count)))
            #expect(check.problem(of: change, items) == nil)
        }
        let content = operation(check)?["responses"]?["200"]?["content"]
        #expect(content?.members.map(\.name) == ["application/json", "text/event-stream"])
        let id = try #require(parameter("Last-Event-ID", check))
        #expect(id["in"]?.string == "header")
        // A position is of the form that the parameters have.
        let position = try await bench.send("GET", "/v1/changes?limit=1").json["next"]
        for parameter in [id, parameter("since", check)] {
            let schema = try #require(parameter?["schema"])
            #expect(check.accepts(try #require(position), schema))
        }
    }

    @Test func `have no events where the hub grants no streams`() async throws {
        var configuration = HubConfiguration()
        configuration.live.isGranted = false
        let check = try await check(try await RESTBench(configuration))
        let content = operation(check)?["responses"]?["200"]?["content"]
        #expect(content?.members.map(\.name) == ["application/json"])
        #expect(parameter("Last-Event-ID", check) == nil)
    }

    @Test func `are of the tables that the user may read`() async throws {
        var configuration = HubConfiguration()
        configuration.rights = RightSettings(tables: ["line": ["boss": .all]])
        configuration.columns = ["sample": ColumnSettings(hidden: ["doc"])]
        let bench = try await RESTBench(configuration)
        let check = try await check(bench)
        #expect(
            parameter("tables", check)?["schema"]?["items"]?["enum"]?.text
                == #"["customer","purchase","sample"]"#)
        let schemas = check.document["components"]?["schemas"]
        #expect(schemas?["LineChange"] == nil && schemas?["PurchaseChange"] != nil)
        let boss = try await self.check(
            bench, as: Principal(subject: "b", claims: ["roles": ["boss"]]))
        #expect(boss.document["components"]?["schemas"]?["LineChange"] != nil)
        let all = ["customer", "purchase", "line", "sample"].map { ($0, ["boss": TableRights.all]) }
        configuration.rights = RightSettings(tables: Dictionary(uniqueKeysWithValues: all))
        let nothing = try await self.check(try await RESTBench(configuration))
        #expect(operation(nothing) == nil)
        #expect(nothing.document["components"]?["schemas"]?["Changes"] == nil)
    }

    @Test(
        arguments: [
            ("?since=x", [], 410), ("", [("Accept", "text/csv")], 406),
            ("?tables=nothing", [], 404),
            ("?limit=0", [], 400), ("?since=now&limit=1000&tables=purchase,line", [], 200),
        ] as [(String, [(String, String)], Int)])
    func `have answers that are declared`(
        query: String, headers: [(String, String)], status: Int
    ) async throws {
        let bench = try await RESTBench()
        let check = try await check(bench)
        let response = try await bench.send("GET", "/v1/changes" + query, headers)
        #expect(response.status == status)
        let answer = try #require(
            operation(check)?["responses"]?["\(status)"].flatMap { check.resolved($0) })
        let type = try #require(response.header("Content-Type"))
        let schema = try #require(answer["content"]?[type]?["schema"])
        #expect(check.problem(of: response.json, schema) == nil)
    }
}
