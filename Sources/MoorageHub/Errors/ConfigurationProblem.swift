import MoorageCore

/// Why the hub cannot apply a part of its configuration: full sentences that name table and column,
/// with what to do.
enum ConfigurationProblem {
    // MARK: Columns and rights

    static func settingsOfUnattachedTable(_ table: String) -> String {
        """
        The configuration has a key, names, columns, rights or a minimum version for a table \
        \(table), which is not attached. Correct its name, or attach it.
        """
    }

    static func unknownColumn(_ column: String, of table: String) -> String {
        """
        The configuration has settings for the column \(table).\(column), which does not exist. \
        Correct its name.
        """
    }

    static func rightToUnknownColumn(_ column: String, of table: String) -> String {
        """
        The configuration has a right to the column \(table).\(column), which does not exist. \
        Correct its name.
        """
    }

    static func keyColumn(_ column: String, of table: String) -> String {
        """
        The column \(table).\(column) is part of the key. Let it travel both ways, or leave out \
        the table.
        """
    }

    static func fileColumn(_ column: String, of table: String, type: String) -> String {
        """
        The column \(table).\(column) is of type \(type), and a reference to a file is a text. Name \
        a column of type text.
        """
    }

    static func hiddenColumn(
        _ column: String, of table: String, refersTo parent: String
    ) -> String {
        """
        The hidden column \(table).\(column) refers to the synced table \(parent). A device could \
        not know what a delete removes. Let the column travel, or leave out \(parent).
        """
    }

    static func hiddenColumn(
        _ column: String, of table: String, isReferredToBy child: String
    ) -> String {
        """
        The synced table \(child) refers to the hidden column \(table).\(column). A device could \
        not know what a delete removes. Let the column travel, or leave out \(child).
        """
    }

    // MARK: Names in apps

    static func tooManyNames(of place: String, most: Int) -> String {
        """
        \(place) has more than \(most) names under `renamedFrom`. Leave out those that no app uses \
        any more.
        """
    }

    static func unusableName(of place: String, most: Int) -> String {
        """
        A name of \(place) in apps is empty, has more than \(most) characters, or has a control \
        character. Choose another name.
        """
    }

    static func reservedName(_ name: String, of table: String) -> String {
        """
        The table \(table) cannot be called \(name) in apps: SQLite and Moorage use such names for \
        tables of their own. Choose another name.
        """
    }

    static func nameTaken(_ name: String, of place: String, by other: String) -> String {
        guard !place.hasSameBytes(as: other) else {
            return """
                \(place) has the name \(name) twice, and SQLite ignores the case of ASCII letters. \
                Leave one out.
                """
        }
        return """
            Both \(other) and \(place) have the name \(name) in apps, and SQLite ignores the case of \
            ASCII letters. Choose another name, or take it out of `renamedFrom`.
            """
    }

    // MARK: The query for a user's scopes

    static func queryTooLong(most bytes: Int) -> String {
        "The query is longer than \(bytes) bytes. Shorten it."
    }

    /// - Parameter fault: What the query does, and what to do, without the last full stop.
    static func query(_ fault: String) -> String { "The query \(fault)." }

    static let queryWithoutUser =
        "The query names neither `:sub` nor a claim, so every user would have the same scopes."

    static let severalQueries = "has a `;`. Write one query"

    static let minusBehindName = "has a `-` right behind a name. Put a space between them"

    static func unknownName(_ name: String) -> String {
        "names `:\(name)`, which is nothing. Use `:sub` or `:claims.name`"
    }

    // MARK: Scopes

    static func otherScopes(of table: String) -> String {
        """
        The configuration has other scopes for \(table) than those that were attached. Run \
        `moorage attach` to go on with the scopes of the configuration.
        """
    }
}
