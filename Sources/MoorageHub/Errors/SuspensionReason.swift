/// Why a table is suspended, or cannot be synced: full sentences, with what to do.
enum SuspensionReason {
    // MARK: Another table than before

    static func gone(_ table: String) -> String {
        """
        The table \(table) is gone from the central database. Run `moorage attach` to go on \
        without it.
        """
    }

    static func columnGone(_ column: String, from table: String) -> String {
        "The column \(table).\(column) is gone. \(attachAgain)"
    }

    static func typeChanged(
        of column: String, in table: String, from before: String, to now: String
    ) -> String {
        "The column \(table).\(column) was \(before) and is \(now) now. \(attachAgain)"
    }

    static func keyChanged(of table: String) -> String {
        "The primary key of \(table) is another one now. \(attachAgain)"
    }

    /// - Parameter key: The columns that told the table's rows apart.
    static func keyGone(_ key: [String], of table: String) -> String {
        """
        The table \(table) has neither a primary key nor a unique NOT NULL key of \
        (\(key.joined(separator: ", "))) any more, by which it is attached. Make that key again, \
        or choose another one and run `moorage attach`.
        """
    }

    /// - Parameter reason: Why the table cannot be synced any more.
    static func unsupportedNow(_ reason: String) -> String { "\(reason) \(attachAgain)" }

    private static let attachAgain = "Run `moorage attach` to go on with the table as it is now."

    // MARK: What was missed

    /// - Parameter reason: Why the table is not tracked any more.
    static func trackingLost(_ reason: String) -> String {
        "\(reason) Run `moorage attach` to go on: it finds what was missed."
    }

    static func attachUnfinished(of table: String) -> String {
        """
        Changes of \(table) were missed, and the attach that has every replica read it again has \
        not ended. Where none runs, run `moorage attach`.
        """
    }

    static func columnRewritten(_ column: String, of table: String) -> String {
        """
        A change of the column \(table).\(column) may have written other values into existing \
        rows. Run `moorage attach` to go on: every replica reads the table again.
        """
    }

    // MARK: Directions, rights and versions of the app

    static func parentNotReceived(_ parent: String, by table: String) -> String {
        """
        The table \(table) refers to \(parent), whose rows no device receives. Give both the \
        direction `up`, or let \(parent) travel both ways.
        """
    }

    static func mayNotRead(_ table: String) -> String {
        """
        The user of this replica may not read \(table). Ask whoever runs the hub for the right.
        """
    }

    static func clientTooOld(for table: String, minimum: String) -> String {
        """
        This version of the app is too old for the table \(table): the hub asks for \(minimum) or \
        newer. Update the app. The table's changes are kept.
        """
    }

    static func notSynced(_ table: String) -> String {
        "The hub does not sync a table \(table). Attach it, or leave it out."
    }

    // MARK: Names that devices cannot have

    static func reservedName(of table: String) -> String {
        """
        SQLite reserves the name of the table \(table), and no device can have it. Rename the \
        table, or sync a copy.
        """
    }

    static func alikeColumns(_ first: String, _ second: String, of table: String) -> String {
        """
        The columns \(first) and \(second) of \(table) differ only in case, and SQLite on devices \
        takes them for one. Rename one of them.
        """
    }
}
