import MoorageCore
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `Query parameters` {
    private func read(
        _ query: String?, _ known: [QueryParameters.Name] = [.filter, .limit, .count, .after]
    ) throws -> QueryParameters {
        try QueryParameters(query, known)
    }

    private func problem(_ query: String) -> RESTProblem? {
        do {
            _ = try read(query)
            return nil
        } catch {
            return error as? RESTProblem
        }
    }

    @Test func `are decoded as a form is`() throws {
        let parameters = try read("filter=a+%3D+'%C3%A9%2B'&limit=5&&count=")
        #expect(parameters[.filter] == "a = 'é+'")
        #expect(parameters[.limit] == "5")
        #expect(parameters[.count] == "")
        #expect(parameters[.after] == nil)
        #expect(try read("limit")[.limit] == "")
        #expect(try read("filter=a=b=c")[.filter] == "a=b=c")
        #expect(try read("%6cimit=5")[.limit] == "5")
        for query in [nil, "", "&", "&&"] { #expect(try read(query).all.isEmpty) }
    }

    @Test func `that are unknown are refused with those that are known`() throws {
        let problem = problem("limt=5")
        #expect(problem?.status == 400 && problem?.code == "parameter")
        #expect(
            problem?.detail == """
                This request takes no parameter `limt`. It takes only `filter`, `limit`, `count` \
                and `after`.
                """)
        let none = #expect(throws: RESTProblem.self) { _ = try read("x", []) }
        #expect(none?.detail == "This request takes no parameters, and so no `x`.")
    }

    @Test(arguments: [
        "limit=1&limit=1", "limit=1&%6cimit=2", "=1", "LIMIT=1", "filter=%", "%=", "filter=%ff",
        "filter=%e", "filter=%+1",
    ])
    func `that come twice or cannot be decoded are refused`(query: String) {
        #expect(problem(query)?.code == "parameter")
    }

    @Test func `are true or false where they are flags`() throws {
        #expect(try read("count=true").flag(.count) == true)
        #expect(try read("count=false").flag(.count) == false)
        #expect(try read("").flag(.count) == nil)
        for value in ["", "1", "True", "yes"] {
            #expect(throws: RESTProblem.self) { _ = try read("count=\(value)").flag(.count) }
        }
    }

    @Test func `are written again with another value of one`() throws {
        let parameters = try read("after=x&filter=a+%3C+'ü'&limit=5")
        #expect(
            parameters.with(.after, "n/1") == "filter=a%20%3C%20%27%C3%BC%27&limit=5&after=n%2F1")
    }

    @Test func `have a length`() {
        #expect(problem("filter=" + String(repeating: "x", count: 65_536))?.status == 414)
    }

    @Test(arguments: UInt64(1)...50)
    func `survive being encoded`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let text = String.random(using: &random)
        let encoded = PercentEncoding.encode(text)
        #expect(PercentEncoding.decode(encoded.utf8).map { $0.hasSameBytes(as: text) } == true)
        #expect(
            try read("filter=\(encoded)")[.filter].map { $0.hasSameBytes(as: text) } == true)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
}

extension String {
    /// Text with all that makes trouble in some form.
    static func random(using random: inout SplitMix64, count: Int = 20) -> String {
        let pieces = [
            "a", "Z", "0", " ", ",", ";", "\"", "'", "\n", "\r", "\r\n", "\t", "\0", "&", "=", "+",
            "%", "/", "?", "#", "\\", ".", "-", "é", "e\u{301}", "ü", "漢", "😀", "\u{FEFF}", "<",
            "$",
        ]
        return (0..<Int.random(in: 0...count, using: &random))
            .map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
    }
}
