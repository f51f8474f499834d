import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Linked rows of a client` {
    private func lines(_ bench: RESTBench) throws -> [[Value]] {
        try bench.rows("SELECT purchase, number, amount FROM line ORDER BY purchase, number")
    }

    @Test func `are added with keys that the hub makes`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            """
            {"tables":{"purchase":{"add":[
              {"paid":true,"$related":{
                "customer":{"id":"NEW","name":"New"},
                "line":[{"number":1,"amount":5},{"number":2,"purchase":null,"amount":6}]}}]}}}
            """)
        #expect(
            answer.changes("purchase") == "add: 201 (customer: 201) (line: 201 201)",
            "\(answer.text)")
        let result = answer.table("purchase")["add"]?.elements.first
        #expect(result?["row"]?["customer"]?.string == "NEW")
        #expect(
            result?["$related"]?["line"]?.elements.last?["row"]?.plain
                == #"{"purchase":4,"number":2,"amount":6}"#)
        #expect(result?["$related"]?["customer"]?["row"]?["$etag"] != nil)
        #expect(
            try bench.rows("SELECT customer, paid FROM purchase WHERE id = 4")
                == [[.text("NEW"), .integer(1)]])
        #expect(
            try lines(bench).suffix(2) == [[4, 1, 5], [4, 2, 6]].map { $0.map { .integer($0) } })
    }

    @Test func `are added three levels deep, and no deeper`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            """
            {"tables":{"customer":{"add":[{"id":"A","name":"a","$related":{"purchase":[
              {"$related":{"line":[{"number":1,"$related":{}}]}},
              {"id":8,"$related":{"line":[{"number":3,"amount":2,"$related":{"purchase":{"id":8}}}]}}
            ]}}]}}}
            """)
        #expect(
            answer.changes("customer")
                == "add: 424 notWritten (purchase: 424 notWritten (line: 424 notWritten) "
                + "424 notWritten (line: 424 notWritten (purchase: 422 writtenTwice)))")
        let deep = """
            {"id":"A","name":"a","$related":{"purchase":[
              {"$related":{"line":[{"number":1,"$related":{"purchase":{"$related":
                {"line":[{"number":2}]}}}}]}}]}}
            """
        let refused = try await bench.synchronise(
            #"{"tables":{"customer":{"add":[\#(deep)]}}}"#)
        #expect(refused.changes("customer") == "add: 400 related")
        let plain = try await bench.synchronise(
            """
            {"tables":{"customer":{"add":[{"id":"A","name":"a","$related":{"purchase":[
              {"$related":{"line":[{"number":1}]}},{"$related":{"line":{}}}]}}]}}}
            """)
        #expect(
            plain.changes("customer") == "add: 201 (purchase: 201 (line: 201) 201 (line))",
            "\(plain.text)")
    }

    @Test func `are changed where they exist, and come as they were read`() async throws {
        let bench = try await RESTBench()
        let read = try await bench.synchronise(
            #"{"tables":{"purchase":{"get":[1,3],"related":["customer","line"]}}}"#)
        #expect(read.changes("purchase") == "get: 200 200")
        let row = try #require(read.table("purchase")["get"]?.elements.first?["row"])
        #expect(row["$related"]?["line"]?.elements.count == 2)
        #expect(row["$related"]?["customer"]?["name"]?.string == "Vins")
        // Unchanged, as it came.
        let same = try await bench.synchronise(
            #"{"tables":{"purchase":{"update":[\#(row.text)]}}}"#)
        #expect(same.changes("purchase") == "update: 200 (customer: 200) (line: 200 200)")
        let changed = row.text.replacing(#""amount":12"#, with: #""amount":99"#)
            .replacing(#""name":"Vins""#, with: #""name":"Vines""#)
        let answer = try await bench.synchronise(
            #"{"tables":{"purchase":{"update":[\#(changed)]}}}"#)
        #expect(answer.changes("purchase") == "update: 200 (customer: 200) (line: 200 200)")
        #expect(try lines(bench).first == [.integer(1), .integer(1), .integer(99)])
        // The same again names versions that are old by now.
        let late = try await bench.synchronise(
            #"{"tables":{"purchase":{"update":[\#(changed)]}}}"#)
        #expect(
            late.changes("purchase")
                == "update: 424 notWritten (customer: 412 changed) (line: 412 changed 424 notWritten)"
        )
    }

    @Test func `are written with their row, or not at all`() async throws {
        let bench = try await RESTBench()
        // The database alone refuses these: `city` is unique, and `amount` has a check.
        let answer = try await bench.synchronise(
            """
            {"tables":{"customer":{"add":[
              {"id":"A","name":"a","city":"Rio","$related":{"purchase":[{"id":50}]}},
              {"id":"B","name":"b","$related":{"purchase":[{"id":51},{"id":52,"$related":
                {"line":[{"number":1,"amount":-1}]}}]}},
              {"id":"C","name":"c","$related":{"purchase":[{"id":53}]}},
              {"id":"D","name":"d","city":"Reims"}],
              "update":[{"id":"VINET","name":"x","$related":{"purchase":[
                {"id":1,"$related":{"line":[{"number":2,"amount":0}]}}]}}]}}}
            """)
        #expect(
            answer.changes("customer")
                == "add: 409 unique (purchase: 409 foreignKey) 424 notWritten (purchase: "
                + "424 notWritten 424 notWritten (line: 422 check)) 201 (purchase: 201) "
                + "409 unique; update: 424 notWritten (purchase: 424 notWritten (line: 422 check))",
            "\(answer.text)")
        #expect(
            try bench.rows("SELECT id FROM customer ORDER BY id")
                == ["C", "HANAR", "VINET"].map { [.text($0)] })
        #expect(
            try bench.rows("SELECT id FROM purchase WHERE id > 3 ORDER BY id") == [[.integer(53)]])
        #expect(try bench.rows("SELECT name FROM customer WHERE id = 'VINET'") == [[.text("Vins")]])
        // Each refusal is logged once.
        #expect(
            try bench.rows(
                """
                SELECT table_name, reason_code, count(*) FROM moorage_conflict
                GROUP BY table_name, reason_code ORDER BY table_name, reason_code
                """) == [
                    [.text("customer"), .text("unique"), .integer(2)],
                    [.text("line"), .text("check"), .integer(2)],
                    [.text("purchase"), .text("foreignKey"), .integer(1)],
                ])
    }

    @Test func `of one item may break those of another`() async throws {
        let bench = try await RESTBench(
            schema: """
                CREATE TABLE node (
                  id INTEGER NOT NULL PRIMARY KEY, up INTEGER REFERENCES node(id), name TEXT UNIQUE);
                INSERT INTO node VALUES (1, NULL, 'one');
                """)
        // Each item has a row that refers to the one before, and the first of all is refused.
        let items = (0..<8).map { item in
            let own = 10 + item * 10
            let up = item == 0 ? "1" : String(own - 9)
            let name = item == 0 ? #""one""# : "null"
            return """
                {"id":\(own),"up":\(up),"name":\(name),
                 "$related":{"node":[{"id":\(own + 1),"name":null}]}}
                """
        }
        let answer = try await bench.synchronise(
            #"{"tables":{"node":{"add":[\#(items.joined(separator: ","))]}}}"#)
        let results = answer.table("node")["add"]?.elements ?? []
        #expect(results.count == 8)
        #expect(results.allSatisfy { $0["row"] == nil }, "\(answer.text)")
        #expect(try bench.rows("SELECT count(*) FROM node") == [[.integer(1)]])
    }

    @Test func `name no other row than the one that they are linked to`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            """
            {"tables":{"purchase":{
              "add":[{"id":9,"$related":{"line":[{"purchase":1,"number":7}]}},
                {"customer":"VINET","$related":{"customer":{"id":"HANAR"}}},
                {"customer":null,"$related":{"customer":{"id":"HANAR"}}},
                {"customer":"HANAR","$related":{"customer":null}}],
              "update":[{"id":1,"$related":{"line":[{"purchase":1,"number":7}]}}]}}}
            """)
        #expect(
            answer.changes("purchase")
                == "add: 424 notWritten (line: 422 otherParent) 422 otherParent (customer: "
                + "424 notWritten) 422 otherParent (customer: 424 notWritten) 201 "
                + "(customer); update: 200 (line: 201)", "\(answer.text)")
    }

    @Test func `are refused where nothing is linked so`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            """
            {"tables":{"purchase":{"add":[
              {"$related":{"nothing":[]}},{"$related":{"line":5}},{"$related":{"line":{"number":1}}},
              {"$related":{"customer":[{"id":"A"}]}},{"$related":{"customer":"A"}},
              {"$related":5},{"$related":{"line":[5]}},{"$related":{"line":[{"x":1}]}},
              {"$related":{"hidden":[]}}]}}}
            """)
        #expect(
            answer.changes("purchase")
                == "add: 400 unknownRelation 400 malformed 400 malformed 400 malformed "
                + "400 malformed 400 malformed 424 notWritten (line: 400 malformed) "
                + "424 notWritten (line: 400 unknownColumn) 400 unknownRelation", "\(answer.text)")
        #expect(try bench.rows("SELECT count(*) FROM purchase") == [[.integer(3)]])
        for related in ["nothing", "line.purchase.customer.purchase", "line,", "hidden"] {
            let body = #"{"tables":{"purchase":{"get":[1],"related":["\#(related)"]}}}"#
            let got = try await bench.synchronise(body)
            #expect(got.code ?? got.changes("purchase") != "get: 200", "\(got.text)")
        }
    }

    @Test func `are all or nothing with the whole request`() async throws {
        let bench = try await RESTBench()
        let answer = try await bench.synchronise(
            """
            {"atomic":true,"tables":{"purchase":{
              "add":[{"id":9,"$related":{"line":[{"number":7,"amount":-1}]}}],"delete":[2]}}}
            """)
        #expect(answer.status == 422 && answer.code == "check")
        #expect(
            answer.changes("purchase")
                == "add: 424 notWritten (line: 422 check); delete: 424 notWritten")
    }
}
