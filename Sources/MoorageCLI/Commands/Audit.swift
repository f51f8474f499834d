#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub

    struct Audit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Shows who changed what, newest first, where `audit` of the configuration has it kept.",
            discussion: "It holds keys and the names of columns, no values.")

        @OptionGroup var options: DatabaseOptions

        @Option(help: "Only of this user.")
        var subject: String?

        @Option(help: "Only of this replica, by its id.")
        var replica: String?

        @Option(help: "Only of this table.")
        var table: String?

        @Option(help: "Only of the row with this key: a JSON array, as the list shows it.")
        var key: String?

        @OptionGroup var list: ListOptions

        @Flag(help: "One JSON object a line.")
        var json = false

        func run() async throws {
            let (address, settings) = try options.load()
            var filter = AuditFilter()
            filter.subject = subject
            filter.replica = replica
            filter.table = table
            filter.key = key
            filter.since = list.since
            let records = try await CentralAccess.hub(address, settings)
                .audit(filter, limit: list.limit)
            let console = Console(showsProgress: false)
            if json { return records.forEach { console.print(PersonReport.json($0)) } }
            if records.isEmpty { return console.print("Nothing is noted.") }
            var lines = TextTable()
            for record in records {
                lines.add(
                    ReplicaReport.time(record.at), record.subject ?? "-", record.table, record.key,
                    record.operation, record.columns ?? "-", record.outcome, record.replica)
            }
            console.print(lines.text)
            if records.count == list.limit { console.print("There may be more: --limit.") }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what Moorage's own tables hold about a user, one JSON object a line.",
            discussion: """
                Replicas, the scopes that they were given, what they lost or were refused (with \
                values), and the audit trail. What your tables hold is yours to find.
                """)

        @Option(help: "The user: `sub` of the tokens.")
        var subject: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let (address, settings) = try options.load()
            let data = try await CentralAccess.hub(address, settings).personalData(about: subject)
            let console = Console(showsProgress: false)
            for line in PersonReport.lines(data) { console.print(line) }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets a user in Moorage's own tables, and refuses his replicas.",
            discussion: """
                Gone are his replicas' lines of the conflict log and of the audit trail, their \
                scopes and batches, and that they were his. Your tables stay as they are; what his \
                devices hold is theirs: `moorage replicas wipe` comes before.
                """)

        @Option(help: "The user: `sub` of the tokens.")
        var subject: String

        @OptionGroup var options: DatabaseOptions

        func run() async throws {
            let (address, settings) = try options.load()
            let data = try await CentralAccess.hub(address, settings).forget(subject: subject)
            Console(showsProgress: false).print(
                """
                forgotten  \(data.replicas.count) replicas, \(data.conflicts.count) lines of the \
                conflict log, \(data.audit.count) of the audit trail
                """)
        }
    }
#endif
