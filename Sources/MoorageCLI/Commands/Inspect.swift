#if Server
    import ArgumentParser
    import Foundation
    import GRDB
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageSupport
    import MoorageWire

    struct Inspect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what a replica's file says of itself, also while an app writes it.",
            discussion: """
                It only reads: no hub is asked, and the file stays as it is. The text has keys of \
                rows and no values. --json without --table has no keys either.
                """)

        @Argument(help: "The replica's SQLite file.")
        var file: String

        @Option(help: ArgumentHelp("Only the changes of this table.", valueName: "name"))
        var table: String?

        @Option(
            help: ArgumentHelp(
                "Why this row of --table is pending: its key, such as 7 or '[7,\"a\"]'.",
                valueName: "key"))
        var row: String?

        @Option(help: "No more than this of each list of rows.")
        var limit = 20

        @Flag(help: "One JSON object a line.")
        var json = false

        @Flag(help: "Go on until stopped: print what changed, at most once a second.")
        var follow = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
            guard row == nil || table != nil else {
                throw ValidationError("--row needs the --table of the row.")
            }
        }

        func run() async throws {
            let inspected = try await InspectedFile(file)
            let address = try await inspected.address()
            let key = try await key(in: inspected)
            let console = Console(showsProgress: false)
            if inspected.mayBeTorn {
                Console.error(
                    """
                    The report is of a copy. If a program wrote the file meanwhile, it may be wrong.
                    """)
            }
            if let table, let key,
                try await !inspected.read({ try $0.row(key, of: table).isKnown })
            {
                throw CommandFailure.unknownRow(key.values.jsonText(), of: table, in: file)
            }
            // Before the report: a commit in between is then printed as a change.
            let version = try await inspected.version()
            let printed = try await report(inspected, address, key)
            printed.lines.forEach { console.print($0) }
            guard follow else { return }
            if inspected.isCopy {
                return Console.error("A copy of the file was read, and nobody writes the copy.")
            }
            try await follow(inspected, address, key, since: (printed, version), console)
        }

        /// Prints each change, until the command is stopped.
        private func follow(
            _ inspected: InspectedFile, _ address: String?, _ key: RowKey?,
            since start: (report: Report, version: Int), _ console: Console
        ) async throws {
            var (printed, version) = start
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                do {
                    let now = try await inspected.version()
                    guard now != version else { continue }
                    let next = try await report(inspected, address, key)
                    version = now
                    next.news(since: printed).forEach { console.print($0) }
                    printed = next
                } catch let error as DatabaseError where error.isOfWriter {
                    // The app is writing, or its write broke off. The next second tries again.
                }
            }
        }

        /// The key of `--row`, if the file has `--table` and the key fits it; `nil` without `--row`.
        private func key(in inspected: InspectedFile) async throws -> RowKey? {
            guard let table else { return nil }
            let (names, columns) = try await inspected.read {
                ($0.tableNames, $0.keyColumns(of: table))
            }
            guard names.contains(where: { $0.hasSameBytes(as: table) }) else {
                throw CommandFailure.tableNotInReplica(table, among: names, in: file)
            }
            guard let row else { return nil }
            let key = Self.key(row, isText: columns?.first?.isText == true)
            if let columns, key.values.count != columns.count {
                throw CommandFailure.otherKey(columns.map(\.name), of: table)
            }
            return key
        }

        // MARK: Reports

        /// What is printed, as text or as JSON.
        private enum Report: Sendable {
            case text(InspectReport)
            case lines([String])

            var lines: [String] {
                switch self {
                case .text(let report): [report.text]
                case .lines(let lines): lines
                }
            }

            /// What to print after another report; nothing if nothing is new.
            func news(since other: Report) -> [String] {
                guard case .text(let new) = self, case .text(let old) = other else { return lines }
                let news = new.news(since: old)
                return news.isEmpty ? [] : [news]
            }
        }

        private func report(
            _ inspected: InspectedFile, _ address: String?, _ key: RowKey?
        ) async throws -> Report {
            try await inspected.read { [table, limit, json, file] inspection in
                if let table, let key {
                    let found = try inspection.row(key, of: table)
                    return json
                        ? .lines([InspectLines.row(found, of: table)])
                        : .text(InspectReport(found, of: table))
                }
                if let table {
                    return json
                        ? .lines(
                            InspectLines.changes(
                                try inspection.waiting(in: table, limit: limit)))
                        : .text(try InspectReport(inspection, of: table, limit: limit))
                }
                let diagnostics = try inspection.diagnostics(at: DeviceTime(.now))
                if json { return .lines([try diagnostics.json()]) }
                return .text(
                    try InspectReport(
                        inspection, diagnostics, file: file, address: address, limit: limit))
            }
        }

        /// A key as the lists show it, or the value of a key with one column.
        ///
        /// - Parameter isText: Whether the column has texts: `007` is no number there.
        static func key(_ text: String, isText: Bool) -> RowKey {
            if text.hasPrefix("["), let values = try? [Value](jsonText: text) {
                return RowKey(values)
            }
            return RowKey([isText ? .text(text) : Int64(text).map(Value.integer) ?? .text(text)])
        }
    }

    extension DatabaseError {
        /// Somebody writes the file now, or a write broke off and the app has to undo it.
        fileprivate var isOfWriter: Bool {
            [.SQLITE_BUSY, .SQLITE_READONLY].contains(resultCode)
        }
    }
#endif
