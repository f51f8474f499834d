#if Server
    import Crypto
    import Foundation
    import MoorageCore
    import MoorageHub

    /// A request to a webhook: its body, and the signature that proves who sent it and when.
    struct WebhookMessage: Hashable, Sendable {
        let body: [UInt8]
        /// `t=<seconds>,v1=<digits>`: when it was signed, and the HMAC-SHA256 of the seconds, a
        /// point and the body, in hexadecimal digits.
        let signature: String

        init(_ notices: [HubNotice], secret: String, at time: Date) {
            var writer = JSONWriter()
            writer.object {
                $0.name("events")
                $0.array { array in
                    for notice in notices { array.object { notice.write(to: &$0) } }
                }
            }
            body = writer.bytes
            let seconds = String(Int64(time.timeIntervalSince1970))
            var code = HMAC<SHA256>(key: SymmetricKey(data: Array(secret.utf8)))
            code.update(data: Array("\(seconds).".utf8))
            code.update(data: body)
            let digits = code.finalize().map { byte in
                let text = String(byte, radix: 16)
                return text.count == 1 ? "0" + text : text
            }
            signature = "t=\(seconds),v1=\(digits.joined())"
        }
    }

    extension HubNotice {
        fileprivate func write(to object: inout JSONWriter) {
            object.name("id")
            object.string(id)
            object.name("type")
            object.string(kind.rawValue)
            object.name("replica")
            object.string(replica)
            if let user {
                object.name("user")
                object.string(user)
            }
            if let table {
                object.name("table")
                object.string(table)
            }
            if let reason {
                object.name(kind == .refused ? "code" : "rule")
                object.string(reason)
            }
            if let time {
                object.name("at")
                object.integer(time.milliseconds)
            }
        }
    }
#endif
