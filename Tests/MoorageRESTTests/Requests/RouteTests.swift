import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A route` {
    private func route(_ method: String, _ path: String) throws -> RESTService.Route? {
        try RESTService.route(method: method, path: path)
    }

    private func row(_ table: String, _ key: String...) -> RESTService.RowPath {
        RESTService.RowPath(table: table, key: key)
    }

    @Test func `is a method and a path`() throws {
        #expect(try route("GET", "/v1/openapi.json") == .openAPI)
        #expect(try route("GET", "/v1/tables") == .listTables)
        #expect(try route("GET", "/v1/tables/orders") == .listRows(table: "orders"))
        #expect(try route("POST", "/v1/tables/orders") == .insert(table: "orders"))
        #expect(try route("GET", "/v1/tables/orders/1") == .read(row("orders", "1")))
        #expect(try route("PUT", "/v1/tables/orders/1") == .replace(row("orders", "1")))
        #expect(try route("PATCH", "/v1/tables/orders/1") == .update(row("orders", "1")))
        #expect(try route("DELETE", "/v1/tables/orders/1") == .delete(row("orders", "1")))
        #expect(try route("POST", "/v1/batch") == .batch)
        #expect(try route("GET", "/v1/changes") == .changes)
        #expect(try route("POST", "/v1/manifest") == .manifest)
        #expect(try route("POST", "/v1/synchronise") == .synchronise)
    }

    /// A client that goes ends a read, and no write.
    @Test func `is a read or a write, whatever its method`() throws {
        for (method, path) in [
            ("GET", "/v1/openapi.json"), ("GET", "/v1/tables"), ("GET", "/v1/tables/orders"),
            ("GET", "/v1/tables/orders/1"), ("GET", "/v1/changes"), ("POST", "/v1/manifest"),
        ] {
            let isRead = try route(method, path)?.isRead
            #expect(isRead == true, "\(method) \(path)")
        }
        for (method, path) in [
            ("POST", "/v1/tables/orders"), ("PUT", "/v1/tables/orders/1"),
            ("PATCH", "/v1/tables/orders/1"), ("DELETE", "/v1/tables/orders/1"),
            ("POST", "/v1/batch"), ("POST", "/v1/synchronise"),
        ] {
            let isRead = try route(method, path)?.isRead
            #expect(isRead == false, "\(method) \(path)")
        }
    }

    @Test func `has names and keys decoded, and commas between the values of a key`() throws {
        #expect(
            try route("GET", "/v1/tables/order%20details/1,a%2Cb,%C3%A9")
                == .read(row("order details", "1", "a,b", "é")))
        // In a path, a plus is a plus.
        #expect(try route("GET", "/v1/tables/a+b/c+d") == .read(row("a+b", "c+d")))
        #expect(try route("GET", "/v1/tables/a%2Fb") == .listRows(table: "a/b"))
        #expect(try route("GET", "/v1/tables/t/") == .read(row("t", "")))
        #expect(try route("GET", "/v1/tables/t/,") == .read(row("t", "", "")))
    }

    @Test(arguments: [
        "/", "", "/v1", "/v1/", "/v1/exchange", "/health", "/v1/tables/", "/v1/tables//1",
        "/v1/openapi", "/v1/openapi.json/", "/v1/tables/t/1/2", "/v1/tables/t/1/", "/v1/batch/",
        "/v1/batch/1", "/v1/changes/", "/V1/tables",
        "/v2/tables", "//v1/tables", "v1/tables", "/v1/Tables", "/v1/%74ables",
    ])
    func `is nothing for another path`(path: String) throws {
        #expect(try route("GET", path) == nil)
    }

    @Test(arguments: [
        ("/v1/openapi.json", "GET"), ("/v1/tables", "GET"), ("/v1/tables/t", "GET, POST"),
        ("/v1/tables/t/1", "GET, PUT, PATCH, DELETE"), ("/v1/batch", "POST"),
        ("/v1/changes", "GET"),
        ("/v1/manifest", "POST"), ("/v1/synchronise", "POST"),
    ])
    func `of another method names the methods that there are`(path: String, allowed: String) throws
    {
        for method in ["HEAD", "OPTIONS", "TRACE", "get", ""] {
            let problem = #expect(throws: RESTProblem.self) { _ = try route(method, path) }
            #expect(problem?.status == 405 && problem?.code == "method")
            #expect(problem?.headers.map(\.name) == ["Allow"])
            #expect(problem?.headers.map(\.value) == [allowed])
        }
    }

    @Test(arguments: ["/v1/tables/%", "/v1/tables/%4", "/v1/tables/t/%zz", "/v1/tables/t/%ff"])
    func `whose escapes are no UTF-8 is malformed`(path: String) throws {
        let problem = #expect(throws: RESTProblem.self) { _ = try route("GET", path) }
        #expect(problem?.status == 400 && problem?.code == "malformed")
    }

    @Test func `has a length`() throws {
        let path = "/v1/tables/t/" + String(repeating: "x", count: 8_192)
        let problem = #expect(throws: RESTProblem.self) { _ = try route("GET", path) }
        #expect(problem?.status == 414)
        let commas = "/v1/tables/t/" + String(repeating: ",", count: 1_000)
        guard case .read(let row)? = try route("GET", commas) else {
            Issue.record("no row")
            return
        }
        #expect(row.key.count == 65)
    }
}
