#if Server
    import ArgumentParser
    import Foundation
    import MoorageCore
    import MoorageSupport

    /// How much of a log is wanted.
    struct ListOptions: ParsableArguments {
        @Option(help: "Only of the last so many days.")
        var days: Int?

        @Option(help: "No more than this.")
        var limit = 100

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
            try Self.check(days: days)
        }

        static func check(days: Int?) throws {
            guard let days, !(1...36_500).contains(days) else { return }
            throw ValidationError("--days must be from 1 to 36500.")
        }

        /// `nil` for everything.
        var since: HubTime? {
            days.map { HubTime(.now) - Int64($0) * 86_400_000 }
        }
    }
#endif
