import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A stored answer` {
    @Test func `is read back`() throws {
        let response = RESTResponse(
            status: 201, headers: [("ETag", "\"a\\\n\""), ("Location", "/é")],
            body: [0, 10, 255, 13, 10])
        let again = try RESTResponse(decoding: response.encoded())
        #expect(again.status == 201 && again.body == response.body)
        #expect(again.headers.map(\.name) == response.headers.map(\.name))
        #expect(again.headers.map(\.value) == response.headers.map(\.value))
        let empty = try RESTResponse(decoding: RESTResponse(status: 204).encoded())
        #expect(empty.status == 204 && empty.headers.isEmpty && empty.body.isEmpty)
    }

    @Test(arguments: [
        "", "{}", "{}\n", "{\"status\":1.5,\"headers\":[]}\n",
        "{\"status\":200,\"headers\":[[\"a\"]]}\n",
    ])
    func `that is none is an error of the hub`(text: String) {
        let error = #expect(throws: HubError.self) {
            _ = try RESTResponse(decoding: Array(text.utf8))
        }
        #expect(error?.code == .internalError)
    }
}

@Suite(.ownThreads) struct `A problem` {
    @Test func `is JSON of RFC 9457`() {
        let response = RESTResponse.problem(
            status: 429, code: "tooMany", detail: "Wait \"a\" moment.",
            headers: [("Retry-After", "5")])
        #expect(response.status == 429)
        #expect(response.header("Content-Type") == "application/problem+json")
        #expect(response.header("Retry-After") == "5")
        #expect(
            response.text == """
                {"type":"urn:moorage:problem:tooMany","title":"Too Many Requests","status":429,\
                "code":"tooMany","detail":"Wait \\"a\\" moment."}
                """)
    }

    @Test func `has the title that it is given`() {
        let response = RESTResponse.problem(status: 503, code: "busy", title: "Busy", detail: "d")
        #expect(response.text.contains(#""title":"Busy""#))
    }

    @Test(arguments: [
        (RowProblem.Kind.malformed, 400), (.forbidden, 403), (.notFound, 404), (.conflict, 409),
        (.changed, 412), (.tooLarge, 413), (.unprocessable, 422), (.notWritten, 424),
    ])
    func `of rows has a status`(kind: RowProblem.Kind, status: Int) {
        let problem = RESTProblem(RowProblem(kind, "code", "Detail."))
        #expect(problem.status == status && problem.code == "code" && problem.detail == "Detail.")
        #expect(!problem.title.isEmpty && problem.title != "Refused")
    }

    @Test func `is not what fails for another reason`() {
        #expect(RESTProblem(refusal: HubError(.busy, "Busy.")) == nil)
        #expect(RESTProblem(refusal: RESTProblem.badPath)?.status == 400)
    }
}
