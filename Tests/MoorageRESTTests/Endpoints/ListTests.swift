import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A list of rows` {
    @Test func `has all columns in key order, and a version of each row`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", "/v1/tables/purchase")
        #expect(response.status == 200)
        #expect(
            response.rows == [
                #"{"id":1,"customer":"VINET","freight":"32.38","shipped":"1996-07-16","paid":true}"#,
                #"{"id":2,"customer":"HANAR","freight":"65.83","shipped":null,"paid":false}"#,
                #"{"id":3,"customer":"VINET","freight":"9.8","shipped":"1996-08-01","paid":false}"#,
            ])
        #expect(response.json["next"]?.text == "null")
        #expect(response.json["count"] == nil && response.header("Link") == nil)
        let etag = response.json["rows"]?.elements.first?["$etag"]?.string
        #expect(etag?.utf8.count == 32)
        let row = try await bench.send("GET", "/v1/tables/purchase/1")
        #expect(row.header("ETag") == "\"\(etag ?? "")\"")
        #expect(row.text == response.json["rows"]?.elements.first?.text)
    }

    @Test func `is filtered, sorted and counted`() async throws {
        let bench = try await RESTBench()
        let filtered = try await bench.send(
            "GET",
            "/v1/tables/purchase?filter=freight+%3E+10+AND+shipped+IS+NULL&columns=id&count=true")
        #expect(filtered.rows == [#"{"id":2}"#])
        #expect(filtered.json["count"]?.text == "1")
        let sorted = try await bench.send(
            "GET", "/v1/tables/purchase?sort=customer,-freight&columns=freight,id")
        #expect(
            sorted.rows == [
                #"{"freight":"65.83","id":2}"#, #"{"freight":"32.38","id":1}"#,
                #"{"freight":"9.8","id":3}"#,
            ])
        let descending = try await bench.send(
            "GET", #"/v1/tables/purchase?sort=-%22shipped%22&columns=id"#)
        #expect(descending.rows == [#"{"id":3}"#, #"{"id":1}"#, #"{"id":2}"#])
    }

    @Test func `comes in pages that lead on`() async throws {
        let bench = try await RESTBench()
        var target = "/v1/tables/purchase?sort=-customer&limit=1&columns=id"
        var ids: [String] = []
        for _ in 1...5 {
            let page = try await bench.send("GET", target)
            ids += page.rows
            guard let next = page.json["next"]?.string else { break }
            let link = try #require(page.header("Link"))
            #expect(
                link == """
                    </v1/tables/purchase?sort=-customer&limit=1&columns=id\
                    &after=\(PercentEncoding.encode(next))>; rel="next"
                    """)
            target = String(link.dropFirst().prefix { $0 != ">" })
        }
        #expect(ids == [#"{"id":1}"#, #"{"id":3}"#, #"{"id":2}"#])
        let other = try await bench.send(
            "GET", target.replacing("sort=-customer", with: "sort=customer"))
        #expect(other.status == 400 && other.code == "cursor")
    }

    @Test func `comes as CSV`() async throws {
        let bench = try await RESTBench()
        try bench.sql("UPDATE customer SET name = 'Vins \"et\", alc', city = '' WHERE id = 'VINET'")
        let response = try await bench.send(
            "GET", "/v1/tables/customer?limit=1&sort=-id", [("Accept", "text/csv")])
        #expect(
            response.header("Content-Type") == "text/csv; charset=utf-8; header=present")
        #expect(response.text == "id,name,city\r\nVINET,\"Vins \"\"et\"\", alc\",\"\"\r\n")
        #expect(response.header("Link")?.hasPrefix("</v1/tables/customer?limit=1&") == true)
        let all = try await bench.send(
            "GET", "/v1/tables/purchase?columns=paid,shipped", [("Accept", "text/csv")])
        #expect(all.text == "paid,shipped\r\ntrue,1996-07-16\r\nfalse,\r\nfalse,1996-08-01\r\n")
        #expect(all.header("Link") == nil)
        for query in ["count=true", "related=line"] {
            let refused = try await bench.send(
                "GET", "/v1/tables/purchase?\(query)", [("Accept", "text/csv")])
            #expect(refused.status == 400 && refused.code == "parameter")
        }
    }

    @Test(arguments: [
        ("limit=0", "parameter"), ("limit=1001", "parameter"), ("limit=", "parameter"),
        ("limit=x", "parameter"), ("count=1", "parameter"), ("columns=", "parameter"),
        ("columns=id,id", "malformed"), ("columns=nothing", "unknownColumn"), ("sort=", "sort"),
        ("sort=id,", "sort"), ("sort=--id", "unknownColumn"), ("sort=nothing", "unknownColumn"),
        ("filter=", "filter"), ("filter=id+%3D", "filter"), ("filter=id+%3D+:sub", "filter"),
        ("filter=nothing+%3D+1", "unknownColumn"), ("filter=id+%3D+'x'", "filter"),
        ("after=x", "cursor"), ("after=", "cursor"), ("related=nothing", "unknownRelation"),
        ("related=line.purchase.line.purchase", "related"),
        ("page=2", "parameter"), ("limit=1&limit=1", "parameter"), ("filter=%ff", "parameter"),
    ])
    func `with a wrong parameter is refused`(query: String, code: String) async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", "/v1/tables/purchase?\(query)")
        #expect((400...404).contains(response.status), "\(response.text)")
        #expect(response.code == code, "\(response.text)")
        #expect(response.header("Content-Type") == "application/problem+json")
    }

    @Test func `has no related rows of a table that is not offered`() async throws {
        let bench = try await RESTBench()
        for related in ["hidden", "purchase.customer.hidden"] {
            let response = try await bench.send("GET", "/v1/tables/customer?related=\(related)")
            #expect(response.status == 400 && response.code == "unknownRelation")
        }
    }

    @Test func `is sorted by 16 columns at most`() async throws {
        let bench = try await RESTBench()
        let names = Array(repeating: "id", count: 17).joined(separator: ",")
        #expect(try await bench.send("GET", "/v1/tables/purchase?sort=\(names)").code == "sort")
    }

    @Test func `of no table is not found`() async throws {
        let bench = try await RESTBench()
        for table in ["nothing", "hidden", "Purchase", "moorage_meta", "sqlite_master"] {
            let response = try await bench.send("GET", "/v1/tables/\(table)")
            #expect(response.status == 404 && response.code == "unknownTable")
        }
    }

    @Test func `has only what the user may see`() async throws {
        var configuration = HubConfiguration()
        configuration.scopes = ScopeSettings(
            rules: ["customer": [ScopeRule(.column(kind: "city", "city"))]],
            holdings: ["city": .claim("city")])
        let bench = try await RESTBench(
            schema: """
                CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY, city TEXT);
                INSERT INTO customer VALUES ('VINET', 'Reims'), ('HANAR', 'Rio');
                """, configuration)
        let ann = Principal(subject: "ann", claims: ["city": ["Rio"]])
        let own = try await bench.send(
            "GET", "/v1/tables/customer?columns=id&count=true", as: ann)
        #expect(own.rows == [#"{"id":"HANAR"}"#])
        #expect(own.json["count"]?.text == "1")
        #expect(try await bench.send("GET", "/v1/tables/customer/VINET", as: ann).status == 404)
        for (method, body) in [("PATCH", "{}"), ("DELETE", nil)] {
            let response = try await bench.send(
                method, "/v1/tables/customer/VINET", body: body, as: ann)
            #expect(response.status == 404, "\(response.text)")
        }
        #expect(try await bench.send("GET", "/v1/tables/customer", as: nil).rows.isEmpty)
    }
}

@Suite(.ownThreads) struct `Related rows` {
    @Test func `come with their row, by name`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send(
            "GET", "/v1/tables/purchase/1?related=customer,line&columns=id")
        #expect(
            response.json.plain == """
                {"id":1,"$related":{"customer":{"id":"VINET","name":"Vins","city":"Reims"},\
                "line":[{"purchase":1,"number":1,"amount":12},{"purchase":1,"number":2,"amount":10}]}}
                """)
        // The version of a row says nothing of other rows.
        #expect(response.header("ETag") == nil)
    }

    @Test func `lead on to their own`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send(
            "GET", "/v1/tables/customer?related=purchase.line&columns=id&sort=-id")
        #expect(
            response.rows.first == """
                {"id":"VINET","$related":{"purchase":[\
                {"id":1,"customer":"VINET","freight":"32.38","shipped":"1996-07-16","paid":true,\
                "$related":{"line":[{"purchase":1,"number":1,"amount":12},\
                {"purchase":1,"number":2,"amount":10}]}},\
                {"id":3,"customer":"VINET","freight":"9.8","shipped":"1996-08-01","paid":false,\
                "$related":{"line":[{"purchase":3,"number":1,"amount":5}]}}]}}
                """)
    }

    @Test func `are null or empty where there are no such rows`() async throws {
        let bench = try await RESTBench()
        try bench.sql("UPDATE purchase SET customer = NULL WHERE id = 2")
        let response = try await bench.send(
            "GET", "/v1/tables/purchase/2?related=customer,line&columns=id")
        #expect(response.json.plain == #"{"id":2,"$related":{"customer":null,"line":[]}}"#)
    }

    @Test func `of a table that refers to itself have their names in quotes or not`() async throws {
        let bench = try await RESTBench(
            schema: """
                CREATE TABLE "odd.name" (
                  id INTEGER NOT NULL PRIMARY KEY, boss INTEGER REFERENCES "odd.name"(id),
                  deputy INTEGER REFERENCES "odd.name"(id));
                INSERT INTO "odd.name" VALUES (1, NULL, NULL), (2, 1, 1);
                """)
        let response = try await bench.send(
            "GET", #"/v1/tables/odd.name/1?related=%22odd.name:boss%22.deputy&columns=id"#)
        #expect(
            response.json.plain == """
                {"id":1,"$related":{"odd.name:boss":[{"id":2,"boss":1,"deputy":1,"$related":\
                {"deputy":{"id":1,"boss":null,"deputy":null}}}]}}
                """)
    }
}
