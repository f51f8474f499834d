import MoorageCore
import MoorageHub

/// What the hub says of rows, and what is found before it is asked.
extension RESTProblem {
    init(_ problem: RowProblem) {
        let status =
            switch problem.kind {
            case .malformed: 400
            case .forbidden: 403
            case .notFound: 404
            case .conflict: 409
            case .expired: 410
            case .changed: 412
            case .tooLarge: 413
            case .unprocessable: 422
            case .notWritten: 424
            }
        self.init(status: status, code: problem.code, detail: problem.message)
    }

    /// - Returns: `nil` for an error that refuses nothing, such as a database that does not answer.
    init?(refusal error: any Error) {
        switch error {
        case let problem as RESTProblem: self = problem
        case let problem as RowProblem: self.init(problem)
        default: return nil
        }
    }

    static func noRow(of table: String) -> RESTProblem {
        RESTProblem(
            status: 404, code: "notFound",
            detail: "There is no such row of \(table) for this user.")
    }

    static func noKey(of table: TableDescription) -> RESTProblem {
        let columns = table.primaryKey.map { column in
            "\(table.columns[column].name) (\(table.columns[column].type.name))"
        }
        return RESTProblem(
            status: 404, code: "notFound",
            detail: """
                There is no such row of \(table.name): its key is \
                \(columns.joined(separator: ", ")).
                """)
    }

    static func rowChanged(in table: String) -> RESTProblem {
        RESTProblem(
            status: 412, code: "changed",
            detail: """
                The row of \(table) is not as the request expects. Read it again, and decide again.
                """)
    }

    static func unknownTable(_ name: String) -> RESTProblem {
        RESTProblem(
            status: 404, code: "unknownTable",
            detail: "There is no table \(name) for this user. `GET /v1/tables` lists the tables.")
    }

    static func unknownColumn(_ name: String, of table: String) -> RESTProblem {
        RESTProblem(
            status: 400, code: "unknownColumn",
            detail:
                "The table \(table) has no column \(name). `GET /v1/tables` lists the columns.")
    }

    static func unknownRelation(_ name: String, of table: String) -> RESTProblem {
        RESTProblem(
            status: 400, code: "unknownRelation",
            detail: """
                Nothing of \(table) is related by the name \(name). `GET /v1/tables` lists the \
                relations.
                """)
    }

    static func columnTwice(_ name: String, of table: String) -> RESTProblem {
        malformed("The column \(name) of \(table) comes twice. Name it once.")
    }

    // MARK: Values

    static func wrongType(_ column: ColumnDescription, of table: String) -> RESTProblem {
        RESTProblem(
            status: 422, code: "type",
            detail: """
                The column \(table).\(column.name) takes \(column.type.requestForm). Correct the \
                value.
                """)
    }

    static func documentToMerge(_ column: String, of table: String) -> RESTProblem {
        RESTProblem(
            status: 422, code: "type",
            detail: """
                A merge patch changes a part of the document in \(table).\(column), which the hub \
                cannot do. Send the whole document with `Content-Type: application/json`.
                """)
    }
}

extension ColumnType {
    /// What a request writes for a value of the type.
    fileprivate var requestForm: String {
        switch self {
        case .integer: "a whole number of 64 bits"
        case .real: "a finite number"
        case .decimal: "a decimal number as a string, such as \"9.80\""
        case .boolean: "true or false"
        case .text: "a string"
        case .uuid: "a UUID as a string of 36 characters"
        case .blob: "a string of base64 with its padding"
        case .date: "a date, such as \"1996-07-16\""
        case .time: "a time of day, such as \"13:45:00\""
        case .timestamp:
            "a date and time without a zone, such as \"1996-07-16T13:45:00\""
        case .instant: "a date and time with a zone, such as \"1996-07-16T13:45:00Z\""
        case .json: "a JSON document"
        }
    }
}
