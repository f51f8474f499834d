extension TableRules {
    /// Why these rules do not fit a table: a sentence that names table and column and says what to
    /// do. `nil` when they fit.
    public func problem(in table: TableDescription) -> String? {
        if case .row = granularity, let column = columns.keys.min() {
            return RuleProblem.columnRuleMergedByRow(column, of: table)
        }
        for (column, rule) in columns.sorted(by: { $0.key < $1.key }) {
            guard let position = table.column(named: column) else {
                return RuleProblem.unknownColumn(column, of: table)
            }
            if table.isKey(position) { return RuleProblem.keyColumn(column, of: table) }
            if table.columns[position].isGenerated {
                return RuleProblem.generatedColumn(column, of: table)
            }
            if let problem = problem(of: rule, at: position, table) { return problem }
        }
        return problemOfWholeRows(table) ?? problemOfOptions(table)
    }

    private func problemOfWholeRows(_ table: TableDescription) -> String? {
        if case .row = granularity, rule.isOfValues {
            return RuleProblem.combinesMergedByRow(rule, table)
        }
        switch rule {
        case .newest, .server, .client: return nil
        case .keepBoth: return problemOfKeepingBoth(table, .rule)
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
        let fits: Bool
        let wanted: String
        switch rule {
        case .newest, .server, .client: return nil
        case .expression(let expression):
            return expression.problem.map { "\(table.name).\(column.name): \($0)" }
        case .handler(let handler): return handler.problem(in: "\(table.name).\(column.name)")
        case .keepBoth: return RuleProblem.keepBoth(forColumn: column.name, of: table)
        case .add: (fits, wanted) = (column.type.isNumber, RuleProblem.numbers)
        case .max, .min: (fits, wanted) = (column.type.isOrdered, RuleProblem.orderedValues)
        case .union:
            (fits, wanted) = (
                column.type == .json || column.type == .text, RuleProblem.arrays
            )
        case .text: (fits, wanted) = (column.type == .text, RuleProblem.text)
        }
        if fits { return nil }
        return RuleProblem.wrongType(of: column, of: table, for: rule, wanted: wanted)
    }

    private func problemOfKeepingBoth(
        _ table: TableDescription, _ what: RuleProblem.KeepBoth
    ) -> String? {
        let position = table.primaryKey[0]
        let column = table.columns[position]
        guard table.primaryKey.count == 1 else {
            return RuleProblem.keepBothNeedsOneColumn(what, table)
        }
        if table.foreignKeys.contains(where: { $0.columns.contains(position) }) {
            return RuleProblem.keepBothOfReference(what, column, of: table)
        }
        switch column.type {
        case .uuid, .text, .integer: return nil
        default: return RuleProblem.keepBothOfType(what, column, of: table)
        }
    }

    /// How many keys one block can have.
    public static let keyBlockSizes = 1...1_000_000

    private func problemOfKeys(_ table: TableDescription) -> String? {
        if let inserts {
            switch inserts {
            case .newest, .server, .client: break
            case .keepBoth:
                if let problem = problemOfKeepingBoth(table, .inserts) { return problem }
            default: return RuleProblem.insertsUndecided(by: inserts, table)
            }
        }
        guard let keyBlock else { return nil }
        guard table.primaryKey.count == 1, table.columns[table.primaryKey[0]].type == .integer,
            problemOfKeepingBoth(table, .inserts) == nil
        else { return RuleProblem.keyBlockNeedsInteger(table) }
        guard Self.keyBlockSizes.contains(keyBlock) else {
            return RuleProblem.keyBlockOutOfRange(
                keyBlock, table, most: Self.keyBlockSizes.upperBound)
        }
        return nil
    }

    private func problemOfOptions(_ table: TableDescription) -> String? {
        if let problem = problemOfKeys(table) { return problem }
        if let deletes, !MergeRule.deciding.contains(deletes) {
            return RuleProblem.deletesUndecided(by: deletes, table)
        }
        if let softDelete {
            guard let position = table.column(named: softDelete) else {
                return RuleProblem.noSoftDeleteColumn(softDelete, in: table)
            }
            let column = table.columns[position]
            switch column.type {
            case .boolean, .integer, .date, .timestamp, .instant: break
            default: return RuleProblem.softDeleteType(column, of: table)
            }
        }
        if let time {
            guard let position = table.column(named: time) else {
                return RuleProblem.noTimeColumn(time, in: table)
            }
            let column = table.columns[position]
            guard column.type.isOrdered else { return RuleProblem.timeType(column, of: table) }
        }
        return nil
    }
}
