#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageWire

    struct Conflicts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the conflict log of a central database, and decides again.",
            discussion: """
                What is decided is a change like any other program's: it reaches every replica with its \
                next sync. The log holds rows' values; show it to those who may see them.
                """,
            subcommands: [List.self, Show.self, KeepMine.self, KeepTheirs.self, Dismiss.self],
            defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lists conflicts and refusals, newest first.")

            @OptionGroup var options: DatabaseOptions

            @Option(help: "Only of this table.")
            var table: String?

            @Option(help: "Only of this replica, by its id.")
            var replica: String?

            @Option(
                help: """
                    Only of this kind: insertInsert, updateUpdate, updateDelete, deleteUpdate, refused.
                    """)
            var kind: String?

            @Option(help: "Only of the row with this key: a JSON array, as the list shows it.")
            var key: String?

            @OptionGroup var list: ListOptions

            @Flag(help: "Also those that were decided.")
            var all = false

            @Flag(help: "One JSON object a line, with all values.")
            var json = false

            func validate() throws {
                if let kind, Conflict.Kind(rawValue: kind) == nil {
                    throw ValidationError("There is no kind \(kind); see `--help`.")
                }
            }

            func run() async throws {
                let (address, settings) = try options.load()
                let hub = try CentralAccess.hub(address, settings)
                let records = try await hub.conflicts(filter, limit: list.limit)
                let console = Console(showsProgress: false)
                if json {
                    for record in records { console.print(ConflictReport.json(record)) }
                } else if records.isEmpty {
                    console.print("No conflicts.")
                } else {
                    console.print(ConflictReport.lines(records))
                    if records.count == list.limit { console.print("There may be more: --limit.") }
                }
            }

            private var filter: ConflictFilter {
                var filter = ConflictFilter()
                filter.table = table
                filter.replica = replica
                filter.kind = kind
                filter.key = key
                filter.since = list.since
                filter.includesDecided = all
                return filter
            }
        }

        /// One conflict, and the database that it is logged in.
        struct Selection: ParsableArguments {
            @Argument(help: "The conflict's id, or as much of it as no other one begins with.")
            var id: String

            @OptionGroup var options: DatabaseOptions

            @Flag(help: "As a JSON object.")
            var json = false

            func show(_ record: ConflictRecord) {
                Console(showsProgress: false).print(
                    json ? ConflictReport.json(record) : ConflictReport.text(record))
            }

            func hub() throws -> Hub {
                let (address, settings) = try options.load()
                return try CentralAccess.hub(address, settings)
            }

            func decide(_ decision: ConflictDecision) async throws {
                show(try await hub().decide(decision, conflict: id))
            }
        }

        struct Show: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows one conflict with the values of both sides.")

            @OptionGroup var selection: Selection

            func run() async throws {
                selection.show(try await selection.hub().conflict(id: selection.id))
            }
        }

        struct KeepMine: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Writes again what the replica asked for.")

            @OptionGroup var selection: Selection

            func run() async throws { try await selection.decide(.mine) }
        }

        struct KeepTheirs: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Writes again what stood in the central database before the push.")

            @OptionGroup var selection: Selection

            func run() async throws { try await selection.decide(.theirs) }
        }

        struct Dismiss: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Says that what stands is right; nothing is written.")

            @OptionGroup var selection: Selection

            func run() async throws { try await selection.decide(.dismissed) }
        }
    }
#endif
