#if Server
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire

    extension MoorageConfiguration {
        /// Every setting as `moorage.yaml` would have it, without passwords and secrets: what came
        /// into the database's address from a variable stands there by the variable's name.
        var yaml: String {
            var lines: [String] = []
            lines.append(
                database.map { "database: \(Self.quoted($0.written))" }
                    ?? "# database: none")
            lines.append("listen: \(Self.quoted(Self.literal(listen.description)))")
            lines.append(secret == nil ? "# secret: none" : "secret: <secret>")
            lines.append("allowPlainHTTP: \(allowPlainHTTP)")
            if let tables {
                lines.append("tables:")
                for table in tables { lines += Self.lines(table) }
            } else {
                lines.append("# tables: every table that can be synced")
            }
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
            let idle = serverLimits.idleTimeout.components
            let milliseconds = idle.seconds * 1_000 + idle.attoseconds / 1_000_000_000_000_000
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
                "  centralConnections: \(centralConnections)",
                "  retentionDays: \(retentionDays)",
                milliseconds % 1_000 == 0
                    ? "  idleTimeout: \(milliseconds / 1_000)s"
                    : "  idleTimeout: \(milliseconds)ms",
            ]
            if let conflictDays { lines.append("  conflictDays: \(conflictDays)") }
            return lines.joined(separator: "\n") + "\n"
        }

        private static func lines(_ table: TableSettings) -> [String] {
            let rules = table.rules
            var lines = [
                "  \(quoted(table.name)):", "    rule: \(text(rules.rule))",
                "    granularity: \(rules.granularity.rawValue)",
                "    updatesOfDeleted: \(rules.updateOfDeleted.rawValue)",
            ]
            if let rule = rules.inserts { lines.append("    inserts: \(rule.name)") }
            if let count = rules.keyBlock { lines.append("    keyBlock: \(count)") }
            if let rule = rules.deletes { lines.append("    deletes: \(rule.name)") }
            if let column = rules.softDelete { lines.append("    softDelete: \(name(column))") }
            if let column = rules.time { lines.append("    time: \(name(column))") }
            if table.direction != .both {
                lines.append("    direction: \(table.direction.rawValue)")
            }
            guard !rules.columns.isEmpty else { return lines }
            lines.append("    columns:")
            for (column, rule) in rules.columns.sorted(by: { $0.key < $1.key }) {
                lines.append("      \(quoted(column)): {rule: \(text(rule))}")
            }
            return lines
        }

        private static func text(_ rule: MergeRule) -> String {
            guard case .expression(let expression) = rule else { return rule.name }
            return "{sql: \(doubleQuoted(literal(expression.text)))}"
        }

        /// A column's name as a value, in which a variable would be filled.
        private static func name(_ column: String) -> String { quoted(literal(column)) }

        /// A value that names no variable of the environment.
        private static func literal(_ text: String) -> String {
            text.replacing("${", with: "$${")
        }

        /// In double quotes where YAML might read it otherwise.
        private static func quoted(_ text: String) -> String {
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
                    // To YAML no text, or the end of a line.
                    let digits = String(scalar.value, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return "\"\(escaped)\""
        }
    }
#endif
