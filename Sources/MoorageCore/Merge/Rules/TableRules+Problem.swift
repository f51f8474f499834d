extension TableRules {
    /// Why these rules do not fit a table: a sentence that names table and column and says what to
    /// do. `nil` when they fit.
    public func problem(in table: TableDescription) -> String? {
        if case .row = granularity, let column = columns.keys.min() {
            return """
                The table \(table.name) is merged by row, and \(table.name).\(column) has a rule \
                of its own. Leave that rule out, or set the granularity to column.
                """
        }
        for (column, rule) in columns.sorted(by: { $0.key < $1.key }) {
            guard let position = table.column(named: column) else {
                return """
                    There is a rule for \(table.name).\(column), which is no column. Correct its name; \
                    the columns are \(table.columns.map(\.name).joined(separator: ", ")).
                    """
            }
            if table.isKey(position) || table.columns[position].isGenerated {
                return """
                    \(table.name).\(column) is \(table.isKey(position) ? "part of the key" : "generated") \
                    and never in conflict. Leave its rule out.
                    """
            }
            if let problem = problem(of: rule, at: position, table) { return problem }
        }
        return problemOfWholeRows(table) ?? problemOfOptions(table)
    }

    private func problemOfWholeRows(_ table: TableDescription) -> String? {
        if case .row = granularity, rule.isOfValues {
            return """
                The rule \(rule.name) makes one value of two, and the table \(table.name) is merged \
                by row. Use newest, server, client, keepBoth or a handler, or granularity column.
                """
        }
        switch rule {
        case .newest, .server, .client: return nil
        case .keepBoth: return problemOfKeepingBoth(table, "The rule keepBoth")
        case .handler(let handler): return handler.problem(in: "the table \(table.name)")
        case .add, .max, .min, .union, .text, .expression:
            for (position, column) in table.columns.enumerated()
            where !table.isKey(position) && !column.isGenerated && columns[column.name] == nil {
                if let problem = problem(of: rule, at: position, table) { return problem }
            }
            return nil
        }
    }

    private func problem(of rule: MergeRule, at position: Int, _ table: TableDescription) -> String?
    {
        let column = table.columns[position]
        let name = "\(table.name).\(column.name)"
        let fits: Bool
        let wanted: String
        switch rule {
        case .newest, .server, .client: return nil
        case .expression(let expression): return expression.problem.map { "\(name): \($0)" }
        case .handler(let handler): return handler.problem(in: name)
        case .keepBoth:
            return """
                The rule keepBoth is one of whole rows, and \(name) is a column. Set it for the table \
                \(table.name), or choose another rule for the column.
                """
        case .add: (fits, wanted) = (column.type.isNumber, "numbers")
        case .max, .min: (fits, wanted) = (column.type.isOrdered, "numbers, dates and times")
        case .union: (fits, wanted) = (column.type == .json || column.type == .text, "JSON arrays")
        case .text: (fits, wanted) = (column.type == .text, "text")
        }
        if fits { return nil }
        return """
            The rule \(rule.name) is for \(wanted), and \(name) is of type \(column.type.name). Give \
            \(name) a rule of its own that fits, such as newest.
            """
    }

    private func problemOfKeepingBoth(_ table: TableDescription, _ what: String) -> String? {
        let position = table.primaryKey[0]
        let column = table.columns[position]
        let remedy = "Choose another rule for the table."
        guard table.primaryKey.count == 1 else {
            return """
                \(what) needs a key of one column, and the table \(table.name) has \
                \(table.primaryKey.count): \
                \(table.primaryKey.map { table.columns[$0].name }.joined(separator: ", ")). \(remedy)
                """
        }
        if table.foreignKeys.contains(where: { $0.columns.contains(position) }) {
            return """
                \(what) gives rows new keys, and \(table.name).\(column.name) refers to \
                another table. \(remedy)
                """
        }
        switch column.type {
        case .uuid, .text, .integer: return nil
        default:
            return """
                \(what) makes new keys of type uuid, text or integer, and \
                \(table.name).\(column.name) is of type \(column.type.name). \(remedy)
                """
        }
    }

    /// How many keys one block can have.
    public static let keyBlockSizes = 1...1_000_000

    private func problemOfKeys(_ table: TableDescription) -> String? {
        if let inserts {
            switch inserts {
            case .newest, .server, .client: break
            case .keepBoth:
                if let problem = problemOfKeepingBoth(table, "To keep both of two inserts") {
                    return problem
                }
            default:
                return """
                    Two inserts of one key of the table \(table.name) go by \(inserts.name), which cannot \
                    decide them. Use newest, server, client or keepBoth.
                    """
            }
        }
        guard let keyBlock else { return nil }
        guard table.primaryKey.count == 1, table.columns[table.primaryKey[0]].type == .integer,
            problemOfKeepingBoth(table, "") == nil
        else {
            return """
                The table \(table.name) is to hand out keys, and its key is not one integer column of \
                its own. Leave keyBlock out.
                """
        }
        guard Self.keyBlockSizes.contains(keyBlock) else {
            return """
                A block of \(keyBlock) keys of the table \(table.name) cannot be handed out. Use 1 to \
                \(Self.keyBlockSizes.upperBound).
                """
        }
        return nil
    }

    private func problemOfOptions(_ table: TableDescription) -> String? {
        if let problem = problemOfKeys(table) { return problem }
        if let deletes, !MergeRule.deciding.contains(deletes) {
            return """
                The deletes of the table \(table.name) go by \(deletes.name), which cannot decide them. \
                Use newest, server or client.
                """
        }
        if let softDelete {
            guard let position = table.column(named: softDelete) else {
                return missing(softDelete, as: "mark of deleted rows", table)
            }
            switch table.columns[position].type {
            case .boolean, .integer, .date, .timestamp, .instant: break
            case let type:
                return """
                    \(table.name).\(softDelete) is to mark deleted rows and is of type \(type.name). Use \
                    a boolean, an integer, a date or a timestamp.
                    """
            }
        }
        if let time {
            guard let position = table.column(named: time) else {
                return missing(time, as: "time of the last edit", table)
            }
            guard table.columns[position].type.isOrdered else {
                return """
                    \(table.name).\(time) is to be the time of the last edit and is of type \
                    \(table.columns[position].type.name). Use a timestamp, a date or a number.
                    """
            }
        }
        return nil
    }

    private func missing(_ column: String, as what: String, _ table: TableDescription) -> String {
        """
        The table \(table.name) has no column \(column), which is to be the \(what). Correct its name; \
        the columns are \(table.columns.map(\.name).joined(separator: ", ")).
        """
    }
}
