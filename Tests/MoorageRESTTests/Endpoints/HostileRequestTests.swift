import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A damaged request` {
    private static let requests: [(target: String, type: String, body: String)] = [
        (
            "/v1/batch", "application/json",
            #"{"operations":[{"op":"update","table":"line","key":[1,2],"row":{"amount":1e1}},"#
                + #"{"op":"insert","table":"sample","row":{"d":"1.5","doc":{"a":[1]},"$etag":"x"}},"#
                + #"{"op":"upsert","table":"purchase","row":{"paid":true}}],"atomic":false}"#
        ),
        (
            "/v1/tables/purchase?atomic=false", "application/json",
            #"[{"id":7,"freight":"1.5"},{"id":8,"shipped":"2026-01-31","paid":false}]"#
        ),
        (
            "/v1/tables/customer?upsert=true", "text/csv",
            "id,name,city\r\nA,\"a, b\",\r\nB,\"c\"\"d\",\"\"\r\n"
        ),
        (
            "/v1/manifest", "application/json",
            #"{"tables":{"line":{"after":[1,1],"upTo":[3,1],"limit":2,"rows":[{"key":[1,2],"#
                + #""version":"x","synced":false},{"key":[9,9],"deleted":true}]},"#
                + #""purchase":{"modified":"shipped","digest":["id","paid"],"rows":[{"key":1,"#
                + #""modified":"1996-07-16"},{"key":2,"digest":"x"}]},"#
                + #""customer":{"ranges":[{"upTo":"M","digest":"x"},{"after":"M","digest":""}]}}}"#
        ),
        (
            "/v1/synchronise", "application/json",
            #"{"atomic":false,"tables":{"purchase":{"add":[{"paid":true,"$related":{"line":[{"#
                + #""number":1,"amount":5}],"customer":{"id":"N","name":"n"}}}],"update":[{"id":1,"#
                + #""$etag":"x","paid":false}],"delete":[2,2,{"key":3,"version":"x"}],"#
                + #""get":[1,{"key":2}],"related":["customer","line"]}}}"#
        ),
    ]

    private func damaged(_ text: String, using random: inout SplitMix64) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.swapAt(place, Int.random(in: bytes.indices, using: &random))
            default:
                let marks = Array("{}[]\",:0e-$&%=\n".utf8)
                bytes.insert(marks[Int.random(in: marks.indices, using: &random)], at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: UInt64(1)...20)
    func `is answered, and breaks nothing`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let bench = try await RESTBench()
        for request in Self.requests {
            for _ in 1...20 {
                let isTarget = Int.random(in: 0..<4, using: &random) == 0
                let response = try await bench.send(
                    "POST", isTarget ? damaged(request.target, using: &random) : request.target,
                    [("Content-Type", request.type)],
                    body: isTarget ? request.body : damaged(request.body, using: &random))
                #expect((200..<500).contains(response.status), "\(response.text)")
            }
        }
        #expect(try await bench.send("GET", "/v1/tables/purchase").status == 200)
    }
}

@Suite(.ownThreads) struct `A large request` {
    @Test func `is refused where the server has no memory for it`() async throws {
        let bench = try await RESTBench()
        let rows = "[" + Array(repeating: "{}", count: 100).joined(separator: ",") + "]"
        let full = HubError(.busy, "Full.")
        let error = await #expect(throws: HubError.self) {
            _ = try await bench.send("POST", "/v1/tables/purchase", body: rows) { _ in throw full }
        }
        #expect(error == full)
    }

    @Test func `is refused where it needs too much memory`() async throws {
        let bench = try await RESTBench()
        let nested = "[" + String(repeating: "[],", count: 2_600_000) + "[]]"
        let response = try await bench.send("POST", "/v1/tables/purchase", body: nested)
        #expect(response.status == 413 && response.code == "tooLarge")
    }
}
