import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

private func request(_ headers: (String, String)...) -> RESTRequest {
    RESTRequest(method: "POST", path: "/", headers: headers.map { ($0.0, $0.1) })
}

@Suite(.ownThreads) struct `The header Accept` {
    private func chosen(_ values: String...) throws -> MediaType {
        let headers = values.map { (name: "accept", value: $0) }
        return try RESTRequest(method: "GET", path: "/", headers: headers)
            .answerType(among: [.json, .csv])
    }

    @Test func `chooses the form of the answer`() throws {
        #expect(try chosen() == .json)
        #expect(try chosen("") == .json)
        #expect(try chosen("application/json") == .json)
        #expect(try chosen("*/*") == .json)
        #expect(try chosen("application/*") == .json)
        #expect(try chosen("text/csv") == .csv)
        #expect(try chosen("TEXT/CSV; charset=utf-8") == .csv)
        #expect(try chosen("text/*, application/xml") == .csv)
        #expect(try chosen("text/html, application/xhtml+xml, */*;q=0.8") == .json)
    }

    @Test func `weighs, and the range that says most counts`() throws {
        #expect(try chosen("application/json;q=0.5, text/csv") == .csv)
        #expect(try chosen("application/json;q=0.5", "text/csv;q=0.4") == .json)
        #expect(try chosen("text/csv, application/json") == .json)
        #expect(try chosen("*/*, application/json;q=0.1") == .csv)
        #expect(try chosen("*/*;q=0.1, application/json;q=0") == .csv)
        #expect(try chosen("application/*;q=0.2, */*;q=0.3") == .csv)
        #expect(try chosen(#"text/csv;x="a,b;q=0";q=0.9, application/json;q=0.8"#) == .csv)
    }

    @Test(arguments: [
        "text/html", "application/json;q=0", "*/*;q=0", "application/json;q=0.000", "json",
        "application/json;q=2", "application/json;q=0.0001", "application/json;q=x",
        "application/json;q=", "application/json;q=1.001",
    ])
    func `that takes nothing that there is, is refused`(value: String) throws {
        let problem = #expect(throws: RESTProblem.self) { _ = try chosen(value) }
        #expect(problem?.status == 406 && problem?.code == "notAcceptable")
        #expect(problem?.detail.contains("`application/json` and `text/csv`") == true)
    }
}

@Suite(.ownThreads) struct `The header Content-Type` {
    private func type(_ values: String...) throws -> MediaType {
        try RESTRequest(
            method: "POST", path: "/", headers: values.map { (name: "Content-Type", value: $0) }
        ).bodyType(among: [.json, .csv])
    }

    @Test func `names the form of the body`() throws {
        #expect(try type("application/json") == .json)
        #expect(try type("Application/JSON; charset=\"UTF-8\"") == .json)
        #expect(try type("text/csv;charset=utf-8; header=present") == .csv)
    }

    @Test(arguments: [
        "application/x-www-form-urlencoded", "text/plain", "application/json; charset=latin1",
        "text/csv; header=absent", "application/merge-patch+json", "application/json, text/csv", "",
    ])
    func `of another form is refused`(value: String) {
        let problem = #expect(throws: RESTProblem.self) { _ = try type(value) }
        #expect(problem?.status == 415 && problem?.code == "mediaType")
    }

    @Test func `must be there, once`() {
        #expect(throws: RESTProblem.self) { _ = try type() }
        #expect(throws: RESTProblem.self) { _ = try type("application/json", "text/csv") }
    }
}

@Suite(.ownThreads) struct `The header Prefer` {
    @Test func `says what an answer has`() {
        #expect(ReturnPreference(request(("Prefer", "return=minimal"))) == .minimal)
        #expect(
            ReturnPreference(request(("prefer", "RETURN = \"representation\"; x=1")))
                == .representation)
        #expect(ReturnPreference(request(("Prefer", "wait=5, return=minimal"))) == .minimal)
        #expect(
            ReturnPreference(
                request(("Prefer", "return=minimal"), ("Prefer", "return=representation")))
                == .minimal)
        #expect(ReturnPreference(request()) == nil)
        #expect(ReturnPreference(request(("Prefer", "return=all"))) == nil)
        #expect(ReturnPreference(request(("Prefer", "returns=minimal, return"))) == nil)
        #expect(ReturnPreference.minimal.header == ("Preference-Applied", "return=minimal"))
    }
}

@Suite(.ownThreads) struct `Entity tags` {
    private func tags(_ value: String) throws -> EntityTags? {
        try EntityTags("If-Match", of: request(("If-Match", value)))
    }

    private func tag(_ text: String, isWeak: Bool = false) -> EntityTag {
        EntityTag(text: text, isWeak: isWeak)
    }

    @Test func `are a list, or any`() throws {
        #expect(try tags("*") == .any)
        #expect(try tags(" * ") == .any)
        #expect(try tags(#""a""#) == .some([tag("a")]))
        #expect(
            try tags(#""a", W/"b",, "c,d" ,"#)
                == .some([tag("a"), tag("b", isWeak: true), tag("c,d")]))
        #expect(try tags(#""""#) == .some([tag("")]))
        #expect(try EntityTags("If-Match", of: request()) == nil)
        #expect(
            try EntityTags("If-Match", of: request(("If-Match", #""a""#), ("if-match", #""b""#)))
                == .some([tag("a"), tag("b")]))
    }

    @Test(arguments: [
        "", "a", #""a"#, #"w/"a""#, #"W"a""#, #""a" "b""#, #"*, "a""#, #""a", *"#, "\"a b\"", ",",
    ])
    func `of another form are malformed`(value: String) {
        let problem = #expect(throws: RESTProblem.self) { _ = try tags(value) }
        #expect(problem?.status == 400 && problem?.code == "malformed")
        #expect(problem?.detail.contains("If-Match") == true)
    }
}

@Suite(.ownThreads) struct `Preconditions of a request` {
    private func read(_ headers: (String, String)...) throws -> Preconditions {
        try Preconditions(
            RESTRequest(method: "PUT", path: "/", headers: headers.map { ($0.0, $0.1) }))
    }

    @Test func `of a write are the hub's`() throws {
        #expect(try read().ofWrite() == .none)
        #expect(try read(("If-Match", "*")).ofWrite() == .exists)
        #expect(try read(("If-None-Match", "*")).ofWrite() == .isAbsent)
        #expect(try read(("If-Match", #""a", "b""#)).ofWrite() == .isOneOf(["a", "b"]))
        #expect(try read(("If-None-Match", #""a", W/"b""#)).ofWrite() == .isNoneOf(["a", "b"]))
        #expect(throws: RESTProblem.self) {
            _ = try read(("If-Match", "*"), ("If-None-Match", "*")).ofWrite()
        }
    }

    @Test func `are not met by a weak tag, unless none is to match`() throws {
        #expect(try read(("If-Match", #"W/"a""#)).ofWrite() == .isOneOf([]))
        #expect(try read(("If-Match", #"W/"a", "b""#)).verdict(on: "a") == .changed)
        #expect(try read(("If-None-Match", #"W/"a""#)).verdict(on: "a") == .notModified)
    }

    @Test func `of a read compare with the row's version`() throws {
        #expect(try read().verdict(on: "a") == .met)
        #expect(try read(("If-Match", "*")).verdict(on: "a") == .met)
        #expect(try read(("If-Match", #""b", "a""#)).verdict(on: "a") == .met)
        #expect(try read(("If-Match", #""b""#)).verdict(on: "a") == .changed)
        #expect(try read(("If-None-Match", "*")).verdict(on: "a") == .notModified)
        #expect(try read(("If-None-Match", #""b""#)).verdict(on: "a") == .met)
        #expect(
            try read(("If-Match", #""b""#), ("If-None-Match", #""a""#)).verdict(on: "a")
                == .changed)
    }
}

@Suite(.ownThreads) struct `The name of a request` {
    private func name(
        _ key: String = "k", method: String = "POST", path: String = "/p", query: String? = "q",
        headers: [(name: String, value: String)] = [], body: String = "b"
    ) throws -> RequestName? {
        try RequestName(
            RESTRequest(
                method: method, path: path, query: query,
                headers: headers + [("Idempotency-Key", key)], body: Array(body.utf8)))
    }

    @Test func `is its key, with all that it asks for`() throws {
        #expect(try RequestName(request()) == nil)
        let first = try name()
        #expect(first?.key == "k")
        #expect(try name() == first)
        #expect(try name(headers: [("User-Agent", "x"), ("Accept", "*/*")]) == first)
        let others = [
            try name("l"), try name(method: "PUT"), try name(path: "/pq", query: ""),
            try name(query: nil), try name(body: ""), try name(headers: [("Prefer", "x")]),
            try name(headers: [("If-Match", "x")]), try name(headers: [("If-None-Match", "x")]),
            try name(headers: [("Content-Type", "x")]),
        ]
        #expect(Set(others + [first]).count == others.count + 1)
    }

    @Test(arguments: ["", "é", "a\u{7F}", "a\tb", String(repeating: "x", count: 129)])
    func `is 1 to 128 printable characters`(key: String) {
        let problem = #expect(throws: RESTProblem.self) { _ = try name(key) }
        #expect(problem?.status == 400)
    }

    @Test func `comes once`() throws {
        #expect(try name(String(repeating: "~", count: 128)) != nil)
        #expect(throws: RESTProblem.self) { _ = try name(headers: [("idempotency-key", "k")]) }
    }
}
