import MoorageCore
import MoorageHub

/// The writes of a request against the tables of the hub.
struct BatchPlan: Sendable {
    private var list = WriteList()
    private let isAllOrNothing: Bool

    /// What the hub is to carry out.
    var writes: [RowWrite] { list.writes }

    /// - Throws: ``RESTProblem`` where nothing of the request can be carried out.
    init(_ body: BatchBody, isAllOrNothing: Bool, in schema: RowSchema) throws {
        self.isAllOrNothing = isAllOrNothing
        var tables = WrittenTables(schema)
        switch body {
        case .operations(let requests):
            for request in requests {
                try list.add { try request.get().write(in: &tables) }
            }
        case .rows(let rows, let kind, let name):
            let table = try tables.table(named: name)
            for row in rows {
                try list.add { RowWrite(kind, in: table.table, values: try row.values(of: table)) }
            }
        case .csv(let rows, let kind, let name):
            let table = try tables.table(named: name)
            let columns = try rows.columns(of: table)
            for record in rows.records {
                try list.add {
                    RowWrite(kind, in: table.table, values: try record.values(columns, of: table))
                }
            }
        }
        if isAllOrNothing, let problems = list.refusals { throw Self.undone(problems) }
    }

    /// The first refusal, with what became of each write.
    private static func undone(_ problems: [RESTProblem]) -> RESTProblem {
        var problem = RESTProblem.first(of: problems)
        problem.results = JSONWriter.document { results in
            results.array {
                for problem in problems {
                    $0.object { WriteOutcome.refused(problem).write(withRow: false, to: &$0) }
                }
            }
        }
        return problem
    }

    /// - Parameter results: One for each of ``writes``.
    func answer(_ results: [RowResult], _ preference: ReturnPreference?) -> RESTResponse {
        let outcomes = list.outcomes(results)
        let refusals = outcomes.compactMap(\.problem)
        if isAllOrNothing, refusals.count == outcomes.count, !outcomes.isEmpty {
            return RESTResponse(Self.undone(refusals))
        }
        return .json(headers: preference.map { [$0.header] } ?? []) {
            $0.object {
                $0.name("results")
                $0.array {
                    for outcome in outcomes {
                        $0.object { outcome.write(withRow: preference != .minimal, to: &$0) }
                    }
                }
            }
        }
    }
}
