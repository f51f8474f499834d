import MoorageCore
import MoorageHub

extension MySQLConnection {
    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value {
        let native = try shape(of: table).columns[column]
        var parameters = Parameters()
        var arguments: [String] = []
        for word in RuleExpression.Word.allCases {
            var list = Parameters.Column(.text)
            if let text = try native.text(values[word]) {
                list.append(text.utf8)
            } else {
                list.appendNull()
            }
            parameters.add(list)
            arguments.append("\(native.typed("?")) AS \(SQLText.name(word.rawValue))")
        }
        var sql = ""
        for piece in expression.pieces {
            switch piece {
            case .sql(let text): sql += text
            case .word(let word): sql += "rule.\(SQLText.name(word.rawValue))"
            }
        }
        let result = try link.query(
            """
            SELECT \(native.output(native.typed("(\(sql))", isText: false)))
            FROM (SELECT \(arguments.joined(separator: ", "))) AS rule
            """, parameters, [native.resultKind], isKept: false)
        return result.value(0, 0)
    }
}
