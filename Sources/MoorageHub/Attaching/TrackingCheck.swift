import MoorageCore

/// Checks that tables which fit their descriptions are still tracked, and have the values that
/// devices have. A migration of the owner's may have replaced a table, or rewritten a column.
struct TrackingCheck {
    let connection: any CentralConnection

    /// Why tables must be suspended, by number.
    func problems(of tables: [AttachedTable]) throws -> [Int: String] {
        var problems = try connection.trackingProblems().mapValues {
            SuspensionReason.trackingLost($0)
        }
        for (number, reason) in try staleness(of: tables) where problems[number] == nil {
            problems[number] = reason
        }
        return problems
    }

    /// Why devices must read tables again, by number, although triggers track them.
    func staleness(of tables: [AttachedTable]) throws -> [Int: String] {
        let missed = try Metadata(connection: connection).missedTables()
        var reasons: [Int: String] = [:]
        for table in tables {
            reasons[table.number] =
                missed.contains(table.number)
                ? SuspensionReason.attachUnfinished(of: table.name) : try rewriting(of: table)
        }
        return reasons
    }

    /// Why values of a table may differ from those that devices have. `nil` where they do not, and
    /// for a table that an older version attached.
    func rewriting(of table: AttachedTable) throws -> String? {
        guard let before = try Metadata(connection: connection).forms(of: table) else { return nil }
        let now = try connection.columnForms(of: table.name)
        let changed = table.description.columns.first { column in
            guard let old = before[column.name], let new = now[column.name] else { return false }
            return !new.holds(old)
        }
        return changed.map { SuspensionReason.columnRewritten($0.name, of: table.name) }
    }
}
