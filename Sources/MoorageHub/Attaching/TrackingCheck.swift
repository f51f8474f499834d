import MoorageCore

/// Whether tables that fit their descriptions are still tracked, and hold the values that devices have: an
/// owner's migration may have put another table in the place of one, or rewritten a column.
struct TrackingCheck {
    let connection: any CentralConnection

    /// Why tables are to stand still, by number.
    func problems(of tables: [AttachedTable]) throws -> [Int: String] {
        var problems = try connection.trackingProblems().mapValues {
            "\($0) Run `moorage attach` to go on: it finds what was missed."
        }
        for table in tables where problems[table.number] == nil {
            problems[table.number] = try rewriting(of: table)
        }
        return problems
    }

    /// Why values of a table may be others than devices hold; `nil` where they are not, and of a table that an
    /// older version attached.
    func rewriting(of table: AttachedTable) throws -> String? {
        guard let before = try Metadata(connection: connection).forms(of: table) else { return nil }
        let now = try connection.columnForms(of: table.name)
        let changed = table.description.columns.first { column in
            guard let old = before[column.name], let new = now[column.name] else { return false }
            return !new.holds(old)
        }
        return changed.map {
            """
            The column \(table.name).\($0.name) was changed in a way that writes other values into existing rows. \
            Run `moorage attach` to go on: every replica reads the table again.
            """
        }
    }
}
