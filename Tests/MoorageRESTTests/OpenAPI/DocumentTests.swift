import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `An OpenAPI document` {
    @Test func `is JSON, and the same bytes each time`() async throws {
        let bench = try await RESTBench()
        let first = try await bench.document()
        #expect(try await bench.document() == first)
        let document = try JSON(parsing: first)
        #expect(document["openapi"]?.string == "3.1.0")
        #expect(document["info"]?["title"]?.string == "Moorage")
        let scheme = document["components"]?["securitySchemes"]?["bearer"]
        #expect(scheme?["scheme"]?.string == "bearer")
    }

    @Test func `is the same in whatever order a database reports tables and keys`() async throws {
        let parents = [
            "CREATE TABLE b (id INTEGER NOT NULL PRIMARY KEY)",
            "CREATE TABLE a (id INTEGER NOT NULL PRIMARY KEY)",
        ]
        let keys = ["FOREIGN KEY (x) REFERENCES a (id)", "FOREIGN KEY (y) REFERENCES b (id)"]
        func document(_ parents: [String], _ keys: [String]) async throws -> [UInt8] {
            let child =
                "CREATE TABLE c (id INTEGER NOT NULL PRIMARY KEY, x INTEGER, y INTEGER, "
                + keys.joined(separator: ", ") + ")"
            let schema = (parents + [child]).joined(separator: ";\n")
            return try await RESTBench(schema: schema).document()
        }
        let first = try await document(parents, keys)
        #expect(try await document(parents.reversed(), keys.reversed()) == first)
    }

    @Test func `refers only to what it has`() async throws {
        let bench = try await RESTBench()
        let check = SchemaCheck(document: try await bench.openAPI())
        let references = check.document.parts.compactMap { $0["$ref"]?.string }
        #expect(references.count > 100)
        for part in check.document.parts where part["$ref"] != nil {
            #expect(check.resolved(part) != nil, "\(part.text)")
        }
    }

    @Test func `has a path for each table and for its rows`() async throws {
        let document = try await RESTBench().openAPI()
        let paths = try #require(document["paths"]).members.map { path, item in
            "\(path) \(item.members.map(\.name).filter { $0 != "parameters" })"
        }
        let all = #"["get", "put", "patch", "delete"]"#
        #expect(
            paths == [
                #"/v1/openapi.json ["get"]"#, #"/v1/tables ["get"]"#, #"/v1/changes ["get"]"#,
                #"/v1/batch ["post"]"#, #"/v1/manifest ["post"]"#,
                #"/v1/synchronise ["post"]"#,
                #"/v1/tables/customer ["get", "post"]"#, "/v1/tables/customer/{key} \(all)",
                #"/v1/tables/line ["get", "post"]"#,
                "/v1/tables/line/{purchase},{number} \(all)",
                #"/v1/tables/purchase ["get", "post"]"#, "/v1/tables/purchase/{key} \(all)",
                #"/v1/tables/sample ["get", "post"]"#, "/v1/tables/sample/{key} \(all)",
            ])
        let ids = document.parts.compactMap { $0["operationId"]?.string }
        #expect(Set(ids).count == ids.count)
        #expect(ids.contains("listPurchase") && ids.contains("deleteSample"))
    }

    @Test func `says which columns a row must have`() async throws {
        let document = try await RESTBench().openAPI()
        func required(_ name: String) throws -> String? {
            let schema = try #require(document["components"]?["schemas"]?[name], "\(name)")
            return schema["required"]?.text
        }
        // The hub makes a key of one whole number, and the database knows a default.
        #expect(try required("PurchaseInsert") == nil)
        #expect(try required("CustomerInsert") == #"["id","name"]"#)
        #expect(try required("LineInsert") == #"["purchase","number"]"#)
        #expect(try required("PurchaseReplace") == #"["customer","freight","shipped","paid"]"#)
        #expect(try required("PurchaseUpdate") == nil)
        #expect(try required("PurchasePart") == #"["$etag"]"#)
        #expect(try required("PurchasePage") == #"["rows","next"]"#)
    }

    @Test func `names the columns and related rows that a list can have`() async throws {
        let document = try await RESTBench().openAPI()
        let list = document["paths"]?["/v1/tables/purchase"]?["get"]
        func items(_ name: String) -> String? {
            list?["parameters"]?.elements.first { $0["name"]?.string == name }?["schema"]?[
                "items"]?[
                    "enum"]?.text
        }
        #expect(
            items("columns") == #"["id","customer","freight","shipped","paid"]"#)
        #expect(items("sort")?.hasPrefix(#"["id","-id","customer","-customer","#) == true)
        #expect(
            items("related")
                == #"["customer","line","customer.purchase","line.purchase","#
                + #""customer.purchase.customer","customer.purchase.line","#
                + #""line.purchase.customer","line.purchase.line"]"#)
        let sample = document["paths"]?["/v1/tables/sample"]?["get"]?["parameters"]?.elements ?? []
        #expect(!sample.contains { $0["name"]?.string == "related" })
        // No order has a JSON column.
        let sort = sample.first { $0["name"]?.string == "sort" }
        #expect(sort?.text.contains("doc") == false)
    }

    @Test func `has what the owner says, and the labels of a check`() async throws {
        let schema = """
            CREATE TABLE job (
              id INTEGER NOT NULL PRIMARY KEY, state TEXT CHECK (state IN ('open', 'done')),
              kind TEXT NOT NULL CHECK (kind IN ('a', 'b')));
            """
        let bench = try await RESTBench(schema: schema)
        let own = try await bench.openAPI()["components"]?["schemas"]
        #expect(
            own?["JobInsert"]?["properties"]?["state"]?.text
                == #"{"type":["string","null"],"enum":["open","done",null]}"#)
        #expect(
            own?["JobUpdate"]?["properties"]?["kind"]?.text
                == #"{"type":"string","enum":["a","b"]}"#)
        #expect(own?["JobPart"]?["properties"]?["kind"]?.text == #"{"type":"string"}"#)
        let details = TableDetails(
            comment: "What is to do.", columns: [2: ColumnDetails(comment: "Its kind.")])
        let told = try JSON(parsing: try await bench.document(details: ["job": details]))
        #expect(told["tags"]?.text == #"[{"name":"job","description":"What is to do."}]"#)
        let part = told["components"]?["schemas"]?["JobPart"]
        #expect(part?["description"]?.string == "What is to do.")
        #expect(part?["properties"]?["kind"]?["description"]?.string == "Its kind.")
    }

    @Test func `has an object for related rows, and null for a row that may be missing`()
        async throws
    {
        let document = try await RESTBench().openAPI()
        let related = document["components"]?["schemas"]?["PurchasePart"]?["properties"]?[
            "$related"]
        #expect(
            related?["properties"]?.text
                == ##"{"customer":{"anyOf":[{"$ref":"#/components/schemas/Customer"},"##
                + ##"{"type":"null"}]},"line":{"type":"array","##
                + ##""items":{"$ref":"#/components/schemas/Line"}}}"##)
    }
}

@Suite(.ownThreads) struct `A user's OpenAPI document` {
    private func bench() async throws -> RESTBench {
        var configuration = HubConfiguration()
        configuration.rights = RightSettings(tables: [
            "customer": ["*": TableRights()],
            "purchase": ["*": TableRights(insert: true, update: true, columns: ["paid"])],
            "line": ["boss": .all],
            "sample": ["*": TableRights(insert: true), "boss": .all],
        ])
        configuration.columns = ["sample": ColumnSettings(hidden: ["doc"], downOnly: ["n"])]
        return try await RESTBench(configuration)
    }

    private let boss = Principal(subject: "b", claims: ["roles": ["boss"]])

    @Test func `has the requests that the user may send`() async throws {
        let bench = try await bench()
        func methods(_ path: String, as user: Principal? = nil) async throws -> [String]? {
            try await bench.openAPI(as: user)["paths"]?[path]?.members.map(\.name)
                .filter { $0 != "parameters" }
        }
        #expect(try await methods("/v1/tables/customer") == ["get"])
        #expect(try await methods("/v1/tables/customer/{key}") == ["get"])
        #expect(try await methods("/v1/tables/purchase") == ["get", "post"])
        #expect(try await methods("/v1/tables/purchase/{key}") == ["get", "put", "patch"])
        #expect(try await methods("/v1/tables/line") == nil)
        #expect(try await methods("/v1/tables/line", as: boss) == ["get", "post"])
        #expect(try await methods("/v1/tables/sample/{key}") == ["get", "put"])
        #expect(
            try await methods("/v1/tables/sample/{key}", as: boss)
                == ["get", "put", "patch", "delete"])
        #expect(try await methods("/v1/batch") == ["post"])
    }

    @Test func `has the columns that the user may read and set`() async throws {
        let schemas = try await bench().openAPI()["components"]?["schemas"]
        let insert = schemas?["PurchaseInsert"]?["properties"]?.members.map(\.name)
        #expect(insert == ["id", "paid"])
        #expect(schemas?["PurchaseReplace"]?["required"]?.text == #"["paid"]"#)
        // A request may send a row as it came.
        let update = schemas?["PurchaseUpdate"]?["properties"]
        #expect(update?["freight"]?["description"]?.string == "Only as it is in the row.")
        #expect(update?["paid"]?["description"] == nil)
        #expect(schemas?["SamplePart"]?["properties"]?["doc"] == nil)
        #expect(schemas?["SamplePart"]?["properties"]?["n"]?["readOnly"]?.text == "true")
        #expect(schemas?["SampleInsert"]?["properties"]?["n"]?.text == #"{"readOnly":true}"#)
        // A table that the user may not read has no relation.
        #expect(schemas?["PurchasePart"]?.text.contains("line") == false)
        #expect(schemas?["PurchaseOperation"]?.text.contains("delete") == false)
    }

    @Test func `has no batch for a user who may write nothing`() async throws {
        var configuration = HubConfiguration()
        configuration.directions = [
            "customer": .down, "purchase": .down, "line": .down, "sample": .down,
        ]
        let document = try await RESTBench(configuration).openAPI()
        #expect(document["paths"]?["/v1/batch"] == nil)
        #expect(document["components"]?["schemas"]?["Batch"] == nil)
        let paths = document["paths"]?.members.filter { $0.name.hasPrefix("/v1/tables") }
        let methods = paths?.flatMap { $0.value.members.map(\.name) }
        #expect(Set(methods ?? []) == ["get", "parameters"])
        // A client may still compare its rows, and get some.
        let changes = document["components"]?["schemas"]?["CustomerEdits"]?["properties"]
        #expect(changes?.members.map(\.name) == ["get", "related"])
    }
}
