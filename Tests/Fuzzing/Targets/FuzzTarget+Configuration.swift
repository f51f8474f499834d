#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageTesting

    extension FuzzTarget {
        private static let secret = "hunter2-hunter2-hunter2"

        /// The configuration file, with a secret in the environment.
        static let configuration = FuzzTarget(
            name: "configuration",
            words: [
                "database", "listen", "secret", "allowPlainHTTP", "tables", "limits", "batchRows",
                "batchBytes", "valueBytes", "pageRows", "pageBytes", "pages", "bodyBytes",
                "bufferedBytes", "headerBytes", "connections", "exchanges", "streams",
                "centralConnections",
                "idleTimeout", "restTimeout", "rule", "columns", "scope", "where", ":region", "AND",
                "NOT", "IN (", "IS NULL", "direction", "granularity", "inserts",
                "keyBlock", "newest",
                "server", "client", "${SECRET}", "$${", "30s", "5m", "sqlite:", "postgres://",
                "[::1]:8080", "&a", "*a", "<<", "!!", "|", ">-", "---", "true", "none", "both",
            ],
            seed: { random in Array(seed(using: &random).utf8) },
            problem: { bytes in
                guard let text = String(exactly: bytes) else { return nil }
                let first: MoorageConfiguration
                do {
                    first = try parse(text)
                } catch let error as CommandFailure {
                    return tells(error, of: text) ? "a failure tells the secret" : nil
                }
                return printingProblem(first, text)
            })

        /// Whether a failure repeats what came from the environment.
        private static func tells(_ failure: CommandFailure, of text: String) -> Bool {
            failure.description.contains(secret) && !text.contains(secret)
        }

        private static func parse(_ text: String) throws(CommandFailure) -> MoorageConfiguration {
            try MoorageConfiguration.parse(
                text, file: "moorage.yaml", environment: ["SECRET": secret])
        }

        /// What is printed is read again as the same, without its secrets.
        private static func printingProblem(
            _ first: MoorageConfiguration, _ text: String
        ) -> String? {
            let printed = first.yaml
            let isTold = printed.split(separator: "\n").contains {
                $0.contains(secret) && ($0.hasPrefix("database: ") || $0.hasPrefix("secret: "))
            }
            if isTold, !text.contains(secret) {
                return "the secret is printed"
            }
            do {
                let again = try parse(printed.replacing("secret: <secret>", with: "# secret: none"))
                return again.yaml == printed.replacing("secret: <secret>", with: "# secret: none")
                    ? nil : "printed twice, and not the same"
            } catch {
                return "what is printed cannot be read: \(error)"
            }
        }

        private static func seed(using random: inout SeededGenerator) -> String {
            let lines = [
                "database: sqlite:central.db", "database: postgres://user:${SECRET}@host:5432/db",
                "listen: 127.0.0.1:8080", "listen: \"[::1]:0\"", "secret: ${SECRET}",
                "allowPlainHTTP: true", "tables:\n  orders:\n    rule: server",
                "tables: {\"a b\": {rule: newest, columns: {x: {rule: client}}}, c: ~}",
                "limits:\n  idleTimeout: 200ms\n  batchRows: 1_000", "limits: {pages: 5}",
                "tables: {a: {where: \"b = 0 AND (c <> 'x' OR NOT d) AND region = :region\"}}",
                "tables:\n  \"é\\u0301\\x01\": &a\n    rule: client\n  other: *a",
            ]
            return lines.filter { _ in random.once(in: 3) }.joined(separator: "\n")
        }
    }
#endif
