/// A rule as an SQL expression with the words `base`, `mine` and `theirs`, such as
/// `greatest(mine, theirs)`. The central database evaluates it with the three values as arguments.
public struct RuleExpression: Hashable, Sendable {
    /// A word that a value replaces.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// The value that the replica's edit started from.
        case base
        /// The replica's value.
        case mine
        /// The central value.
        case theirs
    }

    /// A piece of the expression.
    public enum Piece: Hashable, Sendable {
        /// Text that the central database gets unchanged.
        case sql(String)
        /// A place for one of the three values. The connector binds it as an argument.
        case word(Word)
    }

    /// As the owner wrote it.
    public let text: String
    /// The text, cut at its words. It may be incomplete when there is a ``problem``.
    public let pieces: [Piece]
    /// Why it cannot be used; `nil` when it can.
    public let problem: String?

    /// Reads an expression of at most 10,000 bytes that uses at least one of the three words. One
    /// that cannot be used has a ``problem``.
    public init(_ text: String) {
        self.text = text
        var reading = Reading(text)
        reading.run()
        pieces = reading.pieces
        if text.utf8.count > OwnersSQL.maximumBytes {
            problem = RuleProblem.expressionTooLong(most: OwnersSQL.maximumBytes)
        } else if let fault = reading.fault {
            problem = RuleProblem.expression(fault)
        } else if !pieces.contains(where: { if case .word = $0 { true } else { false } }) {
            problem = RuleProblem.expressionWithoutValues
        } else {
            problem = nil
        }
    }
}

extension RuleExpression {
    /// Finds the words outside of quotes, and anything that would end the expression.
    private struct Reading {
        private let bytes: [UInt8]
        private var index = 0
        private var start = 0
        private var depth = 0
        var pieces: [Piece] = []
        var fault: String?

        init(_ text: String) { bytes = Array(text.utf8) }

        mutating func run() {
            while index < bytes.count, fault == nil { step() }
            flush()
            if fault == nil, depth != 0 { fault = RuleProblem.openBracket }
        }

        private mutating func step() {
            let byte = bytes[index]
            fault = OwnersSQL.fault(at: index, in: bytes)
            if fault != nil { return }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                (index, fault) = OwnersSQL.end(ofQuoteAt: index, in: bytes)
            case UInt8(ascii: "("): (depth, index) = (depth + 1, index + 1)
            case UInt8(ascii: ")"):
                (depth, index) = (depth - 1, index + 1)
                if depth < 0 { fault = RuleProblem.unopenedBracket }
            case UInt8(ascii: ";"): fault = RuleProblem.severalStatements
            case _ where Self.isLetter(byte): readWord()
            default: index += 1
            }
        }

        private mutating func readWord() {
            let first = index
            while index < bytes.count, Self.isLetter(bytes[index]) || Self.isDigit(bytes[index]) {
                index += 1
            }
            let before = first > 0 ? bytes[first - 1] : UInt8(ascii: " ")
            let after = index < bytes.count ? bytes[index] : UInt8(ascii: " ")
            // Skips a number's exponent, a part of a qualified name and a function's name.
            guard before != UInt8(ascii: "."), !Self.isDigit(before), after != UInt8(ascii: "."),
                after != UInt8(ascii: "("),
                let word = Word(
                    rawValue: String(decoding: bytes[first..<index], as: UTF8.self).lowercased())
            else { return }
            let end = index
            index = first
            flush()
            pieces.append(.word(word))
            (index, start) = (end, end)
        }

        private mutating func flush() {
            let end = min(index, bytes.count)
            guard start < end else { return }
            pieces.append(.sql(String(decoding: bytes[start..<end], as: UTF8.self)))
            start = end
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}
