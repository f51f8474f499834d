#if Server
    import Foundation
    import MoorageCore
    import MoorageServer
    import MoorageWire

    extension MoorageConfiguration {
        /// Reads a file.
        static func load(
            _ path: String, environment: [String: String]
        ) throws(CommandFailure) -> MoorageConfiguration {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure(
                    "The configuration cannot be read.", at: path,
                    next: "See that the file is there, or name another with --config.",
                    exit: .configuration)
            }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw CommandFailure(
                    "The configuration is not UTF-8 text.", at: path, exit: .configuration)
            }
            return try parse(text, file: path, environment: environment)
        }

        /// Reads the text of a file; every mistake is named with its line.
        static func parse(
            _ text: String, file: String, environment: [String: String]
        ) throws(CommandFailure) -> MoorageConfiguration {
            var result = MoorageConfiguration()
            guard
                let root = try YAMLReading.parse(text, file: file, environment: environment)
            else { return result }
            let members = try root.members([
                "database", "listen", "secret", "allowPlainHTTP", "tables", "limits",
            ])
            if let database = members["database"] {
                let text = try database.filledText()
                do {
                    result.database = try DatabaseSetting(text)
                } catch {
                    throw CommandFailure(
                        error.what, at: error.place ?? database.place, next: error.next,
                        exit: .configuration)
                }
            }
            if let listen = members["listen"] {
                let text = try listen.text()
                do {
                    result.listen = try ListenAddress(text)
                } catch {
                    throw listen.failure(error.message)
                }
            }
            if let secret = members["secret"] {
                let text = try secret.text()
                do {
                    _ = try SharedSecret(text)
                } catch {
                    throw secret.failure(error.message)
                }
                result.secret = SecretText(text: text)
            }
            if let flag = members["allowPlainHTTP"] { result.allowPlainHTTP = try flag.bool() }
            if let tables = members["tables"] { result.tables = try readTables(tables) }
            if let limits = members["limits"] { try result.readLimits(limits) }
            return result
        }

        private mutating func readLimits(_ reading: YAMLReading) throws(CommandFailure) {
            let members = try reading.members([
                "batchRows", "batchBytes", "valueBytes", "pageRows", "pageBytes", "pages",
                "bodyBytes", "bufferedBytes", "headerBytes", "connections", "exchanges",
                "centralConnections", "idleTimeout", "retentionDays",
            ])
            func number(
                _ name: String, _ range: ClosedRange<Int>, _ old: Int
            ) throws(CommandFailure) -> Int {
                try members[name]?.integer(in: range) ?? old
            }
            let bytes = 1...2_000_000_000
            let count = 1...1_000_000
            hubLimits.maximumBatchRows = try number("batchRows", count, hubLimits.maximumBatchRows)
            hubLimits.maximumBatchBytes = try number(
                "batchBytes", bytes, hubLimits.maximumBatchBytes)
            hubLimits.maximumValueBytes = try number(
                "valueBytes", bytes, hubLimits.maximumValueBytes)
            pages.maximumRows = try number("pageRows", count, pages.maximumRows)
            pages.maximumBytes = try number("pageBytes", bytes, pages.maximumBytes)
            pages.maximumPages = try number("pages", count, pages.maximumPages)
            serverLimits.maximumBodyBytes = try number(
                "bodyBytes", bytes, serverLimits.maximumBodyBytes)
            serverLimits.maximumBufferedBytes = try number(
                "bufferedBytes", 1...100_000_000_000, serverLimits.maximumBufferedBytes)
            serverLimits.maximumHeaderBytes = try number(
                "headerBytes", 1_024...1_000_000, serverLimits.maximumHeaderBytes)
            serverLimits.maximumConnections = try number(
                "connections", count, serverLimits.maximumConnections)
            serverLimits.maximumExchanges = try number(
                "exchanges", count, serverLimits.maximumExchanges)
            centralConnections = try number("centralConnections", 1...1_000, centralConnections)
            retentionDays = try number("retentionDays", 1...3_650, retentionDays)
            if let idle = members["idleTimeout"] { serverLimits.idleTimeout = try idle.duration() }
            guard serverLimits.maximumBodyBytes <= serverLimits.maximumBufferedBytes else {
                throw reading.failure(
                    "bodyBytes is more than bufferedBytes: no such request would be taken.",
                    next: "Raise bufferedBytes, or lower bodyBytes.")
            }
            guard hubLimits.maximumBatchBytes <= serverLimits.maximumBodyBytes / 2 else {
                throw reading.failure(
                    "batchBytes must be at most half of bodyBytes: values grow in JSON.",
                    next: "Raise bodyBytes, or lower batchBytes.")
            }
        }

        private static func readTables(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [TableSettings] {
            var tables: [TableSettings] = []
            for (name, table) in try reading.named() {
                let members = try table.members([
                    "scope", "rule", "columns", "direction", "granularity",
                ])
                try expect("none", members["scope"])
                try expect("column", members["granularity"])
                var columns: [String: MergeRule] = [:]
                for (column, settings) in try members["columns"]?.named() ?? [] {
                    let members = try settings.members(["rule", "direction", "sync"])
                    try expect("both", members["direction"])
                    try expect("true", members["sync"])
                    if let rule = members["rule"] { columns[column] = try readRule(rule) }
                }
                let rule = try members["rule"].map(readRule) ?? .newest
                tables.append(
                    TableSettings(
                        name: name, rules: TableRules(rule: rule, columns: columns),
                        direction: try members["direction"].map(readDirection) ?? .both))
            }
            guard !tables.isEmpty else {
                throw reading.failure(
                    "There is no table here.",
                    next: "Name the tables to sync, or leave `tables` out to sync all of them.")
            }
            return tables
        }

        private static func readRule(_ reading: YAMLReading) throws(CommandFailure) -> MergeRule {
            let filled = try reading.filledText()
            let text = filled.text
            if let rule = MergeRule(rawValue: text) { return rule }
            if text == "merge" { return .newest }
            if ["add", "max", "min", "union", "text", "keepBoth"].contains(text) {
                throw later(reading, "The rule `\(text)`")
            }
            let known = MergeRule.allCases.map(\.rawValue)
            throw reading.failure(
                "There is no rule `\(filled.written(hiding: []))`.",
                next: NearestName.of(text, among: known).map { "Did you mean `\($0)`?" }
                    ?? "Rules are: \(known.joined(separator: ", ")).")
        }

        private static func readDirection(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> TableDirection {
            let filled = try reading.filledText()
            if let direction = TableDirection(rawValue: filled.text) { return direction }
            let known = TableDirection.allCases.map(\.rawValue)
            throw reading.failure(
                "There is no direction `\(filled.written(hiding: []))`.",
                next: NearestName.of(filled.text, among: known).map { "Did you mean `\($0)`?" }
                    ?? "Directions are: \(known.joined(separator: ", ")).")
        }

        /// A setting that has one value until a later version.
        private static func expect(
            _ value: String, _ reading: YAMLReading?
        ) throws(CommandFailure) {
            guard let reading else { return }
            guard reading.isScalar, try reading.text() == value else {
                throw later(reading, "Anything else than `\(value)`")
            }
        }

        private static func later(_ reading: YAMLReading, _ what: String) -> CommandFailure {
            reading.failure(
                "\(what) comes with a later version.",
                next: "Leave the line out until then.")
        }
    }

    extension String {
        fileprivate init?(validating data: Data, as encoding: UTF8.Type) {
            self.init(bytes: data, encoding: .utf8)
        }
    }
#endif
