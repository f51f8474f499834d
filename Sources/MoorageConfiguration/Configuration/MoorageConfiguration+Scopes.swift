#if Server
    import MoorageHub
    import MoorageWire

    /// Reads the scopes of `moorage.yaml`: which rows are in them, and which users are authorized
    /// for them.
    extension MoorageConfiguration {
        /// Reads `none`, one rule such as `{employee: employee_id}`, or a list of rules.
        static func readScopes(_ reading: YAMLReading) throws(CommandFailure) -> [ScopeRule] {
            if reading.isScalar {
                guard try reading.text() == "none" else {
                    throw reading.failure(
                        "This is no scope.",
                        next: "Write `none`, or a rule such as `{employee: employee_id}`.")
                }
                return []
            }
            var rules: [ScopeRule] = []
            for element in try reading.elements() { rules.append(try readScope(element)) }
            guard !rules.isEmpty else {
                throw reading.failure(
                    "There is no rule here: the table would be everyone's.",
                    next: "Write `none` where that is meant.")
            }
            return rules
        }

        private static func readScope(_ reading: YAMLReading) throws(CommandFailure) -> ScopeRule {
            var conditions: [ScopeRule.Condition] = []
            var filters: [RowFilter] = []
            var members: [String: YAMLReading] = [:]
            for (name, value) in try reading.named() {
                if name != "where" {
                    members[name] = value
                } else if value.isScalar, !value.isEmpty {
                    filters.append(try readFilter(value, isBesideRules: true))
                } else {
                    conditions += try readConditions(value)
                }
            }
            let source: ScopeRule.Source
            if let foreign = members.removeValue(forKey: "through") {
                source = .through(try foreign.isScalar ? [foreign.text()] : foreign.texts())
            } else if let everyone = members.removeValue(forKey: "everyone") {
                guard try everyone.bool() else {
                    throw everyone.failure("Write `everyone: true`, or leave it out.")
                }
                source = .everyone
            } else {
                let table = try members.removeValue(forKey: "members")?.text()
                guard members.count == 1, let (kind, column) = members.first else {
                    throw reading.failure(
                        "A scope is named by one column.",
                        next: """
                            Write `{employee: employee_id}`, `{through: order_id}`, \
                            `{members: shares, user: user_id}` or `{everyone: true, where: {…}}`.
                            """)
                }
                try check(kind: kind, column)
                members = [:]
                source =
                    if let table {
                        .members(of: table, kind: kind, try column.text())
                    } else {
                        .column(kind: kind, try column.text())
                    }
            }
            guard members.isEmpty else {
                throw reading.failure("A scope has one source, and conditions under `where`.")
            }
            return ScopeRule(source, where: conditions, filters: filters)
        }

        /// `{column: value}`
        private static func readConditions(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> [ScopeRule.Condition] {
            let named = try reading.named()
            guard !named.isEmpty else {
                throw reading.failure(
                    "There is no condition here: every row would be meant.",
                    next: "Write `where: {column: value}`, or leave it out.")
            }
            var conditions: [ScopeRule.Condition] = []
            for (column, value) in named {
                conditions.append(ScopeRule.Condition(column, is: try value.text()))
            }
            return conditions
        }

        /// `discontinued = 0 AND region = :region`
        ///
        /// - Parameter isBesideRules: Whether a rule says in which scopes the rows are.
        static func readFilter(
            _ reading: YAMLReading, isBesideRules: Bool
        ) throws(CommandFailure) -> RowFilter {
            guard reading.isScalar else {
                throw reading.failure(
                    "A filter is a text.", next: "Write `where: \"discontinued = 0\"`.")
            }
            let text = try reading.text()
            let filter: RowFilter
            do {
                filter = try RowFilter(text)
            } catch {
                throw reading.failure(error.message)
            }
            guard !isBesideRules || filter.parameter == nil else {
                throw reading.failure(
                    "A rule already says in which scopes the rows are, and so does the parameter.",
                    next: "Leave out `scope`, or the parameter.")
            }
            return filter
        }

        /// Adds where the values of parameters come from, except for kinds that `scopes` names.
        mutating func addHoldingsOfFilters() {
            for case let parameter? in (tables ?? []).map(\.filter?.parameter)
            where holdings[parameter.kind] == nil {
                holdings[parameter.kind] = parameter.holding
            }
        }

        /// `employee: claims.employee_id`, `project: {sql: SELECT …}` or
        /// `project: {from: claims.projects, onRequest: true}`.
        mutating func readHoldings(_ reading: YAMLReading) throws(CommandFailure) {
            holdings = [:]
            onRequest = []
            for (kind, value) in try reading.named() {
                try Self.check(kind: kind, value)
                holdings[kind] = try Self.readHolding(value)
                if !value.isScalar, let flag = try value.members(Self.holdingMembers)["onRequest"],
                    try flag.bool()
                {
                    onRequest.insert(kind)
                }
            }
        }

        private static let holdingMembers = ["sql", "from", "onRequest"]

        private static func readHolding(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> ScopeHolding {
            if reading.isScalar { return try readSource(reading) }
            let members = try reading.members(holdingMembers)
            if let source = members["from"], members["sql"] == nil {
                return try readSource(source)
            }
            guard let sql = members["sql"], members["from"] == nil else {
                throw reading.failure(
                    "Write `{sql: SELECT … :sub …}`, `{from: claims.<name>}` or `claims.<name>`.")
            }
            let query = ScopeQuery(try sql.text())
            if let problem = query.problem { throw sql.failure(problem) }
            return .query(query)
        }

        private static func readSource(
            _ reading: YAMLReading
        ) throws(CommandFailure) -> ScopeHolding {
            let text = try reading.text()
            return try .claim(text == "sub" ? text : readClaim(reading))
        }

        /// `claims.<name>`
        static func readClaim(_ reading: YAMLReading) throws(CommandFailure) -> String {
            let text = try reading.text()
            let prefix = "claims."
            guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else {
                throw reading.failure(
                    "This names no claim.", next: "Write `claims.<name>`.")
            }
            return String(text.dropFirst(prefix.count))
        }

        private static func check(kind: String, _ reading: YAMLReading) throws(CommandFailure) {
            let isPlain = kind.utf8.allSatisfy {
                (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x5F
                    || $0 == 0x2D
            }
            guard isPlain, (1...ScopeRule.maximumKindBytes).contains(kind.utf8.count) else {
                throw reading.failure(
                    "`\(kind)` is no kind of scope.",
                    next: "Choose a word of letters, digits, `_` and `-`.")
            }
        }

        /// Rejects a kind of scope that no user can be authorized for, and one that no row can be
        /// in: both are mistakes.
        func checkScopes(_ place: YAMLReading) throws(CommandFailure) {
            var kinds: Set<String> = []
            for rule in (tables ?? []).flatMap(\.allScopes) {
                switch rule.source {
                case .column(let kind, _), .members(_, let kind, _): kinds.insert(kind)
                case .everyone, .through: break
                }
            }
            for kind in kinds.sorted() where holdings[kind] == nil {
                throw place.failure(
                    "No entry under `scopes` gives users scopes of the kind `\(kind)`.",
                    next: NearestName.question(for: kind, among: Array(holdings.keys))
                        ?? "Say who does: `scopes: {\(kind): claims.\(kind)}`.")
            }
            for kind in holdings.keys.sorted() where !kinds.contains(kind) {
                throw place.failure(
                    "No table has scopes of the kind `\(kind)`.",
                    next: NearestName.question(for: kind, among: Array(kinds)))
            }
        }
    }
#endif
