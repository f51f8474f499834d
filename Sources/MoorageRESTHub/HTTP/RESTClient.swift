import Foundation
import Moorage
import MoorageCore
import MoorageWire

/// Requests to the API below its address.
struct RESTClient: Sendable {
    let http: PlainHTTP
    /// Headers of each request, such as an API key's.
    let headers: [(name: String, value: String)]
    /// Finds the reason of a refusal in the app's way; `nil` for the usual forms.
    var reasonReading: ReasonReading?
    /// Counts one exchange; `nil` where nobody counts.
    var counting: ByteCount?

    typealias ReasonReading = @Sendable (_ status: Int, _ body: Data) -> String?

    /// The address of a collection, or of a row in it.
    ///
    /// - Returns: `nil` for a path that is no path.
    func address(
        _ path: String, id: String? = nil, query: [(name: String, value: String)] = []
    ) -> URL? {
        var parts = URLComponents(url: http.url, resolvingAgainstBaseURL: false)
        var whole = parts?.percentEncodedPath ?? ""
        while whole.hasSuffix("/") { whole.removeLast() }
        parts?.percentEncodedPath = whole + "/" + Self.relativePath(path, id: id)
        if !query.isEmpty {
            let own = query.map { Self.escaped($0.name) + "=" + Self.escaped($0.value) }
            let base = [parts?.percentEncodedQuery].compactMap { $0 }
            parts?.percentEncodedQuery = (base + own).joined(separator: "&")
        }
        return parts?.url
    }

    /// The path below the API's address, percent-encoded.
    static func relativePath(_ path: String, id: String?) -> String {
        let steps = path.split(separator: "/").map(String.init) + [id].compactMap { $0 }
        // Some servers know no other address than one with a slash at its end.
        return steps.map(escaped).joined(separator: "/") + (path.hasSuffix("/") ? "/" : "")
    }

    /// Everything but letters, digits and `-._~` in percent encoding.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let character = Unicode.Scalar(byte)
            switch character {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~":
                result.unicodeScalars.append(character)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    func send(
        _ method: String, _ url: URL, headers own: [(name: String, value: String)] = [],
        body: [UInt8]? = nil, type: String? = nil
    ) async throws -> RESTAnswer {
        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name }?.value
        }
        var all = headers.filter { $0.name.lowercased() != "content-type" } + own
        if header("accept") == nil { all.append(("Accept", "application/json")) }
        if body != nil {
            all.append(("Content-Type", type ?? header("content-type") ?? "application/json"))
        }
        let answer: PlainHTTP.Answer
        do {
            answer = try await http.send(
                method, url, headers: all, body: body ?? [], counting: counting)
        } catch let error as HubError where error.code == .tooLarge {
            throw HubError.restAnswerTooLarge
        }
        return try self.answer(answer.status, answer.headers, answer.body)
    }

    /// - Throws: As ``RESTAnswer``.
    func answer(
        _ status: Int, _ headers: [String: String], _ body: [UInt8]
    ) throws(HubError) -> RESTAnswer {
        var answer = try RESTAnswer(status: status, headers: headers, body: body)
        answer.reading = reasonReading
        return answer
    }
}

/// An answer that says something of what was asked. What has to be asked again is an error.
struct RESTAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]
    /// The app's way to find a refusal's reason.
    var reading: RESTClient.ReasonReading?

    /// - Throws: ``HubError`` for an answer about the sign-in, the server's state or the network.
    init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) throws(HubError) {
        switch status {
        case 200..<300, 304: break
        case 401: throw .restUnauthorized
        case 408, 425, 429, 500...599:
            throw .restBusy(status: status, retryAfter: RetryAfter.duration(headers))
        // GitHub, among others, says so that there were too many requests.
        case 403 where RetryAfter.isLimit(headers):
            throw .restBusy(status: status, retryAfter: RetryAfter.duration(headers))
        case 400..<500: break
        default: throw .restNotOurs("status \(status)")
        }
        self.status = status
        self.headers = headers
        self.body = body
    }

    var isSuccess: Bool { (200..<300).contains(status) }
    var isGone: Bool { status == 404 || status == 410 }
    var isConflict: Bool { status == 409 || status == 412 }
    var etag: String? { headers["etag"].flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether it is a page for people, such as a sign-in page of the network.
    var isPage: Bool {
        headers["content-type"]?.lowercased().contains("html") == true
            || body.first { $0 > 0x20 } == UInt8(ascii: "<")
    }

    /// The body as JSON; `nil` for an empty one.
    ///
    /// - Throws: ``HubError`` for a body that is no JSON.
    func json() throws(HubError) -> JSON? {
        guard !body.isEmpty else { return nil }
        do { return try JSON(parsing: body) } catch {
            if error.isTooLarge { throw .restAnswerTooLarge }
            throw .restNotOurs("no JSON")
        }
    }

    /// Why the server refused, as far as it says so.
    var reason: String? {
        guard let reading else { return RefusalReason.text(of: self) }
        return reading(status, Data(body)).flatMap(RefusalReason.line)
    }
}
