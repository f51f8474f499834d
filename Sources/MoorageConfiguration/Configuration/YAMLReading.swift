#if Server
    import Yams

    /// Reads one node of the configuration; every failure names the file and the line.
    struct YAMLReading {
        let node: Node
        let file: String
        /// The path to the node, for messages: `tables.orders.rule`, `trustedProxies[1]`.
        let path: String
        let substitution: Substitution

        /// The whole file.
        ///
        /// - Returns: `nil` when it is empty.
        static func parse(
            _ text: String, file: String, environment: [String: String]
        ) throws(CommandFailure) -> YAMLReading? {
            let node: Node?
            do {
                node = try Yams.compose(yaml: text)
            } catch let error as YamlError {
                throw failure(error, file: file)
            } catch {
                throw CommandFailure.configurationNotYAML(file)
            }
            guard let node else { return nil }
            if case .scalar(let scalar) = node, scalar.string.isEmpty { return nil }
            return YAMLReading(
                node: node, file: file, path: "",
                substitution: Substitution(environment: environment))
        }

        var place: String { node.mark.map { "\(file):\($0.line)" } ?? file }

        func failure(_ what: String, next: String? = nil) -> CommandFailure {
            CommandFailure(
                path.isEmpty ? what : "`\(path)`: \(what)", at: place, next: next,
                exit: .configuration)
        }

        /// The members by name; each name must be among those known.
        func members(_ known: [String]) throws(CommandFailure) -> [String: YAMLReading] {
            var result: [String: YAMLReading] = [:]
            for (name, key, value) in try pairs() {
                guard known.contains(name) else {
                    throw key.failure(
                        "The configuration has no key `\(name)` here.",
                        next: NearestName.question(for: name, among: known)
                            ?? "Known here: \(known.joined(separator: ", ")).")
                }
                result[name] = value
            }
            return result
        }

        /// The members by name, where the owner chooses the names.
        func named() throws(CommandFailure) -> [(name: String, value: YAMLReading)] {
            try pairs().map { ($0.name, $0.value) }
        }

        private func pairs() throws(CommandFailure) -> [(
            name: String, key: YAMLReading, value: YAMLReading
        )] {
            if isEmpty { return [] }
            guard case .mapping(let mapping) = node else {
                throw failure("This must be keys with values, such as `key: value`.")
            }
            var result: [(name: String, key: YAMLReading, value: YAMLReading)] = []
            for (key, value) in mapping {
                guard case .scalar(let scalar) = key else {
                    throw failure("A key must be a plain name.")
                }
                let name = scalar.string
                result.append(
                    (
                        name,
                        YAMLReading(node: key, file: file, path: path, substitution: substitution),
                        YAMLReading(
                            node: value, file: file, path: path.isEmpty ? name : "\(path).\(name)",
                            substitution: substitution)
                    ))
            }
            return result
        }

        /// Whether there is nothing after the colon, or `null`.
        var isEmpty: Bool {
            guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any
            else { return false }
            return ["", "~", "null"].contains(scalar.string)
        }

        var isScalar: Bool {
            if case .scalar(_) = node { true } else { false }
        }

        func text() throws(CommandFailure) -> String { try substitutedText().text }

        func substitutedText() throws(CommandFailure) -> SubstitutedText {
            guard case .scalar(let scalar) = node, !isEmpty else {
                throw failure("A text is missing.")
            }
            do {
                return try substitution.fill(scalar.string)
            } catch {
                throw failure(error.what, next: error.next)
            }
        }

        /// A list of texts.
        func texts() throws(CommandFailure) -> [String] {
            guard case .sequence = node else {
                throw failure("This must be a list, such as `[a, b]`.")
            }
            var result: [String] = []
            for element in try elements() { result.append(try element.text()) }
            return result
        }

        /// The elements of a list. A node that is not a list is its own only element.
        func elements() throws(CommandFailure) -> [YAMLReading] {
            guard case .sequence(let sequence) = node else { return [self] }
            return sequence.enumerated().map { index, element in
                YAMLReading(
                    node: element, file: file, path: "\(path)[\(index)]",
                    substitution: substitution)
            }
        }

        func bool() throws(CommandFailure) -> Bool {
            switch try text() {
            case "true": return true
            case "false": return false
            default: throw failure("This must be `true` or `false`.")
            }
        }

        func integer(in range: ClosedRange<Int>) throws(CommandFailure) -> Int {
            guard let number = Int(try text().replacing("_", with: "")), range.contains(number)
            else {
                throw failure(
                    "This must be a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
            return number
        }

        /// `30s`, `5m`, `200ms`.
        func duration() throws(CommandFailure) -> Duration {
            let text = try text()
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), (1...1_000_000).contains(number) else {
                throw notDuration
            }
            switch text.dropFirst(digits.count) {
            case "ms": return .milliseconds(number)
            case "s": return .seconds(number)
            case "m": return .seconds(number * 60)
            case "h": return .seconds(number * 3_600)
            default: throw notDuration
            }
        }

        private var notDuration: CommandFailure {
            failure("This must be a time such as `30s`, `200ms`, `5m` or `1h`.")
        }

        private static func failure(_ error: YamlError, file: String) -> CommandFailure {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                CommandFailure.configurationNotYAML("\(file):\(mark.line)", problem: problem)
            case .duplicatedKeysInMapping(let duplicates, let context):
                CommandFailure.sameKeyTwice(
                    "\(duplicates.first ?? "")", at: "\(file):\(context.mark.line)")
            default: CommandFailure.configurationNotYAML(file)
            }
        }
    }
#endif
