#if Server
    import MoorageCore
    import MoorageHub

    /// What `moorage.yaml` says of tables, their rules, and the classes of replicas.
    extension MoorageConfiguration {
        static func readTables(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [TableSettings] {
            var tables: [TableSettings] = []
            for (name, table) in try reading.named() {
                tables.append(try readTable(name, table))
            }
            guard !tables.isEmpty else {
                throw reading.failure(
                    "There is no table here.",
                    next: "Name the tables to sync, or leave `tables` out to sync all of them.")
            }
            return tables
        }

        private static func readTable(
            _ name: String, _ table: YAMLReading
        ) throws(CommandFailure) -> TableSettings {
            let members = try table.members([
                "key", "scope", "where", "unenforcedKeys", "rule", "columns", "direction",
                "granularity", "inserts", "keyBlock", "deletes", "updatesOfDeleted", "softDelete",
                "time", "rights", "minimumClientVersion", "name", "renamedFrom",
            ])
            var columns: [String: MergeRule] = [:]
            var filters = ColumnSettings()
            for (column, settings) in try members["columns"]?.named() ?? [] {
                let members = try settings.members([
                    "rule", "direction", "sync", "file", "name", "renamedFrom",
                ])
                if let direction = members["direction"],
                    try choice(direction, [TableDirection.both, .down]) == .down
                {
                    filters.downOnly.insert(column)
                }
                if try members["sync"]?.bool() == false { filters.hidden.insert(column) }
                if try members["file"]?.bool() == true { filters.files.insert(column) }
                filters.names[column] = try readNames(members)
                if let rule = members["rule"] { columns[column] = try readRule(rule) }
            }
            var rules = TableRules(
                rule: try members["rule"].map(readRule) ?? .newest, columns: columns)
            if let granularity = members["granularity"] {
                rules.granularity = try choice(granularity, TableRules.Granularity.allCases)
            }
            if let inserts = members["inserts"] {
                rules.inserts = try readRule(inserts, among: MergeRule.deciding + [.keepBoth])
            }
            rules.keyBlock = try members["keyBlock"]?.integer(in: TableRules.keyBlockSizes)
            if let deletes = members["deletes"] {
                rules.deletes = try readRule(deletes, among: MergeRule.deciding)
            }
            if let updates = members["updatesOfDeleted"] {
                rules.updateOfDeleted = try choice(updates, TableRules.UpdateOfDeleted.allCases)
            }
            rules.softDelete = try members["softDelete"]?.text()
            rules.time = try members["time"]?.text()
            var settings = TableSettings(name: name, rules: rules)
            settings.columns = filters
            settings.names = try readNames(members) ?? AppNames()
            settings.rights = try members["rights"].map(readRights)
            settings.minimumClientVersion = try members["minimumClientVersion"].map(readVersion)
            settings.key = try members["key"].map(readColumns)
            if let scope = members["scope"] { settings.scopes = try readScopes(scope) }
            if let filter = members["where"] {
                settings.filter = try readFilter(filter, isBesideRules: !settings.scopes.isEmpty)
            }
            for key in try members["unenforcedKeys"]?.elements() ?? [] {
                settings.unenforcedKeys.append(try readColumns(key))
            }
            if let direction = members["direction"] {
                settings.direction = try choice(direction, TableDirection.allCases)
            }
            return settings
        }

        /// One column, or a list of them.
        private static func readColumns(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [String] {
            try reading.isScalar ? [reading.text()] : reading.texts()
        }

        /// `name: title`, and `renamedFrom: label` or `renamedFrom: [label, heading]`. Whether a name
        /// means one column alone depends on the others, so the hub checks that.
        ///
        /// - Parameter members: Those of a table or a column.
        private static func readNames(
            _ members: [String: YAMLReading]
        ) throws(CommandFailure) -> AppNames? {
            func usable(_ reading: YAMLReading) throws(CommandFailure) -> String {
                let name = try reading.text()
                guard AppNames.isUsable(name) else {
                    let most = AppNames.maximumLength
                    throw reading.failure(
                        "A name has 1 to \(most) characters, without control characters.")
                }
                return name
            }
            var names = AppNames()
            if let name = members["name"] { names.name = try usable(name) }
            if let former = members["renamedFrom"] {
                for name in try former.elements() {
                    names.renamedFrom.append(try usable(name))
                }
                guard names.renamedFrom.count <= AppNames.maximumCount else {
                    throw former.failure(
                        "There are more than \(AppNames.maximumCount) names here.",
                        next: "Leave out those that no app uses any more.")
                }
            }
            return names == AppNames() ? nil : names
        }

        private static func readRule(_ reading: YAMLReading) throws(CommandFailure) -> MergeRule {
            try reading.isScalar
                ? readRule(reading, among: MergeRule.named) : readWrittenRule(reading)
        }

        private static func readRule(
            _ reading: YAMLReading, among rules: [MergeRule]
        ) throws(CommandFailure) -> MergeRule {
            let filled = try reading.substitutedText()
            let text = filled.text
            if let rule = rules.first(where: { $0.name == text }) { return rule }
            let known = rules.map(\.name)
            if text == "merge", known.contains("add") { return .newest }
            throw reading.failure(
                "There is no rule `\(filled.written(hiding: []))` here.",
                next: NearestName.question(for: text, among: known)
                    ?? "Rules are: \(known.joined(separator: ", ")).")
        }

        /// `{sql: greatest(mine, theirs)}`, or `{merge: server}`.
        private static func readWrittenRule(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> MergeRule {
            let members = try reading.members(["sql", "merge", "handler"])
            if let handler = members["handler"] {
                throw handler.failure(
                    "A handler is Swift code, which this program cannot load.",
                    next: "Start a server of your own with it: Examples/CustomServer shows how.")
            }
            if let rule = members["merge"], members.count == 1 {
                return try readRule(rule, among: MergeRule.named)
            }
            guard let sql = members["sql"], members.count == 1 else {
                throw reading.failure(
                    "This is no rule.", next: "Write a rule's name, or `{sql: <expression>}`.")
            }
            let expression = RuleExpression(try sql.text())
            if let problem = expression.problem { throw sql.failure(problem) }
            return .expression(expression)
        }

        private static func choice<Choice: RawRepresentable<String>>(
            _ reading: YAMLReading, _ choices: [Choice]
        ) throws(CommandFailure) -> Choice {
            let text = try reading.text()
            guard let choice = choices.first(where: { $0.rawValue == text }) else {
                let names = choices.map(\.rawValue)
                let known = names.map { "`\($0)`" }
                throw reading.failure(
                    "This must be \(known.joined(separator: " or ")).",
                    next: NearestName.question(for: text, among: names))
            }
            return choice
        }

        static func readClasses(_ reading: YAMLReading) throws(CommandFailure) -> [ReplicaClass] {
            var classes: [ReplicaClass] = []
            for (name, settings) in try reading.named() {
                let members = try settings.members(["priority", "replicas"])
                guard let priority = members["priority"], let replicas = members["replicas"] else {
                    throw settings.failure(
                        "A class has a `priority` and `replicas`.",
                        next: "Write `\(name): {priority: 10, replicas: [<id>, <id>]}`.")
                }
                classes.append(
                    ReplicaClass(
                        name: name, priority: try priority.integer(in: -1_000...1_000),
                        replicas: Set(try replicas.texts())))
            }
            return classes
        }
    }
#endif
