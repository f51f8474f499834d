import MoorageCore

/// A foreign key of a new table, as a constraint.
struct ForeignKeyClause {
    let foreign: ForeignKey
    let table: TableDescription
    let dialect: TableDialect
    /// The constraint's name; `nil` where the database chooses it.
    let name: String?

    /// `FOREIGN KEY ("artist_id") REFERENCES "artist" ("artist_id") ON DELETE CASCADE`
    var text: String {
        let columns = foreign.columns.map { table.columns[$0].name }
        var words = name.map { ["CONSTRAINT", dialect.name($0)] } ?? []
        words.append("FOREIGN KEY (\(dialect.names(columns)))")
        words.append("REFERENCES \(dialect.name(foreign.referencedTable))")
        words.append("(\(dialect.names(foreign.referencedColumns)))")
        words += clause("ON DELETE", possible(foreign.onDelete))
        words += clause("ON UPDATE", possible(foreign.onUpdate))
        if foreign.isDeferrable, dialect != .mysql {
            words.append("DEFERRABLE INITIALLY DEFERRED")
        }
        return words.joined(separator: " ")
    }

    /// MariaDB reports RESTRICT where no action is written.
    private func clause(_ event: String, _ action: ForeignKey.Action) -> [String] {
        action == .noAction && dialect != .mysql ? [] : ["\(event) \(Self.words(for: action))"]
    }

    /// InnoDB has no SET DEFAULT, and no SET NULL for a column that is NOT NULL. There the database
    /// refuses the change.
    private func possible(_ action: ForeignKey.Action) -> ForeignKey.Action {
        guard dialect == .mysql else { return action }
        switch action {
        case .setDefault: return .noAction
        case .setNull: return foreign.columns.allSatisfy(acceptsNull) ? .setNull : .noAction
        case .noAction, .restrict, .cascade: return action
        }
    }

    private func acceptsNull(_ position: Int) -> Bool {
        let column = table.columns[position]
        return !table.isKey(position) && (column.isNullable || column.isGenerated)
    }

    private static func words(for action: ForeignKey.Action) -> String {
        switch action {
        case .noAction: "NO ACTION"
        case .restrict: "RESTRICT"
        case .cascade: "CASCADE"
        case .setNull: "SET NULL"
        case .setDefault: "SET DEFAULT"
        }
    }
}
