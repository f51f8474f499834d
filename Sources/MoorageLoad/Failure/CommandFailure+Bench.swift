#if Server
    import MoorageConfiguration

    /// Why a load run cannot begin, or did not go well (docs/reference/errors.md, Load runs and the
    /// demo).
    extension CommandFailure {
        // MARK: Options

        static func outOfRange(
            _ option: String, from least: String, to most: String
        ) -> CommandFailure {
            CommandFailure("\(option) must be from \(least) to \(most).", exit: .usage)
        }

        static let loadOnDatabase = CommandFailure(
            "A load run needs a server, and this hub is a database.",
            next: "Run `moorage serve`, and give its address.", exit: .usage)

        static let mixNotWhole = CommandFailure(
            "--mix must be three percentages that make 100, such as 40/50/10.", exit: .usage)

        static func tooManyOwnRows(_ most: Int) -> CommandFailure {
            CommandFailure(
                "--devices times --rows (or --batch) must be \(most) or less.", exit: .usage)
        }

        // MARK: The table

        /// - Parameters:
        ///   - reason: Why the hub suspended the table, as a sentence.
        ///   - others: The tables that it syncs.
        static func tableNotSynced(
            _ table: String, reason: String?, others: [String]
        ) -> CommandFailure {
            CommandFailure(
                "The hub syncs no table \(table)." + (reason.map { " " + $0 } ?? ""),
                next: "Name one of: \(others.joined(separator: ", ")).")
        }

        /// - Parameter reason: A sentence.
        static func tableSuspended(_ table: String, _ reason: String) -> CommandFailure {
            CommandFailure("The table \(table) is suspended: \(reason)")
        }

        static func generatedKey(of table: String) -> CommandFailure {
            noRows(of: table, "its key is generated")
        }

        static func rowsFromHubAlone(of table: String) -> CommandFailure {
            noRows(of: table, "its rows come from the hub alone")
        }

        static func neededReference(
            of table: String, columns: [String], to other: String
        ) -> CommandFailure {
            noRows(of: table, "\(columns.joined(separator: ", ")) must name a row of \(other)")
        }

        /// - Parameter columns: Each with its type.
        static func noDistinctValues(
            of table: String, key columns: [String], isPrimary: Bool
        ) -> CommandFailure {
            noRows(
                of: table,
                """
                no values without equal can be made for the \(isPrimary ? "" : "unique ")key \
                \(columns.joined(separator: ", "))
                """)
        }

        private static func noRows(of table: String, _ reason: String) -> CommandFailure {
            CommandFailure(
                "No rows of the table \(table) can be made up: \(reason).",
                next: anotherTable)
        }

        /// - Parameter reason: The hub's, or `nil` without one.
        static func rowsRefused(of table: String, _ reason: String?) -> CommandFailure {
            CommandFailure(
                "The hub accepted no row that was made up for \(table).", at: reason,
                next: anotherTable)
        }

        private static let anotherTable = "Name another table, or measure with --reads-only."

        static func nothingToUpdate(in table: String) -> CommandFailure {
            CommandFailure(
                "No column of the table \(table) is left for an update to write.",
                next: "Give --mix without updates, such as 80/0/20.")
        }

        // MARK: How it ended

        /// - Parameter reason: The code of the error, or `nil` without one.
        static func rowsLeft(_ count: Int, in table: String, _ reason: String?) -> CommandFailure {
            let code = reason.map { " (\($0))" } ?? ""
            return CommandFailure(
                """
                The run could not delete \(count) rows that it inserted into \(table)\(code), or \
                the hub never got them.
                """,
                next: "Delete them in the central database.")
        }

        static func exchangesFailed(_ count: Int, codes: [String]) -> CommandFailure {
            CommandFailure("\(count) exchanges failed: \(codes.joined(separator: ", ")).")
        }

        static let noExchangeAnswered = CommandFailure("No exchange was answered.")

        static let stoppedEarly = CommandFailure(
            "The run was stopped before its time.", exit: .temporary)
    }
#endif
