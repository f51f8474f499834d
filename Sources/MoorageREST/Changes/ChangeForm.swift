import MoorageCore
import MoorageHub

/// How answers have changes.
struct ChangeForm {
    /// By the tables' names, for those that came.
    private var forms: [Identifier: RowForm] = [:]

    mutating func write(_ change: RowChange, to writer: inout JSONWriter) {
        let form = form(of: change.table)
        let table = change.table.description
        writer.object {
            $0.name("table")
            $0.string(table.name)
            $0.name("op")
            $0.string(change.kind.rawValue)
            $0.name("key")
            $0.array { key in
                for (column, value) in zip(table.primaryKey, change.key.values) {
                    AnsweredValue(value, of: table.columns[column].type).write(to: &key)
                }
            }
            guard let row = change.row else { return }
            $0.name("row")
            form.write(row, to: &$0)
        }
    }

    private mutating func form(of table: RowTable) -> RowForm {
        let name = Identifier(table.name)
        if let known = forms[name] { return known }
        let form = RowForm(table)
        forms[name] = form
        return form
    }
}
