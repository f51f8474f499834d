import MoorageCore
import MoorageHub

extension NativeColumn {
    /// Only the server can tell whether a text is a value of the type.
    var isJudgedByServer: Bool {
        switch family {
        case .other, .json, .money, .numeric: true
        default: false
        }
    }

    /// The type's values are names of objects in the catalog: `regclass` and its like.
    var isObjectName: Bool {
        [24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191].contains(typeID)
    }
}

extension ServerError {
    /// The error of a value that its type refused. The server does not say in which of these
    /// columns it is.
    func misfit(of columns: [NativeColumn]) -> CentralError {
        let names = columns.map { "\($0.name) (\($0.typeName))" }.joined(separator: ", ")
        let message =
            "A value does not fit its type, \(columns.count == 1 ? "column" : "one of the columns") \(names) (\(state))."
        return CentralError(.refused(Refusal(code: .type, message: message)), message)
    }
}
