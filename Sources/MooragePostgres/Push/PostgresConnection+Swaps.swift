import MoorageCore
import MoorageHub

/// Unique values that rows exchange.
extension PostgresConnection {
    func swapFacts(_ table: AttachedTable) throws -> SwapFacts {
        let shape = try shape(of: table)
        var free: [Int: [Value]] = [:]
        for column in Set(table.description.uniqueKeys.joined()) {
            let native = shape.columns[column]
            if !native.labels.isEmpty {
                free[column] = native.labels.map(Value.text)
            } else if let found = try freeParents(of: column, shape) {
                free[column] = found
            }
        }
        return SwapFacts(freeValues: free, columnsPutBack: try columnsPutBack(shape))
    }

    /// Parent keys that no row refers to, for a foreign key of one column that is checked at once.
    private func freeParents(of column: Int, _ shape: TableShape) throws -> [Value]? {
        let native = shape.columns[column]
        let references = shape.table.description.foreignKeys.filter {
            $0.columns == [column] && !$0.isDeferrable && !native.isNullable
        }
        guard let reference = references.first else { return nil }
        let referenced = SQLText.name(reference.referencedColumns[0])
        let rows = try link.query(
            """
            SELECT \(native.output("p.\(referenced)")) FROM \(schema.table(reference.referencedTable)) AS p
            WHERE p.\(referenced) IS NOT NULL AND NOT EXISTS (
              SELECT FROM \(shape.name) AS l WHERE l.\(native.quoted) = p.\(referenced))
            LIMIT \(Self.mostFreeParents)
            """, Parameters())
        return (0..<rows.rowCount).map { rows.value($0, 0, native.resultKind) }
    }

    private static let mostFreeParents = 64

    private func columnsPutBack(_ shape: TableShape) throws -> [Int]? {
        guard shape.isWhole, !shape.mayChangeRows, !shape.isPartitioned else { return nil }
        let actions = try link.simple(
            """
            SELECT count(*) FROM pg_constraint
            WHERE contype = 'f' AND confdeltype IN ('c', 'n', 'd')
              AND confrelid = \(SQLText.literal(shape.name))::regclass
            """)
        guard actions.text(0, 0) == "0" else { return nil }
        return shape.columns.indices.filter { !shape.columns[$0].isGenerated }
    }

    /// ``deferConstraints()`` defers the foreign keys that can wait. The server checks the others
    /// at once.
    func leavingReferences(_ write: () throws -> Void) throws { try write() }
}
