import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Changes of a client` {
    @Test func `are answered in the order of the request, under the same names`() async throws {
        let bench = try await RESTBench()
        let (one, vinet) = (
            try await bench.version("purchase/1"), try await bench.version("customer/VINET")
        )
        let answer = try await bench.synchronise(
            """
            {"tables":{
              "purchase":{
                "get":[2,9,{"key":1,"version":"any"}],
                "update":[{"id":1,"freight":"1.50","$etag":"\(one)"},{"id":9,"paid":true},
                  {"id":2,"freight":"x"},{"id":3,"paid":true,"$etag":"old"}],
                "add":[{"customer":"NEW"},{"id":2,"paid":true}]},
              "customer":{
                "add":[{"id":"NEW","name":"New"}],
                "delete":["NEW2",{"key":"VINET","version":"\(vinet)"},
                  {"key":"HANAR","version":"old"}]},
              "nothing":{"add":[{"id":1}],"get":[1]},
              "line":{"delete":[[1,1],[9,9]],"get":[[1,1],[1,2]]}
            }}
            """)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
            answer.changes("purchase")
                == "add: 201 409 exists; update: 200 404 notFound 422 type 412 changed; "
                + "get: 200 404 notFound 200")
        #expect(
            answer.changes("customer")
                == "add: 201; delete: 204 409 foreignKey 412 changed")
        #expect(answer.changes("nothing") == "add: 404 unknownTable; get: 404 unknownTable")
        #expect(answer.changes("line") == "delete: 204 204; get: 404 notFound 200")
        #expect(
            answer.json["tables"]?.members.map(\.name)
                == ["purchase", "customer", "nothing", "line"])
        #expect(
            answer.table("line").members.map(\.name) == ["add", "update", "delete", "get"])
        let made = answer.table("purchase")["add"]?.elements.first?["row"]
        #expect(
            made?.plain
                == #"{"id":4,"customer":"NEW","freight":null,"shipped":null,"paid":false}"#)
        #expect(try await bench.version("purchase/4") == made?["$etag"]?.string)
        #expect(answer.table("purchase")["get"]?.elements[2]["row"]?["freight"]?.string == "1.5")
    }

    @Test func `may be without anything, as a list or as an object`() async throws {
        let bench = try await RESTBench()
        let none = #"{"tables":{"customer":{"add":[],"update":[],"delete":[],"get":[]}}}"#
        for body in [
            #"{"tables":{"customer":{"add":{},"update":[],"delete":null,"get":{}}}}"#,
            #"{"tables":{"customer":[]}}"#, #"{"tables":{"customer":{}},"atomic":null}"#,
            #"{"tables":{"customer":null},"atomic":true}"#,
        ] {
            #expect(try await bench.synchronise(body).text == none)
        }
        for body in ["{}", "[]", #"{"tables":[]}"#] {
            #expect(try await bench.synchronise(body).text == #"{"tables":{}}"#)
        }
    }

    @Test func `write a row once, and delete it as often as it comes`() async throws {
        let bench = try await RESTBench()
        let version = try await bench.version("line/1,1")
        let answer = try await bench.synchronise(
            """
            {"tables":{
              "purchase":{"add":[{"id":7},{"id":7}],"update":[{"id":7,"paid":true},
                {"id":2,"paid":true},{"id":2,"freight":1}],"delete":[2,8,8],"get":[2,7,7]},
              "line":{"delete":[[1,1],{"key":[1,1],"version":null},
                {"key":[1,1],"version":"\(version)"},[1,1]]}}}
            """)
        #expect(
            answer.changes("purchase")
                == "add: 201 422 writtenTwice; update: 422 writtenTwice 200 422 writtenTwice; "
                + "delete: 422 writtenTwice 204 204; get: 200 200 200")
        #expect(answer.changes("line") == "delete: 204 204 422 writtenTwice 204")
        #expect(
            try bench.rows("SELECT paid, freight FROM purchase WHERE id = 2")
                == [[.integer(1), .real(65.83)]])
    }

    @Test func `are carried out whole, or not at all, where the client says so`() async throws {
        let bench = try await RESTBench()
        func body(_ amount: Int) -> String {
            """
            {"atomic":true,"tables":{
              "purchase":{"update":[{"id":1,"paid":false}],"get":[1]},
              "line":{"add":[{"purchase":1,"number":3,"amount":\(amount)}],"delete":[[9,9]]}}}
            """
        }
        let refused = try await bench.synchronise(body(-1))
        #expect(refused.status == 422 && refused.code == "check", "\(refused.text)")
        #expect(refused.header("Content-Type") == "application/problem+json")
        #expect(refused.changes("purchase") == "update: 424 notWritten")
        #expect(refused.changes("line") == "add: 422 check; delete: 424 notWritten")
        #expect(refused.table("purchase")["get"] == nil)
        #expect(
            try bench.rows("SELECT paid FROM purchase WHERE id = 1") == [[.integer(1)]])
        let wrong = try await bench.synchronise(
            #"{"atomic":true,"tables":{"purchase":{"add":[{}],"update":[{"x":1}]}}}"#)
        #expect(wrong.status == 400 && wrong.code == "unknownColumn")
        #expect(wrong.changes("purchase") == "add: 424 notWritten; update: 400 unknownColumn")
        let done = try await bench.synchronise(body(1))
        #expect(done.changes("purchase") == "update: 200; get: 200")
        #expect(done.changes("line") == "add: 201; delete: 204")
    }

    @Test func `come again with the answer of the first, and rows as they are`() async throws {
        let bench = try await RESTBench()
        let key = [("Idempotency-Key", "s 1")]
        let body = """
            {"tables":{"purchase":{"add":[{"customer":"VINET"}],"update":[{"id":1,"paid":false}],
             "get":[2]}}}
            """
        let first = try await bench.synchronise(body, key)
        #expect(first.changes("purchase") == "add: 201; update: 200; get: 200")
        try bench.sql("UPDATE purchase SET paid = 1")
        let again = try await bench.synchronise(body, key)
        for list in ["add", "update"] {
            #expect(again.table("purchase")[list]?.text == first.table("purchase")[list]?.text)
        }
        let row = again.table("purchase")["get"]?.elements.first?["row"]
        #expect(row?["paid"]?.text == "true")
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(4)]])
        let other = try await bench.synchronise(
            #"{"tables":{"purchase":{"delete":[1]}}}"#, key)
        #expect(other.status == 422 && other.code == "otherRequest")
        // What only reads is read each time.
        let read = #"{"tables":{"purchase":{"get":[1]}}}"#
        #expect(try await bench.synchronise(read, key).changes("purchase") == "get: 200")
    }

    @Test func `come without rows where the client prefers it`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            #"{"tables":{"purchase":{"add":[{}],"update":[{"id":1,"paid":false}],"get":[2]}}}"#,
            [("Prefer", "return=minimal")])
        #expect(answer.header("Preference-Applied") == "return=minimal")
        #expect(answer.table("purchase")["add"]?.text == #"[{"status":201}]"#)
        #expect(answer.table("purchase")["update"]?.text == #"[{"status":200}]"#)
        #expect(answer.table("purchase")["get"]?.elements.first?["row"] != nil)
    }

    @Test func `of two clients at once are safe by their versions`() async throws {
        let bench = try await RESTBench()
        for round in 1...10 {
            let version = try await bench.version("purchase/1")
            let changes = try await withThrowingTaskGroup(of: String.self) { clients in
                for client in 1...2 {
                    clients.addTask {
                        let answer = try await bench.synchronise(
                            """
                            {"tables":{"purchase":{"update":[{"id":1,
                             "freight":"\(round).\(client)","$etag":"\(version)"}]}}}
                            """)
                        return answer.changes("purchase")
                    }
                }
                return try await clients.reduce(into: []) { $0.append($1) }
            }
            #expect(changes.sorted() == ["update: 200", "update: 412 changed"])
        }
    }

    @Test func `of a user are judged by the user's rights`() async throws {
        var configuration = HubConfiguration()
        configuration.rights = RightSettings(tables: [
            "purchase": ["*": TableRights(update: true, columns: ["paid"])],
            "line": ["boss": .all],
        ])
        let bench = try await RESTBench(configuration)
        let answer = try await bench.synchronise(
            """
            {"tables":{"purchase":{"add":[{}],
              "update":[{"id":1,"paid":false},{"id":2,"freight":1}],"delete":[1,99],"get":[1]},
              "line":{"delete":[[1,1]],"get":[[1,1]]}}}
            """)
        #expect(
            answer.changes("purchase")
                == "add: 403 permission; update: 200 403 permission; "
                + "delete: 403 permission 403 permission; get: 200")
        #expect(answer.changes("line") == "delete: 404 unknownTable; get: 404 unknownTable")
    }
}

@Suite(.ownThreads) struct `Wrong changes of a client` {
    @Test(arguments: [
        "5", #""x""#, #"{"x":1}"#, #"{"tables":5}"#, #"{"tables":{"customer":5}}"#,
        #"{"tables":{"customer":{"x":[]}}}"#, #"{"tables":{"customer":{"add":5}}}"#,
        #"{"tables":{"customer":{"add":{"id":1}}}}"#, #"{"atomic":1}"#,
        #"{"tables":{"customer":{"delete":[{"id":"A"}]}}}"#,
        #"{"tables":{"customer":{"delete":[{"version":"A"}]}}}"#,
        #"{"tables":{"customer":{"delete":[{"key":"A","version":1}]}}}"#,
        #"{"tables":{"customer":{"related":5}}}"#,
    ]) func `are refused as a whole`(body: String) async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(body)
        #expect(answer.status == 400 && answer.code == "malformed", "\(answer.text)")
    }

    @Test func `are refused by themselves where a row alone is wrong`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            """
            {"tables":{"line":{"add":[5,[],{"purchase":1},{"purchase":1,"number":"x"}],
             "update":[{"amount":1},{"purchase":1,"number":1,"$etag":5}],
             "delete":[1,[1],[1,"x"],"a"],"get":[1,[1,"x"],null]}}}
            """)
        #expect(
            answer.changes("line")
                == "add: 400 malformed 400 malformed 422 keyMissing 422 type; "
                + "update: 422 keyMissing 400 malformed; "
                + "delete: 400 malformed 400 malformed 422 type 400 malformed; "
                + "get: 400 malformed 422 type 400 malformed", "\(answer.text)")
    }

    @Test func `take the usual headers alone`() async throws {
        let bench = try await RESTBench()
        for path in ["/v1/manifest", "/v1/synchronise"] {
            func status(_ headers: [(String, String)], _ query: String = "") async throws -> Int {
                try await bench.send("POST", path + query, headers, body: "{}").status
            }
            #expect(try await status([]) == 200)
            #expect(try await status([], "?x=1") == 400)
            #expect(try await status([("If-Match", "*")]) == 400)
            #expect(try await status([("Content-Type", "text/csv")]) == 415)
            #expect(try await status([("Accept", "text/csv")]) == 406)
            #expect(try await bench.send("GET", path).header("Allow") == "POST")
            #expect(try await bench.send("POST", path, body: "{").status == 400)
        }
    }

    @Test func `are limited`() async throws {
        let bench = try await RESTBench()
        func status(_ list: String, _ count: Int, _ item: String) async throws -> Int {
            let items = Array(repeating: item, count: count).joined(separator: ",")
            return try await bench.synchronise(
                #"{"tables":{"purchase":{"\#(list)":[\#(items)]}}}"#
            ).status
        }
        for list in ["add", "update", "delete", "get"] {
            let item = list == "add" || list == "update" ? "{}" : "1"
            #expect(try await status(list, 1_001, item) == 413, "\(list)")
        }
        #expect(try await status("get", 1_000, "1") == 200)
        let lines = Array(repeating: "{}", count: 1_000).joined(separator: ",")
        let tree = try await bench.synchronise(
            #"{"tables":{"purchase":{"add":[{"$related":{"line":[\#(lines)]}}]}}}"#)
        #expect(tree.status == 413 && tree.code == "tooManyWrites")
    }

    @Test func `get as many bytes as one answer takes`() async throws {
        let bench = try await RESTBench(
            schema: """
                CREATE TABLE file (id INTEGER NOT NULL PRIMARY KEY, bytes BLOB);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO file SELECT i, zeroblob(400000) FROM n;
                """)
        let keys = (1...40).map(String.init).joined(separator: ",")
        let answer = try await bench.synchronise(
            #"{"tables":{"file":{"get":[\#(keys)]}}}"#)
        let results = answer.table("file")["get"]?.elements ?? []
        let read = results.count { $0["status"]?.text == "200" }
        #expect((20...36).contains(read))
        #expect(results.last?["problem"]?["code"]?.string == "tooManyRead")
    }
}
