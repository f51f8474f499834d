import MoorageCore

/// Why a rule of the owner's decides nothing. The hub refuses the change with the code `rule`.
extension MergeAnswer {
    // MARK: Handlers

    static func handlerStillRunning(_ rule: String) -> MergeAnswer {
        .reject(
            "The rule \(rule) has not come back from an earlier question. Retry the change later.")
    }

    /// - Parameter error: Only its type is named: its text may contain values.
    static func handlerFailed(_ rule: String, with error: any Error) -> MergeAnswer {
        .reject("The rule \(rule) failed with \(type(of: error)).")
    }

    static func tookTooLong(_ rule: String, limit: Duration) -> MergeAnswer {
        .reject("The rule \(rule) took longer than \(limit).")
    }

    // MARK: SQL rules

    /// Without the database's message, which may contain the values.
    static func cannotEvaluate(_ column: String, of table: String) -> MergeAnswer {
        .reject("The central database could not evaluate the SQL rule of \(table).\(column).")
    }

    static func askedAboutNoColumn(of table: String) -> MergeAnswer {
        .reject("The merge asked the SQL rule of \(table) about no column. Please report this.")
    }

    // MARK: Other rules

    static func decidesByItself(_ rule: String) -> MergeAnswer {
        .reject(
            "The rule \(rule) decides by itself, and the merge asked it. Please report this.")
    }
}
