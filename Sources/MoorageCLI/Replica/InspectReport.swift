#if Server
    import Foundation
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire

    /// What `inspect` says of a file, in sections. A follower prints the lines that are new.
    struct InspectReport: Hashable, Sendable {
        struct Section: Hashable, Sendable {
            let title: String
            /// The names of the columns; `nil` if they need none.
            var head: [String]?
            var lines: [[String]] = []
        }

        private(set) var sections: [Section] = []

        /// - Parameters:
        ///   - address: The hub's, as the file remembers it.
        ///   - limit: Lines of each list of rows, at most.
        init(
            _ inspection: ReplicaInspection, _ diagnostics: ReplicaDiagnostics, file: String,
            address: String?, limit: Int
        ) throws {
            add("", Self.replica(diagnostics, file: file, address: address))
            add("tables", head: Self.tableHead, Self.tables(diagnostics.tables))
            add("scopes", Self.scopes(try inspection.scopes()))
            addLists(
                try inspection.waiting(in: nil, limit: limit),
                refused: try inspection.refused(in: nil, limit: limit),
                overruled: try inspection.overruled(in: nil, limit: limit))
            add("exchanges", diagnostics.exchanges.map(Self.exchange))
        }

        /// The lists of one table.
        init(_ inspection: ReplicaInspection, of table: String, limit: Int) throws {
            addLists(
                try inspection.waiting(in: table, limit: limit),
                refused: try inspection.refused(in: table, limit: limit),
                overruled: try inspection.overruled(in: table, limit: limit))
        }

        /// What the file says of one row.
        init(_ row: ReplicaInspection.Row, of table: String) {
            var lines = [
                ["row", "\(table) \(row.key.values.jsonText())"],
                ["state", row.isHere == true || row.state != .synced ? row.state.rawValue : "-"],
                ["in the table", row.isHere.map { $0 ? "yes" : "no" } ?? "nobody can tell"],
            ]
            if row.isInOtherForm {
                lines.append(["key", "stored in another form than the file's keys"])
            }
            if row.state == .pending || !row.reasons.isEmpty {
                lines += ReasonWords.all(row.reasons).map { ["waits", $0] }
            }
            lines += row.refused.map {
                ["refused", "\(ReplicaReport.time($0.at))  \($0.code.rawValue): \($0.message)"]
            }
            lines += row.overruled.map {
                ["conflict", "\(ReplicaReport.time($0.at))  \($0.rule ?? "no rule")"]
            }
            lines += row.withheld.map { ["withheld", "\($0.column): \($0.reason)"] }
            if row.isDeferred {
                lines.append([
                    "deferred", "another row has a unique value that the hub's row needs",
                ])
            }
            if row.state == .synced, let isHere = row.isHere {
                let words =
                    isHere
                    ? "as the hub sent it, as far as this file knows"
                    : "the file knows nothing of it any more"
                lines.append(["", words])
            }
            add("", lines)
        }

        private mutating func add(
            _ title: String, head: [String]? = nil, _ lines: [[String]]
        ) {
            sections.append(Section(title: title, head: head, lines: lines))
        }

        private mutating func addLists(
            _ waiting: [ReplicaInspection.Waiting], refused: [RefusedChange],
            overruled: [OverruledChange]
        ) {
            add(
                "pending",
                waiting.map { one in
                    [
                        one.change.table, one.change.key.values.jsonText(),
                        one.change.kind.rawValue, ReplicaReport.time(one.change.editedAt),
                        ReasonWords.text(one.reasons),
                    ]
                })
            add(
                "refused",
                refused.map { change in
                    [
                        change.table, change.key.values.jsonText(), change.kind.rawValue,
                        ReplicaReport.time(change.at), "\(change.code.rawValue): \(change.message)",
                    ]
                })
            add(
                "conflicts",
                overruled.map { change in
                    [
                        change.table, change.key.values.jsonText(), change.kind.rawValue,
                        ReplicaReport.time(change.at), change.rule ?? "-",
                    ]
                })
        }

        // MARK: Texts

        /// The whole report.
        var text: String { Self.text(sections) }

        /// The lines that another report did not have; empty without any.
        func news(since other: InspectReport) -> String {
            let known = Dictionary(
                other.sections.map { ($0.title, Set($0.lines)) }, uniquingKeysWith: { $1 })
            return Self.text(
                sections.compactMap { section in
                    let lines = section.lines.filter { known[section.title]?.contains($0) != true }
                    if lines.isEmpty { return nil }
                    return Section(title: section.title, head: section.head, lines: lines)
                })
        }

        private static func text(_ sections: [Section]) -> String {
            sections.map { section in
                var table = TextTable()
                for line in [section.head].compactMap({ $0 }) + section.lines {
                    // No blanks behind the last cell that has something.
                    table.add(cells: line.reversed().drop(while: \.isEmpty).reversed())
                }
                if section.title.isEmpty { return table.text }
                if section.lines.isEmpty { return "\(section.title): none" }
                let lines = table.text.split(separator: "\n", omittingEmptySubsequences: false)
                return ([section.title] + lines.map { "  \($0)" }).joined(separator: "\n")
            }.joined(separator: "\n\n")
        }
    }
#endif
