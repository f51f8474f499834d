import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A row` {
    @Test func `is read by its key`() async throws {
        let bench = try await RESTBench()
        let row = try await bench.send("GET", "/v1/tables/line/1,2")
        #expect(row.status == 200)
        #expect(row.json.plain == #"{"purchase":1,"number":2,"amount":10}"#)
        let part = try await bench.send("GET", "/v1/tables/line/1,2?columns=amount")
        #expect(part.json.plain == #"{"amount":10}"#)
        #expect(part.header("ETag") == row.header("ETag"))
    }

    @Test(arguments: ["9", "x", "1,2", "", "1.5"])
    func `that is not there is not found`(key: String) async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("GET", "/v1/tables/purchase/\(key)")
        #expect(response.status == 404 && response.code == "notFound")
    }

    @Test func `is read only in another version, if that is asked`() async throws {
        let bench = try await RESTBench()
        let target = "/v1/tables/purchase/1"
        let etag = try #require(try await bench.send("GET", target).header("ETag"))
        for value in [etag, "W/\(etag)", "\"x\", \(etag)", "*"] {
            let response = try await bench.send("GET", target, [("If-None-Match", value)])
            #expect(response.status == 304 && response.body.isEmpty)
            #expect(response.header("ETag") == etag)
        }
        #expect(try await bench.send("GET", target, [("If-None-Match", "\"x\"")]).status == 200)
        #expect(try await bench.send("GET", target, [("If-Match", etag)]).status == 200)
        let changed = try await bench.send("GET", target, [("If-Match", "\"x\"")])
        #expect(changed.status == 412 && changed.code == "changed")
        #expect(
            try await bench.send("GET", "/v1/tables/purchase/9", [("If-None-Match", "*")]).status
                == 404)
        #expect(
            try await bench.send("GET", "\(target)?related=line", [("If-None-Match", etag)]).status
                == 200)
        #expect(
            try await bench.send("GET", target, [("If-None-Match", "x")]).code == "malformed")
    }

    @Test func `is inserted`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send(
            "POST", "/v1/tables/purchase",
            body:
                #"{"id":7,"customer":"VINET","freight":"1.50","shipped":"2026-01-31","paid":true}"#)
        #expect(response.status == 201, "\(response.text)")
        #expect(response.header("Location") == "/v1/tables/purchase/7")
        let etag = try #require(response.json["$etag"]?.string)
        #expect(response.header("ETag") == "\"\(etag)\"")
        #expect(
            response.json.plain == """
                {"id":7,"customer":"VINET","freight":"1.5","shipped":"2026-01-31","paid":true}
                """)
        let again = try await bench.send(
            "POST", "/v1/tables/purchase", body: #"{"id":7,"customer":"VINET"}"#)
        #expect(again.status == 409 && again.code == "exists")
        let upsert = try await bench.send(
            "POST", "/v1/tables/purchase?upsert=true", body: #"{"id":7,"freight":2}"#)
        #expect(upsert.status == 200, "\(upsert.text)")
        #expect(upsert.json["freight"]?.string == "2")
        #expect(upsert.json["customer"]?.string == "VINET")
    }

    @Test func `gets its defaults, and its key from the hub`() async throws {
        let bench = try await RESTBench()
        let first = try await bench.send("POST", "/v1/tables/purchase", body: "{}")
        #expect(first.status == 201, "\(first.text)")
        #expect(first.json["paid"]?.text == "false")
        let location = try #require(first.header("Location"))
        #expect(try await bench.send("GET", location).text == first.text)
        let uuid = try await bench.send("POST", "/v1/tables/sample", body: #"{"id":null}"#)
        #expect(uuid.json["id"]?.string.map { UUIDText.bytes($0) != nil } == true)
        let text = try await bench.send("POST", "/v1/tables/customer", body: #"{"name":"x"}"#)
        #expect(text.status == 422 && text.code == "keyMissing")
    }

    @Test func `has values of every type`() async throws {
        let bench = try await RESTBench()
        let row = """
            {"id":"6fa9de85-6161-4583-9060-401245a55af9","n":9007199254740993,"r":0.1,"d":"12.5",\
            "b":true,"t":"é\\u0000","bytes":"AAEC","day":"1996-07-16","time":"13:45:00.25",\
            "stamp":"1996-07-16T13:45:00","moment":"1996-07-16T11:45:00Z",\
            "doc":{"b":1.50,"a":[1e2,"é",null]}}
            """
        let sent = row.replacing("11:45:00Z", with: "13:45:00+02:00")
        let response = try await bench.send("POST", "/v1/tables/sample", body: sent)
        #expect(response.status == 201, "\(response.text)")
        #expect(response.json.plain == row)
        // The same row leaves nothing to change.
        let again = try await bench.send(
            "PUT", "/v1/tables/sample/6FA9DE85-6161-4583-9060-401245A55AF9", body: response.text)
        #expect(again.status == 200 && again.text == response.text, "\(again.text)")
    }

    @Test(arguments: [
        ("n", "1.5"), ("n", #""1""#), ("n", "9223372036854775808"), ("r", #""1""#),
        ("d", #""x""#), ("b", "1"), ("t", "1"), ("bytes", #""%""#), ("day", #""soon""#),
        ("time", #""soon""#), ("stamp", #""2026-01-01T00:00:00Z""#), ("moment", "0"),
    ])
    func `with a value of another type is refused without the value`(
        column: String, value: String
    ) async throws {
        let bench = try await RESTBench()
        let response = try await bench.send(
            "POST", "/v1/tables/sample", body: "{\"\(column)\":\(value)}")
        #expect(response.status == 422 && response.code == "type", "\(response.text)")
        let detail = try #require(response.json["detail"]?.string)
        #expect(detail.contains("sample.\(column) takes "))
        #expect(!detail.contains("soon") && !detail.contains("9223372036854775808"))
    }

    @Test func `is changed in part`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send(
            "PATCH", "/v1/tables/purchase/1", body: #"{"paid":false,"shipped":null,"$etag":"x"}"#)
        #expect(response.status == 200, "\(response.text)")
        #expect(
            response.json.plain == """
                {"id":1,"customer":"VINET","freight":"32.38","shipped":null,"paid":false}
                """)
        #expect(response.header("ETag") == response.json["$etag"]?.string.map { "\"\($0)\"" })
        let nothing = try await bench.send("PATCH", "/v1/tables/purchase/1", body: "{}")
        #expect(nothing.status == 200 && nothing.text == response.text)
        let none = try await bench.send("PATCH", "/v1/tables/purchase/9", body: "{}")
        #expect(none.status == 404 && none.code == "notFound")
        let other = try await bench.send("PATCH", "/v1/tables/purchase/1", body: #"{"id":2}"#)
        #expect(other.status == 422 && other.code == "otherKey")
    }

    @Test func `is changed by a merge patch, but not within a document`() async throws {
        let bench = try await RESTBench()
        let id = "6fa9de85-6161-4583-9060-401245a55af9"
        _ = try await bench.send(
            "POST", "/v1/tables/sample", body: #"{"id":"\#(id)","doc":{"a":1},"n":1}"#)
        let type = [("Content-Type", "application/merge-patch+json")]
        let patched = try await bench.send(
            "PATCH", "/v1/tables/sample/\(id)", type, body: #"{"n":null,"doc":[1]}"#)
        #expect(patched.status == 200, "\(patched.text)")
        #expect(patched.json["n"]?.text == "null" && patched.json["doc"]?.text == "[1]")
        let merged = try await bench.send(
            "PATCH", "/v1/tables/sample/\(id)", type, body: #"{"doc":{"b":2}}"#)
        #expect(merged.status == 422 && merged.code == "type")
        let put = try await bench.send("PUT", "/v1/tables/sample/\(id)", type, body: "{}")
        #expect(put.status == 415)
    }

    @Test func `is written whole`() async throws {
        let bench = try await RESTBench()
        let new = try await bench.send(
            "PUT", "/v1/tables/customer/NEW", body: #"{"name":"New","city":null}"#)
        #expect(new.status == 201, "\(new.text)")
        #expect(new.header("Location") == "/v1/tables/customer/NEW")
        let changed = try await bench.send(
            "PUT", "/v1/tables/customer/NEW", body: #"{"id":"NEW","name":"Newer","city":"Oslo"}"#)
        #expect(changed.status == 200 && changed.header("Location") == nil, "\(changed.text)")
        let part = try await bench.send(
            "PUT", "/v1/tables/customer/NEW", body: #"{"name":"Newest"}"#)
        #expect(part.status == 422 && part.code == "columnsMissing")
        #expect(part.json["detail"]?.string?.contains("city") == true)
    }

    @Test func `is deleted`() async throws {
        let bench = try await RESTBench()
        let response = try await bench.send("DELETE", "/v1/tables/line/1,2")
        #expect(response.status == 204 && response.body.isEmpty && response.headers.isEmpty)
        #expect(try await bench.send("DELETE", "/v1/tables/line/1,2").status == 404)
        #expect(try bench.rows("SELECT count(*) FROM line") == [[.integer(2)]])
        let parent = try await bench.send("DELETE", "/v1/tables/customer/VINET")
        #expect(parent.status == 409 && parent.code == "foreignKey", "\(parent.text)")
    }

    @Test func `is written only in the version that the request names`() async throws {
        let bench = try await RESTBench()
        let target = "/v1/tables/customer/VINET"
        let etag = try #require(try await bench.send("GET", target).header("ETag"))
        for (name, value) in [
            ("If-Match", "\"x\""), ("If-Match", "W/\(etag)"), ("If-None-Match", "*"),
            ("If-None-Match", "\"x\", \(etag)"),
        ] {
            for (method, body) in [
                ("PATCH", #"{"city":"x"}"#), ("PUT", #"{"name":"x","city":"x"}"#), ("DELETE", nil),
            ] {
                let response = try await bench.send(method, target, [(name, value)], body: body)
                #expect(response.status == 412 && response.code == "changed", "\(method) \(name)")
            }
        }
        let both = try await bench.send(
            "DELETE", target, [("If-Match", "*"), ("If-None-Match", "*")])
        #expect(both.status == 400)
        let changed = try await bench.send(
            "PATCH", target, [("If-Match", "\"x\", \(etag)")], body: #"{"city":"Lyon"}"#)
        #expect(changed.status == 200 && changed.header("ETag") != etag)
        let missing = try await bench.send(
            "PUT", "/v1/tables/customer/NEW", [("If-Match", "*")],
            body: #"{"name":"x","city":null}"#)
        #expect(missing.status == 412)
        let new = try await bench.send(
            "PUT", "/v1/tables/customer/NEW", [("If-None-Match", "*")],
            body: #"{"name":"x","city":null}"#)
        #expect(new.status == 201)
    }

    @Test func `comes back or not, as the request prefers`() async throws {
        let bench = try await RESTBench()
        let minimal = [("Prefer", "return=minimal")]
        let insert = try await bench.send(
            "POST", "/v1/tables/customer", minimal, body: #"{"id":"A","name":"a"}"#)
        #expect(insert.status == 201 && insert.body.isEmpty)
        #expect(insert.header("Location") == "/v1/tables/customer/A")
        #expect(insert.header("Preference-Applied") == "return=minimal")
        #expect(insert.header("ETag") != nil && insert.header("Content-Type") == nil)
        let patch = try await bench.send(
            "PATCH", "/v1/tables/customer/A", minimal, body: #"{"name":"b"}"#)
        #expect(patch.status == 204 && patch.body.isEmpty && patch.header("ETag") != nil)
        let put = try await bench.send(
            "PUT", "/v1/tables/customer/A", minimal, body: #"{"name":"c","city":null}"#)
        #expect(put.status == 204 && put.header("ETag") == nil)
        let whole = try await bench.send(
            "PATCH", "/v1/tables/customer/A", [("Prefer", "return=representation")],
            body: #"{"name":"b"}"#)
        #expect(whole.status == 200 && whole.json["name"]?.string == "b")
        #expect(whole.header("Preference-Applied") == "return=representation")
    }

    @Test(arguments: [
        ("", 400, "malformed"), (" ", 400, "malformed"), ("{", 400, "malformed"),
        ("1", 400, "malformed"), ("null", 400, "malformed"), (#""x""#, 400, "malformed"),
        (#"{"name":"x","name":"y"}"#, 400, "malformed"), (#"{"nam":"x"}"#, 400, "unknownColumn"),
        (#"{"name":null}"#, 422, "notNull"), (#"{"city":"Rio"}"#, 409, "unique"),
    ])
    func `that cannot be written is refused`(
        body: String, status: Int, code: String
    ) async throws {
        let bench = try await RESTBench()
        let before = try bench.rows("SELECT * FROM customer ORDER BY id")
        let response = try await bench.send("PATCH", "/v1/tables/customer/VINET", body: body)
        #expect(response.status == status && response.code == code, "\(response.text)")
        #expect(try bench.rows("SELECT * FROM customer ORDER BY id") == before)
    }

    @Test func `needs a body of its type, and an answer as JSON`() async throws {
        let bench = try await RESTBench()
        let target = "/v1/tables/customer/VINET"
        let form = [("Content-Type", "application/x-www-form-urlencoded")]
        #expect(try await bench.send("PATCH", target, form, body: "name=x").status == 415)
        let csv = [("Content-Type", "text/csv")]
        #expect(try await bench.send("PATCH", target, csv, body: "name\nx").status == 415)
        #expect(
            try await bench.send("PATCH", target, [("Accept", "text/csv")], body: "{}").status
                == 406
        )
        #expect(try await bench.send("PATCH", "\(target)?columns=id", body: "{}").status == 400)
        #expect(
            try await bench.send(
                "POST", "/v1/tables/customer", [("If-None-Match", "*")], body: "{}"
            ).code == "malformed")
    }

    @Test func `may be written only by who has the right`() async throws {
        var configuration = HubConfiguration()
        configuration.rights = RightSettings(tables: [
            "customer": ["*": TableRights(update: true, columns: ["city"])]
        ])
        configuration.directions = ["line": .down]
        let bench = try await RESTBench(configuration)
        let target = "/v1/tables/customer/VINET"
        #expect(
            try await bench.send("PATCH", target, body: #"{"city":"x"}"#).status == 200)
        for (method, target, body) in [
            ("PATCH", target, #"{"name":"x"}"#), ("DELETE", target, nil),
            ("POST", "/v1/tables/customer", #"{"id":"x","name":"x"}"#),
        ] {
            let response = try await bench.send(method, target, body: body)
            #expect(response.status == 403 && response.code == "permission", "\(response.text)")
        }
        let line = try await bench.send("PATCH", "/v1/tables/line/1,1", body: #"{"amount":1}"#)
        #expect(line.status == 403 && line.code == "readOnly", "\(line.text)")
    }

    @Test func `has the columns that the hub alone writes, whatever a request says`() async throws {
        var configuration = HubConfiguration()
        configuration.columns = ["customer": ColumnSettings(downOnly: ["city"])]
        let bench = try await RESTBench(configuration)
        let row = try await bench.send("GET", "/v1/tables/customer/VINET")
        let sent = row.text.replacing("Reims", with: "Oslo").replacing("Vins", with: "Wines")
        let response = try await bench.send("PUT", "/v1/tables/customer/VINET", body: sent)
        #expect(response.status == 200, "\(response.text)")
        #expect(response.json.plain == #"{"id":"VINET","name":"Wines","city":"Reims"}"#)
    }
}
