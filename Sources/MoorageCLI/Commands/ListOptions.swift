#if Server
    import ArgumentParser
    import Foundation

    /// How much of a log is wanted.
    struct ListOptions: ParsableArguments {
        @Option(help: "Only of the last so many days.")
        var days: Int?

        @Option(help: "No more than this.")
        var limit = 100

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be 1 or more.") }
            if let days, !(1...36_500).contains(days) {
                throw ValidationError("--days must be from 1 to 36500.")
            }
        }

        /// Milliseconds since 1970; `nil` for everything.
        var since: Int64? {
            days.map { Int64(Date().timeIntervalSince1970 * 1_000) - Int64($0) * 86_400_000 }
        }
    }
#endif
