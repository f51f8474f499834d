#if Server
    import ArgumentParser
    import Foundation
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageSupport
    import MoorageWire

    struct Replicas: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the replicas of a central database, and takes their leave to sync.",
            subcommands: [List.self, Revoke.self, Wipe.self, Restore.self],
            defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lists replicas, the last seen first.")

            @OptionGroup var options: DatabaseOptions

            @Option(help: "Only those of this user.")
            var subject: String?

            @Option(help: "No more than this.")
            var limit = 100

            @Flag(help: "One JSON object a line, with what each device said of itself.")
            var json = false

            func validate() throws {
                guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
            }

            func run() async throws {
                let (address, settings) = try options.load()
                let replicas = try await CentralAccess.hub(address, settings)
                    .replicas(of: subject, limit: limit)
                let console = Console(showsProgress: false)
                if json { return replicas.forEach { console.print($0.json) } }
                if replicas.isEmpty { return console.print("No replicas.") }
                var table = TextTable()
                table.add("replica", "user", "standing", "last seen", "batches")
                for replica in replicas {
                    table.add(
                        replica.id, replica.subject ?? "-", replica.standing.word,
                        Self.time(replica.seenAt), String(replica.lastBatch))
                }
                console.print(table.text)
                if replicas.count == limit { console.print("There may be more: --limit.") }
            }

            private static func time(_ time: HubTime) -> String {
                time == 0 ? "never" : time.date.formatted(.iso8601)
            }
        }

        struct Revoke: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Refuses a replica from now on; what it holds stays on it.")

            @OptionGroup var change: StandingOptions

            func run() async throws { try await change.set(.revoked) }
        }

        struct Wipe: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Orders a replica to delete what it holds, and refuses it from now on.",
                discussion: """
                    It does so at its next contact, with what it has not sent yet: that is lost. \
                    `moorage replicas list` then shows it as wiped. A device that never comes back, or \
                    an app that was changed, deletes nothing.
                    """)

            @OptionGroup var change: StandingOptions

            func run() async throws { try await change.set(.toBeWiped) }
        }

        struct Restore: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lets a replica in again that was revoked, or ordered to be wiped.")

            @OptionGroup var change: StandingOptions

            func run() async throws { try await change.set(.active) }
        }
    }

    struct StandingOptions: ParsableArguments {
        @Argument(help: "The replica's id, or as much of it as no other one begins with.")
        var replica: String

        @OptionGroup var options: DatabaseOptions

        func set(_ standing: ReplicaStanding) async throws {
            let (address, settings) = try options.load()
            let replica = try await CentralAccess.hub(address, settings)
                .set(standing, replica: replica)
            Console(showsProgress: false).print("\(replica.standing.word)  \(replica.id)")
        }
    }

    extension ReplicaStanding {
        fileprivate var word: String {
            switch self {
            case .active: "active"
            case .revoked: "revoked"
            case .toBeWiped: "to be wiped"
            case .beingWiped: "told to wipe"
            case .wiped: "wiped"
            }
        }
    }
#endif
