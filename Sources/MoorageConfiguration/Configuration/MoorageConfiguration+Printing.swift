#if Server
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageSupport
    import MoorageWire

    extension MoorageConfiguration {
        /// Every setting in the form of `moorage.yaml`, without passwords and secrets. In the
        /// database's address, text that came from a variable appears as the variable's name.
        package var yaml: String {
            var lines: [String] = []
            lines.append(
                database.map { "database: \(Self.quoted($0.written))" }
                    ?? "# database: none")
            lines.append("listen: \(Self.quoted(Self.literal(listen.description)))")
            lines.append(secret == nil ? "# secret: none" : "secret: <secret>")
            lines += signInLines
            lines += tlsLines
            lines.append("allowPlainHTTP: \(allowPlainHTTP)")
            lines.append("rest: \(answersREST)")
            lines.append(
                crossOrigins.isEmpty
                    ? "# cors: none" : "cors: \(Self.list(crossOrigins.map(\.description)))")
            if let tables {
                lines.append("tables:")
                for table in tables { lines += Self.lines(table) }
            } else {
                lines.append("# tables: every table that can be synced")
            }
            lines += holdingLines
            lines.append(
                audit.map { $0.days.map { "audit: {days: \($0)}" } ?? "audit: true" }
                    ?? "audit: false")
            lines.append(liveLine)
            lines += webhookLines
            lines.append(
                minimumClientVersion.map {
                    "minimumClientVersion: \(Self.doubleQuoted(Self.literal($0)))"
                } ?? "# minimumClientVersion: any")
            lines.append("roles: \(Self.name("claims." + roleClaim))")
            if classes.isEmpty {
                lines.append("# classes: none")
            } else {
                lines.append("classes:")
                for item in classes {
                    let replicas = item.replicas.sorted().map {
                        Self.doubleQuoted(Self.literal($0))
                    }
                    lines += [
                        "  \(Self.quoted(item.name)):", "    priority: \(item.priority)",
                        "    replicas: [\(replicas.joined(separator: ", "))]",
                    ]
                }
            }
            lines += [
                "limits:",
                "  batchRows: \(hubLimits.maximumBatchRows)",
                "  batchBytes: \(hubLimits.maximumBatchBytes)",
                "  valueBytes: \(hubLimits.maximumValueBytes)",
                "  pageRows: \(pages.maximumRows)",
                "  pageBytes: \(pages.maximumBytes)",
                "  pages: \(pages.maximumPages)",
                "  bodyBytes: \(serverLimits.maximumBodyBytes)",
                "  bufferedBytes: \(serverLimits.maximumBufferedBytes)",
                "  headerBytes: \(serverLimits.maximumHeaderBytes)",
                "  connections: \(serverLimits.maximumConnections)",
                "  exchanges: \(serverLimits.maximumExchanges)",
                "  streams: \(serverLimits.maximumStreams)",
                "  requestsPerMinute: \(serverLimits.requestsPerMinute)",
                "  replicasPerUser: \(replicasPerUser)",
                "  centralConnections: \(centralConnections)",
                "  retentionDays: \(retentionDays)",
                "  idleTimeout: \(Self.text(serverLimits.idleTimeout))",
                "  restTimeout: \(Self.text(serverLimits.restTimeout))",
            ]
            if let conflictDays { lines.append("  conflictDays: \(conflictDays)") }
            return lines.joined(separator: "\n") + "\n"
        }

        private var liveLine: String {
            guard live.isGranted else { return "live: false" }
            return """
                live: {interval: \(Self.text(live.interval)), heartbeat: \(Self.text(live.heartbeat)), \
                life: \(Self.text(live.maximumLife))}
                """
        }

        private static func lines(_ table: TableSettings) -> [String] {
            let rules = table.rules
            var lines = [
                "  \(quoted(table.name)):", "    rule: \(text(rules.rule))",
                "    granularity: \(rules.granularity.rawValue)",
                "    updatesOfDeleted: \(rules.updateOfDeleted.rawValue)",
            ]
            if let key = table.key { lines.append("    key: \(list(key))") }
            if let rule = rules.inserts { lines.append("    inserts: \(rule.name)") }
            if let count = rules.keyBlock { lines.append("    keyBlock: \(count)") }
            if let rule = rules.deletes { lines.append("    deletes: \(rule.name)") }
            if let column = rules.softDelete { lines.append("    softDelete: \(name(column))") }
            if let column = rules.time { lines.append("    time: \(name(column))") }
            if table.direction != .both {
                lines.append("    direction: \(table.direction.rawValue)")
            }
            if !table.scopes.isEmpty {
                lines.append("    scope: [\(table.scopes.map(text).joined(separator: ", "))]")
            }
            if let filter = table.filter { lines.append("    where: \(text(filter))") }
            if !table.unenforcedKeys.isEmpty {
                lines.append(
                    "    unenforcedKeys: [\(table.unenforcedKeys.map(list).joined(separator: ", "))]"
                )
            }
            if let version = table.minimumClientVersion {
                lines.append(
                    "    minimumClientVersion: \(doubleQuoted(literal(version)))")
            }
            lines += Self.settings(table.names).map { "    " + $0 }
            if let rights = table.rights { lines += Self.lines(rights) }
            let columns = Set(rules.columns.keys).union(table.columns.hidden)
                .union(table.columns.downOnly).union(table.columns.files)
                .union(table.columns.names.keys)
            if !columns.isEmpty { lines.append("    columns:") }
            for column in columns.sorted() {
                var settings: [String] = []
                if let rule = rules.columns[column] { settings.append("rule: \(text(rule))") }
                if table.columns.hidden.contains(column) { settings.append("sync: false") }
                if table.columns.downOnly.contains(column) { settings.append("direction: down") }
                if table.columns.files.contains(column) { settings.append("file: true") }
                settings += Self.settings(table.columns.names[column] ?? AppNames())
                lines.append("      \(quoted(column)): {\(settings.joined(separator: ", "))}")
            }
            return lines
        }

        private static func settings(_ names: AppNames) -> [String] {
            var settings: [String] = []
            if let own = names.name { settings.append("name: \(name(own))") }
            if !names.renamedFrom.isEmpty {
                settings.append("renamedFrom: \(list(names.renamedFrom))")
            }
            return settings
        }

        /// The lines contain no secrets: those are only in the environment or in the file itself.
        private var signInLines: [String] {
            var lines: [String] = []
            if let tokens = signIn.tokens {
                lines += [
                    "signIn:", "  issuer: \(Self.name(tokens.issuer))",
                    "  audience: \(Self.name(tokens.audience))",
                    "  leeway: \(Self.text(tokens.leeway))",
                ]
                if let set = tokens.keySet {
                    let algorithm = set.source.algorithm.map { ", algorithm: \($0.rawValue)" } ?? ""
                    lines.append("  keySet: {url: \(Self.quoted(set.written))\(algorithm)}")
                }
                if !tokens.keys.isEmpty { lines.append("  keys:") }
                for key in tokens.keys {
                    let id = key.id.map { "kid: \(Self.name($0)), " } ?? ""
                    let source =
                        switch key.source {
                        case .secret: "secret: <secret>"
                        case .file(let path): "file: \(Self.name(path))"
                        }
                    lines.append("    - {\(id)algorithm: \(key.algorithm.rawValue), \(source)}")
                }
            } else {
                lines.append("# signIn: none")
            }
            if !signIn.apiKeys.isEmpty { lines.append("apiKeys:") }
            for key in signIn.apiKeys {
                let subject = key.subject.map { ", subject: \(Self.name($0))" } ?? ""
                let claims = key.claims.sorted { $0.key < $1.key }
                    .map { "\(Self.quoted($0.key)): \(Self.list($0.value))" }
                    .joined(separator: ", ")
                lines.append(
                    "  \(Self.quoted(key.name)): {key: <secret>\(subject), claims: {\(claims)}}")
            }
            return lines
        }

        private var holdingLines: [String] {
            if holdings.isEmpty { return ["# scopes: none"] }
            return ["scopes:"]
                + holdings.sorted { $0.key < $1.key }.map { kind, holding in
                    let isOnRequest = onRequest.contains(kind)
                    let more = isOnRequest ? ", onRequest: true" : ""
                    switch holding {
                    case .claim(let name):
                        let source = name == "sub" ? name : Self.name("claims." + name)
                        return "  \(kind): \(isOnRequest ? "{from: \(source)\(more)}" : source)"
                    case .query(let query):
                        let sql = Self.doubleQuoted(Self.literal(query.text))
                        return "  \(kind): {sql: \(sql)\(more)}"
                    }
                }
        }

        private static func lines(_ rights: [String: TableRights]) -> [String] {
            if rights.isEmpty { return ["    rights: {}"] }
            return ["    rights:"]
                + rights.sorted { $0.key < $1.key }.map { role, rights in
                    if !rights.read { return "      \(doubleQuoted(role)): none" }
                    let words = [
                        ("read", rights.read), ("insert", rights.insert), ("update", rights.update),
                        ("delete", rights.delete), ("move", rights.move),
                    ]
                    let allowed = words.filter(\.1).map(\.0).joined(separator: ", ")
                    let columns = rights.columns.map { ", columns: \(list($0.sorted()))" } ?? ""
                    return "      \(doubleQuoted(role)): {may: [\(allowed)]\(columns)}"
                }
        }

        static func text(_ duration: Duration) -> String {
            let milliseconds = duration.milliseconds
            return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
        }

        private static func text(_ rule: ScopeRule) -> String {
            var parts =
                switch rule.source {
                case .everyone: ["everyone: true"]
                case .column(let kind, let column): ["\(kind): \(name(column))"]
                case .through(let columns): ["through: \(list(columns))"]
                case .members(let table, let kind, let column):
                    ["members: \(name(table))", "\(kind): \(name(column))"]
                }
            if !rule.conditions.isEmpty {
                let conditions = rule.conditions.map {
                    "\(quoted($0.column)): \(doubleQuoted(literal($0.value)))"
                }
                parts.append("where: {\(conditions.joined(separator: ", "))}")
            }
            parts += rule.filters.map { "where: \(text($0))" }
            return "{\(parts.joined(separator: ", "))}"
        }

        private static func text(_ filter: RowFilter) -> String {
            doubleQuoted(literal(filter.text))
        }

        static func list(_ texts: [String]) -> String {
            "[\(texts.map { doubleQuoted(literal($0)) }.joined(separator: ", "))]"
        }

        private static func text(_ rule: MergeRule) -> String {
            guard case .expression(let expression) = rule else { return rule.name }
            return "{sql: \(doubleQuoted(literal(expression.text)))}"
        }

        /// A column's name as a value, escaped because values may contain variables.
        static func name(_ column: String) -> String { quoted(literal(column)) }

        /// The text, escaped so that it names no variable of the environment.
        private static func literal(_ text: String) -> String {
            text.replacing("${", with: "$${")
        }

        /// The text, in double quotes where YAML might read it as something else.
        static func quoted(_ text: String) -> String {
            let isPlain =
                text.utf8.first.map { (0x61...0x7A).contains($0 | 0x20) } == true
                && text.utf8.allSatisfy {
                    (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x5F
                }
                && !["true", "false", "null", "yes", "no", "on", "off"].contains(
                    text.lowercased())
            return isPlain ? text : doubleQuoted(text)
        }

        private static func doubleQuoted(_ text: String) -> String {
            var escaped = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"", "\\": escaped += "\\\(scalar)"
                case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}",
                    "\u{FFFE}",
                    "\u{FFFF}":
                    // YAML does not accept these as text, or reads them as the end of a line.
                    let digits = String(scalar.value, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return "\"\(escaped)\""
        }
    }
#endif
