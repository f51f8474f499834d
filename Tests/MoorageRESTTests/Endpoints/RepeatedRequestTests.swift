import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A request that comes again` {
    private let key = [("Idempotency-Key", "k 1")]

    @Test func `gets the answer of the first`() async throws {
        let bench = try await RESTBench()
        let body = #"{"customer":"VINET"}"#
        let first = try await bench.send("POST", "/v1/tables/purchase", key, body: body)
        #expect(first.status == 201, "\(first.text)")
        let again = try await bench.send("POST", "/v1/tables/purchase", key, body: body)
        #expect(again.status == 201 && again.body == first.body)
        #expect(again.headers.map(\.name) == first.headers.map(\.name))
        #expect(again.headers.map(\.value) == first.headers.map(\.value))
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(4)]])
        let other = try await bench.send(
            "POST", "/v1/tables/purchase", [("Idempotency-Key", "k 2")], body: body)
        #expect(other.status == 201 && other.body != first.body)
    }

    @Test func `by another user is another one`() async throws {
        let bench = try await RESTBench()
        for user in ["ann", "bob"] {
            let response = try await bench.send(
                "POST", "/v1/tables/purchase", key, body: "{}", as: Principal(subject: user))
            #expect(response.status == 201)
        }
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(5)]])
    }

    @Test func `gets a refusal again, also after the reason is gone`() async throws {
        let bench = try await RESTBench()
        let body = #"{"city":"Rio"}"#
        let target = "/v1/tables/customer/VINET"
        let first = try await bench.send("PATCH", target, key, body: body)
        #expect(first.status == 409 && first.code == "unique")
        try bench.sql("UPDATE customer SET city = NULL WHERE id = 'HANAR'")
        let again = try await bench.send("PATCH", target, key, body: body)
        #expect(again.status == 409 && again.body == first.body)
        #expect(again.header("Content-Type") == "application/problem+json")
    }

    @Test func `with another question is refused`() async throws {
        let bench = try await RESTBench()
        let target = "/v1/tables/customer/VINET"
        let first = try await bench.send("PATCH", target, key, body: #"{"city":"a"}"#)
        #expect(first.status == 200)
        let body = try await bench.send("PATCH", target, key, body: #"{"city":"b"}"#)
        let minimal = try await bench.send(
            "PATCH", target, key + [("Prefer", "return=minimal")], body: #"{"city":"a"}"#)
        let delete = try await bench.send("DELETE", target, key)
        for response in [body, minimal, delete] {
            #expect(response.status == 422 && response.code == "otherRequest", "\(response.text)")
        }
    }

    @Test func `is carried out where the first was not about rows`() async throws {
        let bench = try await RESTBench()
        let wrong = try await bench.send("POST", "/v1/tables/customer", key, body: "{")
        #expect(wrong.status == 400)
        let right = try await bench.send(
            "POST", "/v1/tables/customer", key, body: #"{"id":"A","name":"a"}"#)
        #expect(right.status == 201)
        let bad = try await bench.send(
            "DELETE", "/v1/tables/customer/A", [("Idempotency-Key", "é")])
        #expect(bad.status == 400 && bad.code == "malformed")
    }

    @Test func `gets the answer of a batch, too`() async throws {
        let bench = try await RESTBench()
        let body = """
            {"operations":[{"op":"insert","table":"customer","row":{"id":"A","name":"a"}},
            {"op":"delete","table":"purchase","key":9}]}
            """
        let first = try await bench.send("POST", "/v1/batch", key, body: body)
        #expect(first.status == 404 && first.statuses == ["424", "404"])
        try bench.sql("INSERT INTO purchase (id) VALUES (9)")
        let again = try await bench.send("POST", "/v1/batch", key, body: body)
        #expect(again.status == 404 && again.body == first.body)
    }
}

@Suite(.ownThreads) struct `A request with odd text` {
    static let texts = [
        "'; DROP TABLE customer; --", "\"", "x' OR '1'='1", "%", "a,b", "a/b", "é", "e\u{301}",
        " ", "\0", "\u{FEFF}", "..", "$id", "漢😀", "\r\nX: y",
    ]

    @Test(arguments: texts)
    func `writes and finds its row by every way`(text: String) async throws {
        let bench = try await RESTBench()
        let document = JSON.object([("id", .string(text)), ("name", .string(text))]).text
        let insert = try await bench.send("POST", "/v1/tables/customer", body: document)
        #expect(insert.status == 201, "\(insert.text)")
        let location = try #require(insert.header("Location"))
        #expect(location == "/v1/tables/customer/\(PercentEncoding.encode(text))")
        #expect(try await bench.send("GET", location).text == insert.text)
        let literal = PercentEncoding.encode(text.replacing("'", with: "''"))
        let list = try await bench.send(
            "GET", "/v1/tables/customer?filter=id+%3D+'\(literal)'&limit=1")
        // A filter takes no NUL.
        if text == "\0" {
            #expect(list.code == "filter")
        } else {
            #expect(list.json["rows"]?.elements.map(\.text) == [insert.text], "\(list.text)")
        }
        #expect(try await bench.send("DELETE", location).status == 204)
        #expect(try bench.rows("SELECT count(*) FROM customer") == [[.integer(2)]])
    }

    @Test(arguments: texts)
    func `names nothing that there is not`(text: String) async throws {
        let bench = try await RESTBench()
        let name = PercentEncoding.encode(text)
        let quoted = PercentEncoding.encode("\"\(text.replacing("\"", with: "\"\""))\"")
        for target in [
            "/v1/tables/\(name)", "/v1/tables/customer?sort=\(quoted)",
            "/v1/tables/customer?columns=\(quoted)", "/v1/tables/customer?related=\(quoted)",
            "/v1/tables/customer?\(name)=1", "/v1/tables/customer?after=\(name)",
        ] {
            let response = try await bench.send("GET", target)
            #expect((400..<500).contains(response.status), "\(target) \(response.text)")
            #expect(response.code != nil)
        }
    }
}
