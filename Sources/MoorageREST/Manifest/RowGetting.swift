import MoorageCore
import MoorageHub

/// Reads the rows that a client gets.
struct RowGetting {
    private let reader: RowReader
    /// Bytes that rows may still have.
    private var bytes = RowReader.mostBytes

    init(_ reader: RowReader) { self.reader = reader }

    /// - Returns: What the request gets of a table, as JSON.
    mutating func answer(_ changes: TableChanges) throws -> [UInt8] {
        if changes.get.isEmpty { return Array("[]".utf8) }
        let outcomes: [WriteOutcome]
        do {
            outcomes = try read(changes)
        } catch {
            guard let problem = RESTProblem(refusal: error) else { throw error }
            outcomes = changes.get.map { _ in .refused(problem) }
        }
        return JSONWriter.document { writer in
            writer.array {
                for outcome in outcomes {
                    $0.object { outcome.write(withRow: true, to: &$0) }
                }
            }
        }
    }

    private mutating func read(_ changes: TableChanges) throws -> [WriteOutcome] {
        let table = try reader.schema.offeredTable(named: changes.name)
        try reader.schema.check(changes.related, of: table)
        let keys = changes.get.map { named in
            Result { () throws(RESTProblem) in
                try table.description.key(ofDocument: named.key)
            }
        }
        var asked: [RowKey] = []
        var places: [RowKey: Int] = [:]
        for case .success(let key) in keys where places[key] == nil {
            places[key] = asked.count
            asked.append(key)
        }
        let (rows, count) = try reader.rows(
            asked, of: table, with: changes.related, bytes: &bytes)
        let form = RowForm(table)
        return keys.map { key in
            switch key {
            case .failure(let problem): return .refused(problem)
            case .success(let key):
                if let row = rows[key] { return .written(status: 200, row: row, form: form) }
                // What was not looked up may be there.
                return (places[key] ?? 0) < count
                    ? .refused(.noRow(of: table.name))
                    : .refused(RESTProblem(.tooManyRead(most: RowReader.mostBytes)))
            }
        }
    }
}
