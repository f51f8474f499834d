import MoorageCore
import MoorageHub

/// The writes of a request against the tables of the hub: what is refused at once, and what the hub
/// is to carry out.
struct WriteList: Sendable {
    /// One write of the request.
    private enum Place: Sendable {
        case refused(RESTProblem)
        /// A write to this table, by its place among ``writes``.
        case write(Int, Identifier)
    }

    private var places: [Place] = []
    /// How the answer has the rows of each table.
    private var forms: [Identifier: RowForm] = [:]
    /// What the hub is to carry out, in the order of the places.
    private(set) var writes: [RowWrite] = []

    var count: Int { places.count }

    /// Adds a write, or why it is refused.
    ///
    /// - Parameter isKnown: Asked when the write is read. One that is known already is not added.
    mutating func add(
        _ write: () throws -> RowWrite, unless isKnown: () -> Bool = { false }
    ) throws {
        do {
            let write = try write()
            if isKnown() { return }
            let table = Identifier(write.table.name)
            if forms[table] == nil { forms[table] = RowForm(write.table) }
            places.append(.write(writes.count, table))
            writes.append(write)
        } catch {
            guard let problem = RESTProblem(refusal: error) else { throw error }
            places.append(.refused(problem))
        }
    }

    /// Why nothing is written, for each place; `nil` where all can be asked of the hub.
    var refusals: [RESTProblem]? {
        let problems = places.map { place -> RESTProblem? in
            if case .refused(let problem) = place { problem } else { nil }
        }
        guard problems.contains(where: { $0 != nil }) else { return nil }
        return problems.map { $0 ?? .notWritten }
    }

    /// What became of the writes.
    ///
    /// - Parameter results: One for each of ``writes``.
    func outcomes(_ results: [RowResult]) -> [WriteOutcome] {
        places.map { place in
            switch place {
            case .refused(let problem): .refused(problem)
            case .write(let write, let table):
                results.indices.contains(write)
                    ? WriteOutcome(results[write], forms[table]) : .refused(.notWritten)
            }
        }
    }
}

/// What became of one write.
enum WriteOutcome: Sendable {
    case refused(RESTProblem)
    /// - Parameter row: As it is now; `nil` where the user does not see it any more.
    case written(status: Int, row: RowContent?, form: RowForm?)

    init(_ result: RowResult, _ form: RowForm?) {
        switch result {
        case .refused(let problem): self = .refused(RESTProblem(problem))
        case .created(let content): self = .written(status: 201, row: content, form: form)
        case .changed(let content):
            self = .written(status: content == nil ? 204 : 200, row: content, form: form)
        case .deleted: self = .written(status: 204, row: nil, form: form)
        }
    }

    var problem: RESTProblem? { if case .refused(let problem) = self { problem } else { nil } }

    /// Writes the members of an object.
    func write(withRow hasRow: Bool, to writer: inout JSONWriter) {
        switch self {
        case .refused(let problem):
            writer.name("status")
            writer.integer(Int64(problem.status))
            writer.name("problem")
            problem.write(to: &writer)
        case .written(let status, let row, let form):
            writer.name("status")
            writer.integer(Int64(status))
            guard hasRow, let form, let row else { return }
            writer.name("row")
            form.write(row, to: &writer)
        }
    }
}

extension RESTProblem {
    /// The first refusal of a request of which nothing is written.
    static func first(of problems: [RESTProblem]) -> RESTProblem {
        problems.first { $0.code != notWritten.code } ?? notWritten
    }
}
