#if Server
    import ArgumentParser
    import Foundation
    import MoorageCore
    import MoorageHub
    import MoorageSupport

    /// The hub that goes on in another database, after its owner copied the rows.
    struct MoveOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                """
                Go on as this hub, after you copied its rows into this database. `moorage \
                restore-check` prints the id for the old database.
                """, valueName: "id"))
        var hub: String?

        @Option(
            help: ArgumentHelp(
                """
                When the copy began, such as 2026-11-27T22:00:00Z, if replicas synced with the old \
                database after it; else now.
                """, valueName: "time"))
        var copiedAt: String?

        func validate() throws {
            if let hub, !HubMove.isHubID(hub) {
                throw ValidationError("--hub must be the id of a hub: a UUID in lower case.")
            }
            guard let copiedAt else { return }
            guard hub != nil else { throw ValidationError("--copied-at needs --hub.") }
            guard Self.time(copiedAt) != nil else {
                throw ValidationError("--copied-at must be a time such as 2026-11-27T22:00:00Z.")
            }
        }

        /// `nil` for a hub that begins in its database.
        var move: HubMove? {
            hub.map { HubMove(hub: $0, copiedAt: copiedAt.flatMap(Self.time)) }
        }

        private static func time(_ text: String) -> HubTime? {
            (try? Date(text, strategy: .iso8601)).map { HubTime($0) }
        }
    }
#endif
