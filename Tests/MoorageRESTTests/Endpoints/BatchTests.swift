import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A batch` {
    private func batch(
        _ bench: RESTBench, _ body: String, _ headers: [(String, String)] = []
    ) async throws -> RESTResponse {
        try await bench.send("POST", "/v1/batch", headers, body: body)
    }

    @Test func `carries out writes to any tables, in any order`() async throws {
        let bench = try await RESTBench()
        let response = try await batch(
            bench,
            """
            {"operations":[
              {"op":"insert","table":"line","row":{"purchase":9,"number":1,"amount":2}},
              {"op":"insert","table":"purchase","row":{"id":9,"customer":"NEW"}},
              {"op":"upsert","table":"customer","row":{"id":"NEW","name":"New"}},
              {"op":"upsert","table":"customer","row":{"id":"VINET","name":"Vines"}},
              {"op":"update","table":"purchase","key":2,"row":{"paid":true}},
              {"op":"replace","table":"customer","key":"HANAR","row":{"name":"H","city":null}},
              {"op":"delete","table":"line","key":[1,2]}
            ]}
            """)
        #expect(response.status == 200, "\(response.text)")
        #expect(response.statuses == ["201", "201", "201", "200", "200", "200", "204"])
        let results = try #require(response.json["results"]).elements
        #expect(results[2]["row"]?.plain == #"{"id":"NEW","name":"New","city":null}"#)
        #expect(results[2]["row"]?["$etag"] != nil)
        #expect(results[6].text == #"{"status":204}"#)
        #expect(try bench.rows("SELECT count(*) FROM line") == [[.integer(3)]])
    }

    @Test func `is carried out whole, or not at all`() async throws {
        let bench = try await RESTBench()
        let response = try await batch(
            bench,
            """
            {"atomic":true,"operations":[
              {"op":"update","table":"customer","key":"VINET","row":{"name":"x"}},
              {"op":"insert","table":"line","row":{"purchase":1,"number":9,"amount":-1}},
              {"op":"delete","table":"purchase","key":9}
            ]}
            """)
        #expect(response.status == 404 && response.code == "notFound", "\(response.text)")
        #expect(response.header("Content-Type") == "application/problem+json")
        #expect(response.statuses == ["424", "424", "404"])
        #expect(
            try bench.rows("SELECT name FROM customer WHERE id = 'VINET'") == [[.text("Vins")]])
        let check = try await batch(
            bench,
            """
            {"operations":[
              {"op":"update","table":"customer","key":"VINET","row":{"name":"x"}},
              {"op":"insert","table":"line","row":{"purchase":1,"number":9,"amount":-1}}
            ]}
            """)
        #expect(check.status == 422 && check.code == "check", "\(check.text)")
        #expect(check.statuses == ["424", "422"])
        #expect(
            try bench.rows("SELECT name FROM customer WHERE id = 'VINET'") == [[.text("Vins")]])
    }

    @Test func `is carried out in part, if that is asked`() async throws {
        let bench = try await RESTBench()
        let response = try await batch(
            bench,
            """
            {"atomic":false,"operations":[
              {"op":"update","table":"customer","key":"VINET","row":{"name":"x"}},
              {"op":"insert","table":"line","row":{"purchase":1,"number":9,"amount":-1}},
              {"op":"insert","table":"line","row":{"purchase":1,"number":9,"amount":"much"}},
              {"op":"insert","table":"nothing","row":{}},
              {"op":"update","table":"customer","key":5,"row":{}},
              {"op":"insert","table":"customer"},
              {"op":"delete","table":"line","key":[1,2]},
              7
            ]}
            """)
        #expect(response.status == 200, "\(response.text)")
        #expect(
            response.statuses == ["200", "422", "422", "404", "422", "400", "204", "400"])
        let codes = response.json["results"]?.elements.map { $0["problem"]?["code"]?.string ?? "" }
        #expect(
            codes == ["", "check", "type", "unknownTable", "type", "malformed", "", "malformed"])
        #expect(try bench.rows("SELECT name FROM customer WHERE id = 'VINET'") == [[.text("x")]])
    }

    @Test func `that cannot be read in part is not carried out, unless that is asked`() async throws
    {
        let bench = try await RESTBench()
        let response = try await batch(
            bench,
            """
            {"operations":[
              {"op":"update","table":"customer","key":"VINET","row":{"name":"x"}},
              {"op":"update","table":"customer","key":"HANAR","row":{"nam":"x"}},
              {"op":"update","table":"customer","key":"HANAR","row":{"name":1}}
            ]}
            """)
        #expect(response.status == 400 && response.code == "unknownColumn")
        #expect(response.statuses == ["424", "400", "422"])
        #expect(
            try bench.rows("SELECT name FROM customer WHERE id = 'VINET'") == [[.text("Vins")]])
    }

    @Test func `writes rows only in the versions that it names`() async throws {
        let bench = try await RESTBench()
        let row = try await bench.send("GET", "/v1/tables/customer/VINET")
        let etag = try #require(row.json["$etag"]?.string)
        let response = try await batch(
            bench,
            """
            {"atomic":false,"operations":[
              {"op":"update","table":"customer","key":"HANAR","row":{"name":"x","$etag":"\(etag)"}},
              {"op":"update","table":"customer","key":"VINET","row":{"name":"x","$etag":"\(etag)","$related":{}}},
              {"op":"delete","table":"purchase","key":2,"row":{"$etag":"x"}},
              {"op":"insert","table":"customer","row":{"id":"A","name":"a","$etag":"x"}},
              {"op":"upsert","table":"customer","row":{"id":"B","name":"b","$etag":"x"}},
              {"op":"upsert","table":"customer","row":{"id":"C","name":"c","$etag":null}},
              {"op":"upsert","table":"customer","row":{"id":"D","name":"d","$etag":7}}
            ]}
            """)
        #expect(
            response.statuses == ["412", "200", "412", "201", "412", "201", "400"],
            "\(response.text)")
    }

    @Test func `answers without rows, if that is preferred`() async throws {
        let bench = try await RESTBench()
        let response = try await batch(
            bench,
            """
            {"atomic":false,"operations":[
              {"op":"update","table":"customer","key":"VINET","row":{"name":"x"}},
              {"op":"delete","table":"line","key":[9,9]}]}
            """, [("Prefer", "return=minimal")])
        #expect(response.header("Preference-Applied") == "return=minimal")
        #expect(response.text.hasPrefix(#"{"results":[{"status":200},{"status":404,"problem":{"#))
    }

    @Test(arguments: [
        "[]", "{}", #"{"operations":{}}"#, #"{"operations":[],"atomic":1}"#,
        #"{"operations":[],"more":1}"#, "7", "",
    ])
    func `of another form is malformed`(body: String) async throws {
        let bench = try await RESTBench()
        let response = try await batch(bench, body)
        #expect(response.status == 400 && response.code == "malformed")
    }

    @Test(arguments: [
        #"{"op":"insert","table":"customer"}"#, #"{"op":"drop","table":"customer","row":{}}"#,
        #"{"op":"update","row":{}}"#, #"{"op":"update","table":"customer","row":[]}"#,
        #"{"op":"update","table":"customer","row":{},"$x":1}"#, "null",
        #"{"op":"update","table":"line","key":[1],"row":{}}"#,
    ])
    func `has operations of one form`(operation: String) async throws {
        let bench = try await RESTBench()
        let response = try await batch(bench, #"{"operations":[\#(operation)]}"#)
        #expect(response.status == 400 && response.code == "malformed", "\(response.text)")
        #expect(response.statuses == ["400"])
    }

    @Test func `of nothing does nothing`() async throws {
        let bench = try await RESTBench()
        let response = try await batch(bench, #"{"operations":[]}"#)
        #expect(response.status == 200 && response.text == #"{"results":[]}"#)
    }

    @Test func `takes no headers that are about one row`() async throws {
        let bench = try await RESTBench()
        for name in ["If-Match", "If-None-Match"] {
            let response = try await batch(bench, #"{"operations":[]}"#, [(name, "*")])
            #expect(response.status == 400 && response.code == "malformed")
        }
        let csv = try await batch(bench, "a\n", [("Content-Type", "text/csv")])
        #expect(csv.status == 415)
    }

    @Test func `has 10,000 writes at most`() async throws {
        let bench = try await RESTBench()
        let rows = Array(repeating: "{}", count: 10_001).joined(separator: ",")
        let batch = try await batch(bench, #"{"operations":[\#(rows)]}"#)
        #expect(batch.status == 413 && batch.code == "tooManyWrites")
        let insert = try await bench.send("POST", "/v1/tables/purchase", body: "[\(rows)]")
        #expect(insert.status == 413 && insert.code == "tooManyWrites")
    }
}

@Suite(.ownThreads) struct `An array of rows` {
    @Test func `is a batch of inserts`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send(
            "POST", "/v1/tables/customer",
            body: #"[{"id":"A","name":"a"},{"id":"B","name":"b","city":"Bari"}]"#)
        #expect(response.status == 200, "\(response.text)")
        #expect(response.statuses == ["201", "201"])
        #expect(response.header("Location") == nil)
        let empty = try await bench.send("POST", "/v1/tables/customer", body: "[]")
        #expect(empty.text == #"{"results":[]}"#)
    }

    @Test func `is inserted whole, in part, or in place of what is there`() async throws {
        let bench = try await RESTBench()
        let rows = #"[{"id":"A","name":"a"},{"id":"VINET","name":"v"},{"id":1,"name":"b"}]"#
        let whole = try await bench.send("POST", "/v1/tables/customer", body: rows)
        #expect(whole.status == 422 && whole.statuses == ["424", "424", "422"])
        let part = try await bench.send("POST", "/v1/tables/customer?atomic=false", body: rows)
        #expect(part.status == 200 && part.statuses == ["201", "409", "422"])
        let upsert = try await bench.send(
            "POST", "/v1/tables/customer?upsert=true&atomic=false", body: rows)
        #expect(upsert.statuses == ["200", "200", "422"])
    }

    @Test func `is refused where its table is not there`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("POST", "/v1/tables/nothing", body: "[{},{}]")
        #expect(response.status == 404 && response.code == "unknownTable")
        #expect(response.json["results"] == nil)
    }
}

@Suite(.ownThreads) struct `A body of CSV` {
    private func post(
        _ bench: RESTBench, _ target: String, _ body: String
    ) async throws -> RESTResponse {
        try await bench.send(
            "POST", target, [("Content-Type", "text/csv; charset=utf-8")], body: body)
    }

    @Test func `is a batch of inserts`() async throws {
        let bench = try await RESTBench()
        let response = try await post(
            bench, "/v1/tables/purchase",
            "id,$etag,paid,freight,shipped,customer\r\n7,x,true,1.5,2026-01-31,VINET\r\n8,,false,,,\r\n"
        )
        #expect(response.status == 200, "\(response.text)")
        #expect(response.statuses == ["201", "201"])
        #expect(
            try bench.rows("SELECT id, customer, freight, paid FROM purchase WHERE id > 6") == [
                [.integer(7), .text("VINET"), .real(1.5), .integer(1)],
                [.integer(8), .null, .null, .integer(0)],
            ])
    }

    @Test func `names the line of a value that does not fit`() async throws {
        let bench = try await RESTBench()
        let body = "id,paid\n7,true\n\"8\",maybe\n"
        let whole = try await post(bench, "/v1/tables/purchase", body)
        #expect(whole.status == 422 && whole.code == "type")
        #expect(
            whole.json["detail"]?.string
                == "Line 3: The column purchase.paid takes true or false. Correct the value.")
        let part = try await post(bench, "/v1/tables/purchase?atomic=false", body)
        #expect(part.statuses == ["201", "422"])
    }

    @Test(arguments: [
        ("", "malformed"), ("id,id\n1,1\n", "malformed"), ("id,x\n1,1\n", "unknownColumn"),
        ("id\n\"1\n", "malformed"), ("id,paid\n1\n", "malformed"), ("id,\n1,\n", "unknownColumn"),
    ])
    func `of another form is refused`(body: String, code: String) async throws {
        let bench = try await RESTBench()
        let response = try await post(bench, "/v1/tables/purchase", body)
        #expect(response.status == 400 && response.code == code, "\(response.text)")
    }

    @Test func `is taken as a list answers it`() async throws {
        let bench = try await RESTBench()
        let id = "6fa9de85-6161-4583-9060-401245a55af9"
        _ = try await bench.send(
            "POST", "/v1/tables/sample",
            body: """
                {"id":"\(id)","n":-5,"r":1e-7,"d":"0.10","b":false,"t":"a\\"b,\\r\\nc","bytes":"",\
                "day":"2026-01-31","time":"00:00:00","stamp":"2026-01-31T00:00:00",\
                "moment":"2026-01-31T00:00:00Z","doc":{"a":"b,c"}}
                """)
        _ = try await bench.send("POST", "/v1/tables/sample", body: #"{"t":""}"#)
        let csv = [("Accept", "text/csv")]
        let list = try await bench.send("GET", "/v1/tables/sample", csv)
        try bench.sql("DELETE FROM sample")
        let inserted = try await post(bench, "/v1/tables/sample", list.text)
        #expect(inserted.statuses == ["201", "201"], "\(inserted.text)")
        let again = try await bench.send("GET", "/v1/tables/sample", csv)
        #expect(again.text == list.text)
    }
}
