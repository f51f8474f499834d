package import MoorageCore

extension ColumnType {
    /// What a declared type means; `nil` when it says nothing.
    package init?(sqlite declared: String) {
        let type = declared.uppercased()
        func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
        let withZone = has("TIMESTAMPTZ", "WITH TIME ZONE", "DATETIMEOFFSET")
        if has("BOOL") {
            self = .boolean
        } else if has("UUID", "GUID", "UNIQUEIDENTIFIER") {
            self = .uuid
        } else if has("JSON") {
            self = .json
        } else if has("DATETIME", "TIMESTAMP") {
            self = withZone ? .instant(fractionDigits: 6) : .timestamp(fractionDigits: 6)
        } else if has("DATE") {
            self = .date
        } else if has("TIME") {
            self = .time(fractionDigits: 6)
        } else if has("INT") {
            self = .integer
        } else if has("CHAR", "CLOB", "TEXT", "STRING") {
            self = .text
        } else if has("BLOB", "BINARY") {
            self = .blob
        } else if has("REAL", "FLOA", "DOUB") {
            self = .real
        } else if has("DEC", "NUM", "MONEY") {
            self = .decimal
        } else {
            return nil
        }
    }
}
