import MoorageCore

/// Changes that the row itself, other rows or the central database exclude.
extension Refusal {
    static func valuesTaken(in table: String, _ columns: [String]) -> Refusal {
        Refusal(
            code: .unique,
            message:
                "Another row of \(table) already has this \(columns.joined(separator: ", ")).")
    }

    static func changedTwice(in table: String) -> Refusal {
        Refusal(
            code: .unique,
            message: "The batch changes one row of \(table) twice. Please report this.")
    }

    /// A reference to no row, or to a row that the replica cannot see: both must read the same.
    ///
    /// - Parameters:
    ///   - parent: The table that the foreign key refers to.
    ///   - columns: The foreign key's columns.
    static func missingRow(of parent: String, _ columns: [String]) -> Refusal {
        Refusal(
            code: .foreignKey,
            message: """
                The row of \(parent) that its \(columns.joined(separator: ", ")) names does not \
                exist.
                """)
    }

    static func parentRefused(of parent: String, _ code: Code) -> Refusal {
        Refusal(
            code: .foreignKey,
            message: """
                The hub refused the row of \(parent) that this row refers to (\(code.rawValue)). \
                Correct that row first.
                """)
    }

    static func leftOut(of table: String) -> Refusal {
        Refusal(
            code: .trigger,
            message: "A trigger or rule of the owner left the row of \(table) as it was.")
    }

    static func noFreeKey(in table: String) -> Refusal {
        Refusal(
            code: .overflow,
            message: """
                The table \(table) has no free key above its last one. Ask whoever runs the hub \
                for a larger type of the key.
                """)
    }

    /// - Parameter message: What the database says, as a full sentence.
    static func failed(_ message: String) -> Refusal {
        Refusal(
            code: .failed,
            message: "The central database cannot take this change. The reason: \(message)")
    }

    /// Is never sent: the hub tries a part of a batch, and undoes it.
    static let leftOutOfTry = Refusal(
        code: .failed, message: "This try leaves the change out.")
}
