import MoorageCore
import MoorageHub

/// What a request with several writes asks for.
enum BatchBody: Sendable {
    /// Writes to any tables. One that cannot be read is refused by itself.
    case operations([Result<WriteRequest, RESTProblem>])
    /// Rows of one table.
    case rows([WrittenRow], RowWrite.Kind, table: String)
    case csv(CSVRows, RowWrite.Kind, table: String)

    /// Writes of one request.
    static let mostWrites = 1_000

    /// - Parameter rows: The elements of an array.
    init(rows: [JSON], _ kind: RowWrite.Kind, table: String) throws(RESTProblem) {
        try Self.check(rows.count)
        self = .rows(rows.map { .document($0) }, kind, table: table)
    }

    /// - Parameter operations: Those of `/v1/batch`.
    init(operations: [JSON]) throws(RESTProblem) {
        try Self.check(operations.count)
        self = .operations(
            operations.map { json in
                do throws(RESTProblem) {
                    return .success(try WriteRequest(operation: json))
                } catch {
                    return .failure(error)
                }
            })
    }

    private static func check(_ count: Int) throws(RESTProblem) {
        guard count <= mostWrites else { throw .tooManyWrites(most: mostWrites) }
    }
}

/// The body of `/v1/batch`.
struct BatchDocument {
    private(set) var isAllOrNothing = true
    let operations: [JSON]

    init(_ json: JSON) throws(RESTProblem) {
        guard case .object(let members) = json else { throw .noBatch }
        var operations: [JSON]?
        for (name, value) in members {
            switch (name, value) {
            case ("atomic", .null): break
            case ("atomic", .bool(let flag)): isAllOrNothing = flag
            case ("operations", .array(let elements)): operations = elements
            default: throw .noBatch
            }
        }
        guard let operations else { throw .noBatch }
        self.operations = operations
    }
}

extension WriteRequest {
    private static let kinds: [(name: String, kind: RowWrite.Kind)] = [
        ("insert", .insert), ("update", .update), ("upsert", .upsert), ("replace", .replace),
        ("delete", .delete),
    ]

    /// One operation of `/v1/batch`.
    fileprivate init(operation json: JSON) throws(RESTProblem) {
        guard case .object(let members) = json else { throw .noOperation }
        var kind: RowWrite.Kind?
        var table: String?
        var key: Key?
        var row = WrittenRow.absent
        for (name, value) in members {
            switch (name, value) {
            case ("op", .string(let name)): kind = Self.kinds.first { $0.name == name }?.kind
            case ("table", .string(let name)): table = name
            case ("key", .null): break
            case ("key", .array(let values)): key = .values(values)
            case ("key", _): key = .values([value])
            case ("row", .object): row = .document(value)
            default: throw .noOperation
            }
        }
        guard let kind, let table else { throw .noOperation }
        if case .absent = row, kind != .delete { throw .noOperation }
        self.init(kind: kind, table: table, key: key, row: row)
        // A new row has no version yet.
        if kind != .insert, let etag = try row.etag() { precondition = .isOneOf([etag]) }
    }
}
