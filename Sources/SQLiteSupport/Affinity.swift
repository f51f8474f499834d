/// The class to which SQLite converts what a column stores (section 3.1 of its documentation).
package enum Affinity: Hashable, Sendable {
    case integer, text, blob, real, numeric

    /// - Parameters:
    ///   - declaredType: The column's declared type; empty where the column declares no type.
    ///   - isStrict: Whether the table is `STRICT`, where `ANY` keeps every value as it is.
    package init(declaredType: String, isStrict: Bool = false) {
        let type = declaredType.uppercased()
        if isStrict && type == "ANY" {
            self = .blob
        } else if type.contains("INT") {
            self = .integer
        } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
            self = .text
        } else if type.contains("BLOB") || type.isEmpty {
            self = .blob
        } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
            self = .real
        } else {
            self = .numeric
        }
    }

    /// A declared type of this affinity. With `INT` a key is no other name of the row's number.
    package var typeName: String {
        switch self {
        case .integer: "INT"
        case .text: "TEXT"
        case .blob: "BLOB"
        case .real: "REAL"
        case .numeric: "NUMERIC"
        }
    }
}
