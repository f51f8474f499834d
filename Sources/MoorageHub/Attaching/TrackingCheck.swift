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
        for table in tables where problems[table.number] == nil {
            problems[table.number] = try rewriting(of: table)
        }
        return problems
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
