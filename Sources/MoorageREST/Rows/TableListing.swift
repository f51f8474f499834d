import MoorageCore
import MoorageHub

/// The tables that a user may read, and what the user may do with each.
struct TableListing {
    private let schema: RowSchema

    init(_ schema: RowSchema) { self.schema = schema }

    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("version")
            $0.string(schema.version)
            $0.name("tables")
            $0.array { for table in schema.offered { write(table, to: &$0) } }
        }
    }

    private func write(_ table: RowTable, to writer: inout JSONWriter) {
        let description = table.description
        writer.object {
            $0.name("name")
            $0.string(table.name)
            $0.name("columns")
            $0.array { for column in description.columns { write(column, to: &$0) } }
            $0.name("key")
            $0.strings(description.keyNames)
            $0.name("relations")
            $0.array {
                for relation in schema.offeredRelations(of: table) { write(relation, to: &$0) }
            }
            if table.isSuspended {
                $0.name("suspended")
                $0.bool(true)
            }
            $0.name("rights")
            $0.object { write(rightsTo: table, to: &$0) }
        }
    }

    private func write(_ column: ColumnDescription, to writer: inout JSONWriter) {
        writer.object {
            $0.name("name")
            $0.string(column.name)
            $0.name("type")
            $0.string(column.type.name)
            $0.name("nullable")
            $0.bool(column.isNullable)
            $0.name("readOnly")
            $0.bool(column.isGenerated)
        }
    }

    private func write(_ relation: RowRelation, to writer: inout JSONWriter) {
        writer.object {
            $0.name("name")
            $0.string(relation.name)
            $0.name("table")
            $0.string(relation.table)
            $0.name("many")
            $0.bool(relation.isMany)
        }
    }

    private func write(rightsTo table: RowTable, to writer: inout JSONWriter) {
        let columns = table.description.columns
        writer.name("insert")
        if let insertable = table.insertable {
            writer.strings(insertable.map { columns[$0].name })
        } else {
            writer.null()
        }
        writer.name("update")
        writer.strings(table.updatable.map { columns[$0].name })
        writer.name("delete")
        writer.bool(table.mayDelete)
    }
}

extension JSONWriter {
    fileprivate mutating func strings(_ texts: [String]) {
        array { for text in texts { $0.string(text) } }
    }
}
