import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `The list of tables` {
    @Test func `has columns, keys, relations and rights`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", "/v1/tables")
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "application/json")
        let tables = try #require(response.json["tables"]).elements
        // A column whose name begins with `$` would be no member of a row.
        #expect(
            tables.compactMap { $0["name"]?.string }.sorted()
                == ["customer", "line", "purchase", "sample"])
        let purchase = tables.first { $0["name"]?.string == "purchase" }
        #expect(
            purchase?.text == """
                {"name":"purchase","columns":[\
                {"name":"id","type":"integer","nullable":false,"readOnly":false},\
                {"name":"customer","type":"text","nullable":true,"readOnly":false},\
                {"name":"freight","type":"decimal","nullable":true,"readOnly":false},\
                {"name":"shipped","type":"date","nullable":true,"readOnly":false},\
                {"name":"paid","type":"boolean","nullable":false,"readOnly":false}],\
                "key":["id"],"relations":[\
                {"name":"customer","table":"customer","many":false},\
                {"name":"line","table":"line","many":true}],\
                "rights":{"insert":["customer","freight","shipped","paid"],\
                "update":["customer","freight","shipped","paid"],"delete":true}}
                """)
        let customer = tables.first { $0["name"]?.string == "customer" }
        #expect(
            customer?["relations"]?.text == #"[{"name":"purchase","table":"purchase","many":true}]"#
        )
        let again = try await bench.send("GET", "/v1/tables")
        #expect(again.body == response.body)
    }

    @Test func `says what the user may do`() async throws {
        var configuration = HubConfiguration()
        configuration.rights = RightSettings(tables: [
            "customer": ["*": TableRights()],
            "purchase": ["*": TableRights(insert: true, update: true, columns: ["paid"])],
            "line": ["boss": .all],
        ])
        configuration.columns = ["sample": ColumnSettings(hidden: ["doc"], downOnly: ["n"])]
        let bench = try await RESTBench(configuration)
        let response = try await bench.send("GET", "/v1/tables")
        let tables = try #require(response.json["tables"]).elements
        func rights(_ name: String) -> String? {
            tables.first { $0["name"]?.string == name }?["rights"]?.text
        }
        #expect(rights("customer") == #"{"insert":null,"update":[],"delete":false}"#)
        #expect(rights("purchase") == #"{"insert":["paid"],"update":["paid"],"delete":false}"#)
        #expect(rights("line") == nil)
        let sample = tables.first { $0["name"]?.string == "sample" }
        #expect(
            sample?["columns"]?.elements[1].text
                == #"{"name":"n","type":"integer","nullable":true,"readOnly":true}"#)
        #expect(sample?["columns"]?.text.contains("doc") == false)
        let boss = try await bench.send(
            "GET", "/v1/tables", as: Principal(subject: "b", claims: ["roles": ["boss"]]))
        #expect(boss.text.contains(#""name":"line""#))
    }

    @Test func `takes no parameters, and comes as JSON only`() async throws {
        let bench = try await RESTBench()
        #expect(try await bench.send("GET", "/v1/tables?limit=1").code == "parameter")
        #expect(try await bench.send("GET", "/v1/tables", [("Accept", "text/csv")]).status == 406)
    }
}
