import MoorageCore
import MoorageHub

extension PostgresConnection {
    func columnForms(of table: String) throws -> [String: ColumnForm] {
        let columns = try nativeColumns(of: Optional(table))[table] ?? []
        return Dictionary(
            columns.map { ($0.name, $0.form) }, uniquingKeysWith: { first, _ in first })
    }
}

extension NativeColumn {
    /// Leaves out a length in characters, because only a cast that the owner writes cuts a longer
    /// text.
    var form: ColumnForm {
        let expression = expression.map { ["as \($0)"] } ?? []
        switch family {
        case .integer, .boolean, .blob, .uuid, .date, .money, .json: return ColumnForm(expression)
        case .text where typeID != Self.paddedText: return ColumnForm(expression)
        case .numeric:
            // Eleven bits, with a sign from PostgreSQL 15 on.
            let scale = (((modifier - 4) & 0x7FF) ^ 0x400) - 0x400
            return ColumnForm(expression, size: modifier < 4 ? nil : scale)
        case .time, .timestamp, .instant:
            return ColumnForm(expression, size: modifier < 0 ? 6 : modifier)
        case .enumeration: return ColumnForm(expression + labels.map { "label \($0)" })
        case .text, .real, .other:
            return ColumnForm(expression + ["type \(typeName)", "modifier \(modifier)"])
        }
    }

    /// `char(n)`.
    private static let paddedText: UInt32 = 1042
}
