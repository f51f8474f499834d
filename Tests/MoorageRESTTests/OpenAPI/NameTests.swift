import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Names in an OpenAPI document` {
    private func names(_ tables: [String]) -> [String] {
        var names = DocumentNames(reserved: ["Problem", "Batch"])
        return tables.map { names.name(for: $0) }
    }

    @Test(
        arguments: [
            ("orders", "Orders"), ("order_details", "OrderDetails"),
            ("Order Details", "OrderDetails"),
            ("odd, \"table\"/x", "OddTableX"), ("2024", "Table2024"), ("__", "Table"),
            ("ñ", "UF1"), ("a\u{0301}", "AU301"), ("注文", "U6CE8U6587"), ("a\0b", "AB"),
            ("orderLines", "OrderLines"), ("problem", "Problem2"), ("batch_", "Batch2"),
        ])
    func `have ASCII letters and digits alone`(table: String, name: String) {
        #expect(names([table]) == [name])
    }

    @Test func `are different, also without regard to case`() {
        #expect(names(["a b", "A_b", "aB", "a-b"]) == ["AB", "AB2", "AB3", "AB4"])
        // The components of one table are not those of another one.
        #expect(names(["orders", "orders_insert"]) == ["Orders", "OrdersInsert2"])
        #expect(names(["orders_part", "orders"]) == ["OrdersPart", "Orders2"])
        // Two names of the same characters, composed and not.
        #expect(names(["\u{E9}", "e\u{301}"]) == ["UE9", "EU301"])
    }

    private static let schema = """
        CREATE TABLE "odd, ""table""/{ñ}" (
          "a b" TEXT NOT NULL, "c.d" INTEGER NOT NULL, "-e" TEXT, "f""g,h" REAL, "" TEXT,
          "and" INTEGER, PRIMARY KEY ("a b", "c.d"));
        CREATE TABLE "Odd  table ñ" (id INTEGER NOT NULL PRIMARY KEY);
        CREATE TABLE "%41" (
          "key" INTEGER NOT NULL PRIMARY KEY, "x y" TEXT, z INTEGER,
          FOREIGN KEY ("x y", z) REFERENCES "odd, ""table""/{ñ}" ("a b", "c.d"));
        INSERT INTO "odd, ""table""/{ñ}" ("a b", "c.d") VALUES ('text', 1);
        INSERT INTO "%41" VALUES (1, 'text', 1);
        """

    @Test func `of tables are encoded in paths`() async throws {
        let document = try await RESTBench(schema: Self.schema).openAPI()
        let odd = "/v1/tables/odd%2C%20%22table%22%2F%7B%C3%B1%7D"
        #expect(
            try #require(document["paths"]).members.map(\.name).dropFirst(6) == [
                "/v1/tables/%2541", "/v1/tables/%2541/{key}", "/v1/tables/Odd%20%20table%20%C3%B1",
                "/v1/tables/Odd%20%20table%20%C3%B1/{key}", odd, "\(odd)/{key1},{key2}",
            ])
        let ids = document.parts.compactMap { $0["operationId"]?.string }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test func `of columns and relations are written as requests name them`() async throws {
        let bench = try await RESTBench(schema: Self.schema)
        let document = try await bench.openAPI()
        func items(_ path: String, _ name: String) throws -> [String] {
            let parameters = try #require(document["paths"]?[path]?["get"]?["parameters"]).elements
            let list = parameters.first { $0["name"]?.string == name }
            return try #require(list?["schema"]?["items"]?["enum"]).elements.compactMap(\.string)
        }
        let odd = "/v1/tables/odd%2C%20%22table%22%2F%7B%C3%B1%7D"
        // No request can name a column without a name.
        let columns = try items(odd, "columns")
        #expect(columns == ["a b", #""c.d""#, #""-e""#, #""f""g,h""#, "and"])
        for column in columns {
            let query = "columns=\(PercentEncoding.encode(column))"
            #expect(try await bench.send("GET", "\(odd)?\(query)").status == 200, "\(column)")
        }
        for column in try items(odd, "sort") {
            let query = "sort=\(PercentEncoding.encode(column))"
            #expect(try await bench.send("GET", "\(odd)?\(query)").status == 200, "\(column)")
        }
        let related = try items("/v1/tables/%2541", "related")
        #expect(related.count == 3 && related[0] == "x y+z")
        for path in related {
            let query = "related=\(PercentEncoding.encode(path))"
            let response = try await bench.send("GET", "/v1/tables/%2541?\(query)")
            #expect(response.status == 200, "\(path): \(response.text)")
        }
    }

    @Test func `of the parts of a key are those of their columns`() async throws {
        let document = try await RESTBench().openAPI()
        let parameters = document["paths"]?["/v1/tables/line/{purchase},{number}"]?["parameters"]
        #expect(
            parameters?.elements.compactMap { $0["name"]?.string } == ["purchase", "number"])
    }
}

@Suite(.ownThreads) struct `A name in a list` {
    @Test(arguments: ["a", "a b", "a,b", "a.b", "-a", "a-", " a", "a ", "a\"b", "\"", "ñ", "a+b:c"])
    func `is read as it was written`(name: String) {
        var reading = NameReading("-" + NameReading.written(name) + ",b")
        let hasDash = reading.skip("-")
        let first = reading.name(before: [",", "."])
        let hasComma = reading.skip(",")
        let second = reading.name(before: [","])
        #expect(hasDash && first == name && hasComma && second == "b")
    }
}
