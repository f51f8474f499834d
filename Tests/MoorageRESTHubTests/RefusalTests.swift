import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `Answers that refuse` {
    private static let milk = "INSERT INTO todo(id, title) VALUES ('a', 'Milk')"

    private func device() async throws -> (Device, FakeAPI) {
        let api = FakeAPI(["todos": FakeCollection()])
        return (try await Device(api, [Todo.self]), api)
    }

    // MARK: Routes

    @Test(arguments: [("PUT", "UPDATE todo SET done = 1"), ("DELETE", "DELETE FROM todo")])
    func `say that a route is missing where the row is there`(method: String, sql: String)
        async throws
    {
        let (device, api) = try await device()
        try await device.execute(Self.milk + "; UPDATE todo SET pinned = 1")
        try await device.sync()
        try await device.execute(sql)
        api.breaking { $0.method == method ? .status(404) : nil }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .notFound)
        #expect((error?.cause as? HubError)?.message.contains("\(method) todos/{id}") == true)
        #expect(try await device.refused.isEmpty)
        #expect(device.replica.status.pendingCount == 1)
        api.breaking(nil)
        try await device.catchUp()
        #expect(
            try await device.rows("SELECT done, pinned FROM todo")
                == (method == "PUT" ? ["1 1"] : []))
        #expect(
            api.rows("todos")
                == (method == "PUT" ? ["a": #"{"done":true,"id":"a","title":"Milk"}"#] : [:]))
    }

    // MARK: Rate limits

    @Test(
        arguments: [
            (["Retry-After": "60"], 60),
            (["X-RateLimit-Remaining": "0"], nil),
            (["RateLimit-Remaining": "0", "Retry-After": "5"], 5),
            (
                [
                    "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111787",
                    "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
                ], 10
            ),
        ] as [([String: String], Int?)])
    func `for a rate limit wait, also with 403`(headers: [String: String], seconds: Int?)
        async throws
    {
        let (device, api) = try await device()
        try await device.execute(Self.milk)
        api.breakingOnce("POST", .status(403, headers: headers, body: #"{"message":"Slow."}"#))
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(error?.hubCode == .busy)
        #expect((error?.cause as? HubError)?.retryAfter == seconds.map { .seconds($0) })
        #expect(try await device.rows("SELECT title FROM todo") == ["Milk"])
        api.breaking(nil)
        try await device.sync()
        #expect(api.rows("todos").count == 1)
        #expect(try await device.refused.isEmpty)
    }

    // MARK: Reasons

    private static let reasons: [(body: String, text: String)] = [
        (#"{"detail":"No."}"#, "No."),
        (#"{"error":{"message":"Card declined."}}"#, "Card declined."),
        (#"{"error":"invalid","error_description":"No scope."}"#, "No scope."),
        (#"{"msg":"No."}"#, "No."),
        (#"{"errors":{"email":["is invalid","is short"]}}"#, "email: is invalid, is short"),
        (#"{"email":["Enter a valid email."]}"#, "email: Enter a valid email."),
        (#"{"non_field_errors":["Taken."]}"#, "Taken."),
        (#"{"errors":[{"detail":"Bad name."},{"title":"Bad age."}]}"#, "Bad name.; Bad age."),
        (#"{"errors":["One.","Two."]}"#, "One.; Two."),
        (#"["One.","Two."]"#, "One.; Two."),
        (
            #"{"message":"Validation failed.","errors":{"a":["is short"],"b":"is long"}}"#,
            "Validation failed. a: is short; b: is long"
        ),
        ("plain text", "plain text"),
        ("two\n\tlines\u{1B}[0m", "two lines[0m"),
        ("\"a JSON text\"", "a JSON text"),
        ("<html>no</html>", "The server refused with status 422."),
        ("{}", "The server refused with status 422."),
        (#"{"code":17}"#, "The server refused with status 422."),
    ]

    @Test(arguments: reasons)
    func `are listed with the server's own text`(body: String, text: String) async throws {
        let (device, api) = try await device()
        try await device.execute(Self.milk)
        api.breakingOnce("POST", .status(422, body: body))
        try await device.sync()
        #expect(try await device.refused.map(\.message) == [text])
    }

    @Test(arguments: ["text", #"{"detail":"text"}"#, #"{"errors":{"a":["text"]}}"#])
    func `are cut where they are long`(body: String) async throws {
        let (device, api) = try await device()
        try await device.execute(Self.milk)
        let long = String(repeating: "long ", count: 10_000)
        api.breakingOnce(
            "POST", .status(422, body: body.replacingOccurrences(of: "text", with: long)))
        try await device.sync()
        let message = try #require(try await device.refused.first?.message)
        #expect((400...500).contains(message.count))
    }

    @Test func `are read by the app's own function`() async throws {
        let api = FakeAPI(["todos": FakeCollection()])
        let device = try await Device(api, [Todo.self]) { status, body in
            body.isEmpty ? nil : "\(status) \(String(decoding: body, as: UTF8.self).dropFirst(4))"
        }
        api.breaking { $0.method == "POST" ? .status(422, body: "E42 Out of stock.") : nil }
        try await device.execute(Self.milk)
        try await device.sync()
        #expect(try await device.refused.map(\.message) == ["422 Out of stock."])
        api.breaking { $0.method == "POST" ? .status(422) : nil }
        try await device.execute(Self.milk)
        try await device.sync()
        #expect(
            try await device.refused.last?.message == "The server refused with status 422.")
    }

    // MARK: Words

    @Test func `name a server, and no hub`() async throws {
        let (device, api) = try await device()
        try await device.execute(Self.milk)
        api.breaking { _ in .lost }
        let error = await #expect(throws: ReplicaError.self) { try await device.sync() }
        #expect(
            (error?.cause as? HubError)?.message.hasPrefix("The server cannot be reached") == true)
        api.breaking(nil)
        try await device.sync()
        try await device.execute("UPDATE todo SET done = 1")
        api.delete("todos", "a")
        try await device.sync()
        #expect(
            try await device.refused.map(\.message)
                == ["The row was deleted at the server. Your values are kept."])
    }
}
