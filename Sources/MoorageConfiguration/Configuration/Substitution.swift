#if Server
    /// Replaces `${NAME}` with the environment's value. `$${` gives the text `${`.
    struct Substitution {
        let environment: [String: String]

        func apply(to text: String) throws(CommandFailure) -> String { try fill(text).text }

        func fill(_ text: String) throws(CommandFailure) -> SubstitutedText {
            var result = SubstitutedText()
            var rest = text[...]
            while let start = rest.firstRange(of: "${") {
                let before = rest[..<start.lowerBound]
                if before.hasSuffix("$") {
                    result.append(before.dropLast() + "${")
                    rest = rest[start.upperBound...]
                    continue
                }
                result.append(before)
                guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                    throw CommandFailure.openVariable
                }
                let name = String(rest[start.upperBound..<end])
                guard Self.isName(name) else { throw CommandFailure.variableWithoutName }
                guard let value = environment[name] else {
                    throw CommandFailure.unknownVariable(name)
                }
                result.append(value, of: name)
                rest = rest[rest.index(after: end)...]
            }
            result.append(rest)
            return result
        }

        /// Whether a variable may have this name.
        static func isName(_ name: String) -> Bool {
            guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
            return name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
                default: false
                }
            }
        }
    }
#endif
