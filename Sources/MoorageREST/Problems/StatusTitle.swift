/// What a status means (RFC 9110, 15).
enum StatusTitle {
    static func of(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 424: "Failed Dependency"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: status < 500 ? "Refused" : "Internal Server Error"
        }
    }
}
