import MoorageCore

/// The rows of a body of CSV under their line of names.
struct CSVRows: Sendable {
    let names: [String]
    /// Each has a field for each name.
    let records: [CSVRecord]

    /// More columns than any table has.
    private static let mostNames = 4_096

    /// - Parameter most: How many rows at most.
    /// - Throws: ``RESTProblem`` for what is no CSV, and for more rows.
    init(_ bytes: [UInt8], _ memory: BodyMemory, most: Int) throws {
        var reader = CSVReader(bytes, reserve: memory.use)
        do throws(CSVFault) {
            guard let head = try reader.next(most: Self.mostNames) else {
                throw CSVFault(.fields(0, expected: 1), at: 1)
            }
            let count = head.fields.count
            names = head.fields.map(\.text)
            var records: [CSVRecord] = []
            while let record = try reader.next(most: Self.mostNames) {
                // A line without anything in it is a record only where there is one column.
                if count > 1, record.fields.count == 1, record.fields[0].value == nil { continue }
                guard record.fields.count == count else {
                    throw CSVFault(.fields(record.fields.count, expected: count), at: record.line)
                }
                records.append(record)
                if records.count > most { break }
            }
            self.records = records
        } catch {
            if case .tooLarge = error.kind { throw memory.error }
            throw RESTProblem.malformed(error.message).at("Line \(error.line)")
        }
        guard records.count <= most else { throw RESTProblem.tooManyWrites(most: most) }
    }
}
