#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub

    /// What the doctor found, as text and as JSON.
    struct DoctorReport {
        /// What names the database and the configuration to the commands that fix findings.
        let arguments: [String]

        /// Each finding's sentence, what fixes it below; how many there are at the end.
        func text(_ findings: [Finding]) -> String {
            var lines: [String] = []
            for finding in findings {
                lines.append(
                    "\(finding.severity.rawValue): \(TextTable.shown(finding.message)) [\(finding.code)]"
                )
                switch finding.repair {
                case .sql(let statements):
                    lines += statements.map { "    \(TextTable.shown($0));" }
                case .command(let command): lines.append("    $ \(line(command))")
                case .advice: break
                }
            }
            if !findings.isEmpty { lines.append("") }
            func number(_ severity: Finding.Severity) -> Int {
                findings.filter { $0.severity == severity }.count
            }
            lines.append(
                Finding.Severity.allCases.map { Self.count(number($0), $0.rawValue) }
                    .joined(separator: ", "))
            return lines.joined(separator: "\n")
        }

        static func count(_ number: Int, _ word: String) -> String {
            "\(number) \(word)\(number == 1 ? "" : "s")"
        }

        private func line(_ command: String) -> String { ShellWord.line(command, arguments) }

        func json(_ finding: Finding) -> String {
            var writer = JSONWriter()
            writer.object {
                $0.member("code", finding.code.name)
                $0.member("severity", finding.severity.rawValue)
                $0.member("table", finding.table)
                $0.member("message", finding.message)
                $0.name("sql")
                $0.array { list in finding.repair.statements.forEach { list.string($0) } }
                var command: String?
                if case .command(let text) = finding.repair { command = line(text) }
                $0.member("command", command)
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
#endif
