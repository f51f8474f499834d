import MoorageCore
import MoorageHub

extension MySQLConnection {
    func trackingProblems() throws -> [Int: String] {
        let found = try readTriggers()
        // A user without privileges on the tables' triggers may see no triggers.
        guard !found.isEmpty else { return [:] }
        foreignEdges = nil
        let edges = try readForeignEdges()
        var problems: [Int: String] = [:]
        for table in try attachedTables() {
            // A table that no longer fits its description is suspended for that reason.
            guard let columns = try? nativeColumns(of: table.name),
                let shape = try? TableShape(
                    table, columns: columns, facts: facts(of: table.name, columns: columns),
                    kind: link.kind)
            else { continue }
            let missing = try TrackingSQL(shape, edges: edges).triggers().first { wanted in
                !found.contains { $0.stands(for: wanted) }
            }
            if let missing {
                problems[table.number] = TrackingReason.triggerMissing(
                    missing.name, on: missing.table)
            } else if try keyTypeProblem(shape) {
                problems[table.number] = TrackingReason.keyOutgrown(of: table.name)
            }
        }
        return problems
    }

    func columnForms(of table: String) throws -> [String: ColumnForm] {
        let answer = try link.query(
            """
            SELECT column_name, lower(data_type), column_type, character_maximum_length,
              character_set_name, generation_expression
            FROM information_schema.columns
            WHERE table_schema = database() AND table_name = ?
            """, Self.parameters(table), isKept: false)
        var forms: [String: ColumnForm] = [:]
        for row in 0..<answer.rowCount {
            let expression = answer.text(row, 5).flatMap { $0.isEmpty ? nil : "as \($0)" }
            forms[answer.text(row, 0) ?? ""] = Self.form(
                answer.text(row, 1) ?? "", answer.text(row, 2) ?? "",
                length: answer.integer(row, 3).map { Int(clamping: $0) },
                [expression, answer.text(row, 4)].compactMap(\.self))
        }
        return forms
    }

    private static func form(
        _ type: String, _ declared: String, length: Int?, _ words: [String]
    ) -> ColumnForm {
        let brackets = declared.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
        let last = brackets.split(separator: ",").last.flatMap { Int($0) } ?? 0
        switch type {
        case "tinyint", "smallint", "mediumint", "int", "bigint":
            let types = ["tinyint", "smallint", "mediumint", "int", "bigint"]
            let sign = declared.contains("unsigned") ? ["unsigned"] : []
            return ColumnForm(words + sign, size: types.firstIndex(of: type))
        case "decimal", "time", "datetime", "timestamp": return ColumnForm(words, size: last)
        case "enum", "set": return ColumnForm(words + labels(declared).map { "label \($0)" })
        case "float", "double", "year", "bit", "binary", "date":
            return ColumnForm(words + [declared])
        default: return ColumnForm(words, size: length)
        }
    }

    /// `enum('a','it''s')`
    static func labels(_ declared: String) -> [String] {
        var labels: [String] = []
        var rest = declared.drop { $0 != "'" }
        while rest.first == "'" {
            var label = ""
            rest = rest.dropFirst()
            while let character = rest.first {
                rest = rest.dropFirst()
                if character == "'" {
                    guard rest.first == "'" else { break }
                    rest = rest.dropFirst()
                }
                label.append(character)
            }
            labels.append(label)
            rest = rest.drop { $0 != "'" }
        }
        return labels
    }
}
