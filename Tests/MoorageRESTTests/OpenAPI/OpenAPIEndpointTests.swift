import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `The path of the OpenAPI document` {
    private let path = "/v1/openapi.json"

    @Test func `answers the document with its version`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", path)
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.body == (try await bench.document(as: Principal(subject: "ann"))))
        let etag = try #require(response.header("ETag"))
        let again = try await bench.send("GET", path, [("If-None-Match", etag)])
        #expect(again.status == 304 && again.body.isEmpty && again.header("ETag") == etag)
        let other = try await bench.send("GET", path, [("If-None-Match", "\"x\"")])
        #expect(other.status == 200)
        let changed = try await bench.send("GET", path, [("If-Match", "\"x\"")])
        #expect(changed.status == 412 && changed.code == "changed")
    }

    @Test func `has another version for a user with other rights`() async throws {
        var configuration = HubConfiguration()
        configuration.rights = RightSettings(tables: ["line": ["boss": .all]])
        let bench = try await RESTBench(configuration)
        let ann = try await bench.send("GET", path)
        let boss = try await bench.send(
            "GET", path, as: Principal(subject: "b", claims: ["roles": ["boss"]]))
        #expect(ann.header("ETag") != boss.header("ETag"))
        #expect(!ann.text.contains("/v1/tables/line") && boss.text.contains("/v1/tables/line"))
    }

    @Test func `takes no parameters, and comes as JSON only`() async throws {
        let bench = try await RESTBench()
        #expect(try await bench.send("GET", path + "?a=1").code == "parameter")
        #expect(try await bench.send("GET", path, [("Accept", "text/csv")]).status == 406)
        let post = try await bench.send("POST", path, body: "{}")
        #expect(post.status == 405 && post.header("Allow") == "GET")
    }
}
