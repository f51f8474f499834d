import MoorageCore
package import MoorageWire

extension SchemaFile {
    /// The statements that create tables of the file in a central database that lacks them.
    ///
    /// They run in this order. Each table gets its columns, keys, foreign keys, indexes and labels.
    /// A table that is not named exists already, so foreign keys may refer to it. The same file
    /// gives the same statements.
    ///
    /// Only names, labels, comments and constants of the file become part of a statement, all of
    /// them quoted. So a new table has less than the file's own database may have:
    ///
    /// - A default that only that database can evaluate is left out, as is the sequence of a key.
    ///   An insert without such a value fails, or stores NULL where the column accepts it. The
    ///   owner adds the default.
    /// - A generated column becomes a plain one that accepts NULL.
    /// - Of the checks, only those of labels are there.
    /// - Integers have 64 bits, and other types have the widest form. A text keeps the length that
    ///   the file says, and a decimal its digits.
    ///
    /// SQLite has no comments, and no digits of seconds. MySQL has more exceptions:
    ///
    /// - A text of a key, and one with labels, has 255 characters at most, unless the file says
    ///   another length. Texts of a key have 640 characters together.
    /// - An instant lies between 1970 and 2038. One that is NOT NULL without a constant as default
    ///   gets `CURRENT_TIMESTAMP`, because an older server would give it more than that.
    /// - `SET DEFAULT` becomes `NO ACTION`. So does `SET NULL` where a column is NOT NULL. No
    ///   foreign key is deferrable.
    /// - A column that an action writes has no check of its labels.
    /// - A column of UUIDs is one of text on MySQL. On MariaDB it needs version 10.7.
    ///
    /// - Parameters:
    ///   - names: The tables to create. A name that is not in the file is ignored.
    ///   - dialect: The kind of central database.
    /// - Returns: Statements without semicolons.
    package func createStatements(
        forTables names: [String], in dialect: TableDialect
    ) -> [String] {
        // Tables that are not named get names of constraints, too. So those of a table do not
        // depend on which other tables are created with it.
        var objectNames = ObjectNames(tables: schema.tables.map(\.name))
        var tables: [NewTable] = []
        for table in schema.tables {
            tables.append(NewTable(table, of: self, in: dialect, names: &objectNames))
        }
        var missing = Set(names.map { Identifier($0) })
        tables = tables.filter { missing.contains(Identifier($0.table.name)) }
        var (statements, last): ([String], [String]) = ([], [])
        for table in tables {
            missing.remove(Identifier(table.table.name))
            // SQLite looks for the table only when a row is written.
            let later = dialect == .sqlite ? [] : missing
            func isLater(_ foreign: ForeignKey) -> Bool {
                later.contains(Identifier(foreign.referencedTable))
            }
            statements += table.creation(without: isLater)
            last += table.addition(of: isLater)
        }
        return statements + last
    }
}
