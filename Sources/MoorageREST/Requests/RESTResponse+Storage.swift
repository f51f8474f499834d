package import MoorageWire
import MoorageCore

/// The hub stores the answers of requests that are carried out once.
extension RESTResponse {
    /// A line of JSON with status and headers, and then the body.
    package func encoded() -> [UInt8] {
        var head = JSONWriter.document {
            $0.object {
                $0.name("status")
                $0.integer(Int64(status))
                $0.name("headers")
                $0.array { list in
                    for (name, value) in headers {
                        list.array {
                            $0.string(name)
                            $0.string(value)
                        }
                    }
                }
            }
        }
        head.append(UInt8(ascii: "\n"))
        return head + body
    }

    /// - Throws: ``HubError`` `internalError` for bytes that are no answer.
    package init(decoding bytes: [UInt8]) throws(HubError) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSON(parsing: Array(bytes[..<end])),
            case .number(let number)? = head["status"], let status = Int(number),
            case .array(let fields)? = head["headers"]
        else { throw Self.unreadable }
        var headers: [(name: String, value: String)] = []
        for field in fields {
            guard case .array(let parts) = field, parts.count == 2,
                case .string(let name) = parts[0], case .string(let value) = parts[1]
            else { throw Self.unreadable }
            headers.append((name, value))
        }
        self.init(status: status, headers: headers, body: Array(bytes[(end + 1)...]))
    }

    private static let unreadable = HubError(
        .internalError,
        "A stored answer of a request cannot be read. Send the request with a new key.")
}
