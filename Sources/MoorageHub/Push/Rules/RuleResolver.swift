import MoorageCore
import MoorageWire

/// Answers for the owner's own rules: handlers, and expressions in SQL.
struct RuleResolver {
    let connection: any CentralConnection
    let handlers: HandlerRunner

    func answer(
        _ rule: MergeRule, _ question: MergeQuestion, of table: AttachedTable
    ) throws -> MergeAnswer {
        switch rule {
        case .handler(let handler): return handlers.ask(handler, question)
        case .expression(let expression):
            guard let name = question.columns.first, question.columns.count == 1,
                let column = table.description.column(named: name)
            else { return MergeAnswer.askedAboutNoColumn(of: table.name) }
            let values = RuleValues(
                base: question.base?[name] ?? .null, mine: question.mine?[name] ?? .null,
                theirs: question.theirs[name] ?? .null)
            return try evaluate(expression, of: column, in: table, values)
        case .newest, .server, .client, .add, .max, .min, .union, .text, .keepBoth:
            return MergeAnswer.decidesByItself(rule.name)
        }
    }

    private func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> MergeAnswer {
        let name = table.description.columns[column].name
        try connection.savepoint()
        do {
            let value = try connection.evaluate(expression, of: column, in: table, values)
            try connection.releaseSavepoint()
            return .values([name: value])
        } catch let error as CentralError {
            guard error.isOwnFault else { throw error }
            try connection.rollbackToSavepoint()
            // The database's message may contain the values.
            return MergeAnswer.cannotEvaluate(name, of: table.name)
        }
    }
}

extension CentralError {
    /// Whether the statement itself is at fault, not the connection or others.
    var isOwnFault: Bool {
        switch kind {
        case .refused, .failed: true
        case .conflict, .unavailable, .invalidCheckpoint: false
        }
    }
}

/// Checks before the first exchange whether every rule can do what it says.
struct RuleCheck {
    let configuration: HubConfiguration

    /// - Throws: ``HubError`` `configuration` that names table, column and what to do.
    func check(_ tables: [AttachedTable], on connection: any CentralConnection) throws {
        let minimums =
            [configuration.minimumClientVersion].compactMap { $0 }
            + configuration.minimumClientVersions.values
        guard minimums.allSatisfy({ ClientVersion($0) != nil }) else {
            throw HubError.minimumVersionUnreadable
        }
        if !configuration.classes.isEmpty {
            try check("moorage_priority", on: connection, or: HubError.classesNeedAttach)
        }
        if configuration.retention.conflicts != nil {
            try check("moorage_decision", on: connection, or: HubError.conflictDaysNeedAttach)
        }
        if configuration.audit != nil {
            try check("moorage_audit", on: connection, or: HubError.auditNeedsAttach)
        }
        for table in tables {
            guard let rules = configuration.rules[table.name] else { continue }
            if let problem = rules.problem(in: table.description) {
                throw HubError.configuration(problem)
            }
            for (position, column) in table.description.columns.enumerated()
            where !table.description.isKey(position) && !column.isGenerated {
                guard case .expression(let expression) = rules.rule(for: column.name) else {
                    continue
                }
                try check(expression, at: position, of: table, on: connection)
            }
        }
    }

    /// Checks for one of Moorage's own tables, which a database that was attached earlier may lack.
    private func check(
        _ table: String, on connection: any CentralConnection, or failure: HubError
    ) throws {
        do {
            _ = try connection.run("SELECT count(*) FROM \(table) WHERE id = ''", [])
        } catch let error as CentralError where error.isOwnFault {
            throw failure
        }
    }

    private func check(
        _ expression: RuleExpression, at column: Int, of table: AttachedTable,
        on connection: any CentralConnection
    ) throws {
        do {
            _ = try connection.evaluate(
                expression, of: column, in: table,
                RuleValues(base: .null, mine: .null, theirs: .null))
        } catch let error as CentralError where error.isOwnFault {
            throw HubError.cannotEvaluateRule(
                of: table.name, column: table.description.columns[column].name, error.message)
        }
    }
}
