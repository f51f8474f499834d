import MoorageCore
import MoorageHub

/// The writes of a request against the tables of the hub: what can be refused at once, and what
/// the hub is to carry out.
struct BatchPlan: Sendable {
    /// One write of the request.
    private enum Place: Sendable {
        case refused(RESTProblem)
        /// A write to this table.
        case write(Identifier)
    }

    private var places: [Place] = []
    /// How the answer has the rows of each table.
    private var forms: [Identifier: RowForm] = [:]
    /// What the hub is to carry out, in the order of the places.
    private(set) var writes: [RowWrite] = []
    private let isAllOrNothing: Bool

    /// - Throws: ``RESTProblem`` where nothing of the request can be carried out.
    init(_ body: BatchBody, isAllOrNothing: Bool, in schema: RowSchema) throws {
        self.isAllOrNothing = isAllOrNothing
        var tables = WrittenTables(schema)
        switch body {
        case .operations(let requests):
            for request in requests {
                try add { try request.get().write(in: &tables) }
            }
        case .rows(let rows, let kind, let name):
            let table = try tables.table(named: name)
            for row in rows {
                try add { RowWrite(kind, in: table.table, values: try row.values(of: table)) }
            }
        case .csv(let rows, let kind, let name):
            let table = try tables.table(named: name)
            let columns = try rows.columns(of: table)
            for record in rows.records {
                try add {
                    RowWrite(kind, in: table.table, values: try record.values(columns, of: table))
                }
            }
        }
        if isAllOrNothing, let problem = refusal() { throw problem }
    }

    private mutating func add(_ write: () throws -> RowWrite) throws {
        do {
            let write = try write()
            let table = Identifier(write.table.name)
            if forms[table] == nil { forms[table] = RowForm(write.table) }
            places.append(.write(table))
            writes.append(write)
        } catch {
            guard let problem = RESTProblem(refusal: error) else { throw error }
            places.append(.refused(problem))
        }
    }

    /// Why nothing is written; `nil` where all can be asked of the hub.
    private func refusal() -> RESTProblem? {
        let problems = places.map { place -> RESTProblem? in
            if case .refused(let problem) = place { problem } else { nil }
        }
        guard problems.contains(where: { $0 != nil }) else { return nil }
        return Self.undone(problems.map { $0 ?? .notWritten })
    }

    /// The first refusal, with what became of each write.
    private static func undone(_ problems: [RESTProblem]) -> RESTProblem {
        let first = problems.first { $0.code != RESTProblem.notWritten.code }
        var problem = first ?? .notWritten
        problem.results = JSONWriter.document {
            $0.array { for problem in problems { problem.writeResult(to: &$0) } }
        }
        return problem
    }

    /// - Parameter results: One for each of ``writes``.
    func answer(_ results: [RowResult], _ preference: ReturnPreference?) -> RESTResponse {
        var refusals: [RESTProblem] = []
        for case .refused(let problem) in results { refusals.append(RESTProblem(problem)) }
        if isAllOrNothing, refusals.count == places.count, !places.isEmpty {
            return RESTResponse(Self.undone(refusals))
        }
        return .json(headers: preference.map { [$0.header] } ?? []) {
            $0.object {
                $0.name("results")
                $0.array { write(results, withRows: preference != .minimal, to: &$0) }
            }
        }
    }

    private func write(
        _ results: [RowResult], withRows hasRows: Bool, to writer: inout JSONWriter
    ) {
        var rest = results[...]
        for place in places {
            switch place {
            case .refused(let problem): problem.writeResult(to: &writer)
            case .write(let table):
                guard let result = rest.popFirst() else { return }
                result.write(in: hasRows ? forms[table] : nil, to: &writer)
            }
        }
    }
}

extension RESTProblem {
    /// What became of a write that was refused.
    fileprivate func writeResult(to writer: inout JSONWriter) {
        writer.object {
            $0.name("status")
            $0.integer(Int64(status))
            $0.name("problem")
            write(to: &$0)
        }
    }
}

extension RowResult {
    /// - Parameter form: `nil` to leave the row out.
    fileprivate func write(in form: RowForm?, to writer: inout JSONWriter) {
        let status: Int64
        let row: RowContent?
        switch self {
        case .refused(let problem): return RESTProblem(problem).writeResult(to: &writer)
        case .created(let content): (status, row) = (201, content)
        case .changed(let content): (status, row) = (content == nil ? 204 : 200, content)
        case .deleted: (status, row) = (204, nil)
        }
        writer.object {
            $0.name("status")
            $0.integer(status)
            guard let form, let row else { return }
            $0.name("row")
            form.write(row, to: &$0)
        }
    }
}
