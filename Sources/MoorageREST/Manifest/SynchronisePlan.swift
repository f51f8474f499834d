import MoorageCore
import MoorageHub

/// The changes of a client against the tables of the hub.
struct SynchronisePlan: Sendable {
    private struct Table: Sendable {
        let name: String
        var add: [RowTree] = []
        var update: [RowTree] = []
        /// The place of each, by which one that comes twice is written once.
        var delete: [RowTree] = []
    }

    private var list = WriteList()
    private var tables: [Table] = []
    private let isAllOrNothing: Bool

    /// What the hub is to carry out.
    var writes: [RowWrite] { list.writes }

    /// - Throws: ``RESTProblem`` where nothing of the request can be carried out.
    init(_ body: SynchroniseBody, in schema: RowSchema) throws {
        isAllOrNothing = body.isAllOrNothing
        var written = WrittenTables(schema)
        for changes in body.tables {
            var table = Table(name: changes.name)
            for row in changes.add {
                table.add.append(try tree(row, .insert, changes.name, &written))
            }
            for row in changes.update {
                table.update.append(try tree(row, .update, changes.name, &written))
            }
            table.delete = try deletes(of: changes, &written)
            tables.append(table)
        }
        if isAllOrNothing, let problems = list.refusals { throw undone(problems) }
    }

    private mutating func tree(
        _ row: JSON, _ kind: RowWrite.Kind, _ table: String, _ tables: inout WrittenTables
    ) throws -> RowTree {
        try RowTreeReading.add(row, kind, table, to: &list, &tables)
    }

    private mutating func deletes(
        of changes: TableChanges, _ tables: inout WrittenTables
    ) throws -> [RowTree] {
        var known: [RowKey: [(version: String?, place: Int)]] = [:]
        return try changes.delete.map { named in
            let place = list.count
            var same: Int?
            try list.add {
                let table = try tables.table(named: changes.name).table
                let key = try table.description.key(ofDocument: named.key)
                same = known[key]?.first { $0.version == named.version }?.place
                if same == nil { known[key, default: []].append((named.version, place)) }
                var write = RowWrite(
                    .delete, in: table, key: key,
                    precondition: named.version.map { .isOneOf([$0]) } ?? .none)
                write.acceptsAbsence = true
                return write
            } unless: {
                same != nil
            }
            return RowTree(place: same ?? place)
        }
    }

    // MARK: Answers

    /// What became of the writes, or of nothing, to be stored and then to be completed.
    ///
    /// - Parameter results: One for each of ``writes``.
    func answer(_ results: [RowResult], _ preference: ReturnPreference?) -> RESTResponse {
        let outcomes = list.outcomes(results)
        let refusals = outcomes.compactMap(\.problem)
        if isAllOrNothing, refusals.count == outcomes.count, !outcomes.isEmpty {
            return RESTResponse(undone(refusals))
        }
        let hasRows = preference != .minimal
        return RESTResponse(
            status: 200,
            headers: [("Content-Type", MediaType.json.rawValue)]
                + (preference.map { [$0.header] } ?? []),
            body: SynchroniseAnswer.encoded(lists(outcomes, withRows: hasRows)))
    }

    /// For each table what became of `add`, `update` and `delete`.
    private func lists(_ outcomes: [WriteOutcome], withRows hasRows: Bool) -> [[UInt8]] {
        tables.flatMap { table in
            [table.add, table.update, table.delete].map { trees in
                JSONWriter.document {
                    $0.array {
                        for tree in trees { tree.write(outcomes, withRows: hasRows, to: &$0) }
                    }
                }
            }
        }
    }

    /// The first refusal, with what became of each write.
    private func undone(_ problems: [RESTProblem]) -> RESTProblem {
        var problem = RESTProblem.first(of: problems)
        let lists = lists(problems.map { .refused($0) }, withRows: false)
        problem.tables = SynchroniseAnswer(tables.map(\.name), lists).tables
        return problem
    }
}
