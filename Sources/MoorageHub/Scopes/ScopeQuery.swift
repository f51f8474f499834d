import MoorageCore

/// A query of the owner's for the scopes that a user may see, such as
/// `SELECT project_id FROM members WHERE user_id = :sub`.
///
/// `:sub` is the user's name, `:claims.x` the claim `x` of the user's token. Both are arguments,
/// never part of the statement's text.
public struct ScopeQuery: Hashable, Sendable {
    /// A part of the query: SQL, or an argument.
    public enum Piece: Hashable, Sendable {
        /// SQL as the owner wrote it.
        case sql(String)
        /// `:sub`: ``Principal/subject``.
        case subject
        /// `:claims.x`: the value of the claim with this name, without `claims.` before it.
        case claim(String)
    }

    /// The query as the owner wrote it.
    public let text: String
    /// The parts of ``text``, in its order. Where there is a ``problem``, they may end early.
    public let pieces: [Piece]
    /// Why it cannot be used; `nil` when it can.
    public let problem: String?

    package init(_ text: String) {
        self.text = text
        var reading = Reading(bytes: Array(text.utf8))
        reading.run()
        pieces = reading.pieces
        if text.utf8.count > OwnersSQL.maximumBytes {
            problem = ConfigurationProblem.queryTooLong(most: OwnersSQL.maximumBytes)
        } else if let fault = reading.fault {
            problem = ConfigurationProblem.query(fault)
        } else if !pieces.contains(where: { if case .sql = $0 { false } else { true } }) {
            problem = ConfigurationProblem.queryWithoutUser
        } else {
            problem = nil
        }
    }

    /// The arguments, in the order of the pieces that are not SQL. `nil` for a user without one of
    /// the claims, or with several values for it: such a user gets no scope.
    public func arguments(of principal: Principal) -> [String]? {
        var arguments: [String] = []
        for piece in pieces {
            switch piece {
            case .sql: break
            case .subject: arguments.append(principal.subject)
            case .claim(let name):
                guard let values = principal.claims[name], values.count == 1 else { return nil }
                arguments.append(values[0])
            }
        }
        return arguments
    }

    /// The statement, with a placeholder for each of ``arguments(of:)``.
    public func sql(_ placeholder: (Int) -> String) -> String {
        var sql = ""
        var count = 0
        for piece in pieces {
            if case .sql(let text) = piece {
                sql += text
            } else {
                sql += placeholder(count)
                count += 1
            }
        }
        return sql
    }

    /// Finds the names outside quotes.
    private struct Reading {
        let bytes: [UInt8]
        var pieces: [Piece] = []
        var fault: String?
        private var text: [UInt8] = []

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func run() {
            var index = 0
            while index < bytes.count, fault == nil {
                let byte = bytes[index]
                fault = OwnersSQL.fault(at: index, in: bytes)
                if fault != nil { break }
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""):
                    let start = index
                    (index, fault) = OwnersSQL.end(ofQuoteAt: index, in: bytes)
                    text += bytes[start..<index]
                case UInt8(ascii: ";"): fault = ConfigurationProblem.severalQueries
                case UInt8(ascii: ":") where index + 1 < bytes.count && bytes[index + 1] == byte:
                    // A cast.
                    text += [byte, byte]
                    index += 2
                case UInt8(ascii: ":"):
                    let name = bytes[(index + 1)...].prefix { Self.isName($0) }
                    argument(String(decoding: name, as: UTF8.self))
                    index += 1 + name.count
                    // Otherwise SQL would subtract the second half of a claim's name.
                    if fault == nil, index < bytes.count, bytes[index] == UInt8(ascii: "-") {
                        fault = ConfigurationProblem.minusBehindName
                    }
                default:
                    text.append(byte)
                    index += 1
                }
            }
            flush()
        }

        private static func isName(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }

        private mutating func argument(_ name: String) {
            flush()
            if name == "sub" {
                pieces.append(.subject)
            } else if name.hasPrefix("claims."), name.utf8.count > 7 {
                pieces.append(.claim(String(name.dropFirst(7))))
            } else {
                fault = ConfigurationProblem.unknownName(name)
            }
        }

        private mutating func flush() {
            if !text.isEmpty { pieces.append(.sql(String(decoding: text, as: UTF8.self))) }
            text = []
        }
    }
}
