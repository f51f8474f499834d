/// Names of one place in Swift code, no two of them equal.
struct SwiftNames {
    private var taken: Set<String>
    /// The next number for each name that was taken when it was asked for.
    private var numbers: [String: Int] = [:]

    /// - Parameter taken: Names that the place has already.
    init(taken: Set<String> = []) { self.taken = taken }

    mutating func take(_ name: String) { taken.insert(name) }

    /// The name, with a number behind it if it is taken.
    mutating func unique(_ name: String) -> String {
        let base = name.isEmpty ? "unnamed" : name
        var result = base
        while !taken.insert(result).inserted {
            let number = numbers[base, default: 2]
            numbers[base] = number + 1
            result = base + String(number)
        }
        return result
    }

    /// A name as code writes it: a keyword is in backticks.
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    private static let keywords: Set = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "init", "inout", "internal", "let", "operator", "private", "precedencegroup",
        "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
        "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough",
        "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while",
        "Any", "as", "await", "catch", "false", "is", "nil", "rethrows", "self", "Self", "super",
        "throws", "true", "try", "Type", "Protocol",
    ]

    /// Members that each record has, or that GRDB and Swift give it, and what generated code names
    /// inside of members. A method of a type may have the name of a property.
    static let recordMembers: Set = [
        "Columns", "CodingKeys", "ForeignKeys", "ID", "Type", "Protocol", "self", "Self", "init",
        "databaseTableName", "databaseSelection", "databaseComponents", "persistenceConflictPolicy",
        "encode", "insert", "update", "save", "upsert", "delete", "exists", "didInsert",
        "willInsert", "willUpdate", "willSave", "willDelete", "didUpdate", "didSave", "didDelete",
        "aroundInsert", "hashValue", "hash", "databaseDictionary", "databaseEquals",
        "databaseChanges", "hasDatabaseChanges", "updateChanges", "belongsTo", "hasMany", "hasOne",
        "container", "row", "inserted",
    ]

    /// Types that generated code, GRDB and Swift name.
    static let types: Set = [
        "Int", "Int64", "Double", "Bool", "String", "Data", "UUID", "Date", "Array", "Set",
        "Dictionary", "Optional", "Result", "Error", "Character", "Any", "Never", "Void", "Type",
        "Protocol", "Self", "Sequence", "Collection", "Codable", "Encodable", "Decodable",
        "Hashable", "Equatable", "Comparable", "Identifiable", "Sendable", "Encoder", "Decoder",
        "CodingKey", "RawRepresentable", "CaseIterable", "Task", "Actor", "Clock", "Duration",
        "Range", "Substring", "Unicode", "Mirror", "Foundation", "Swift", "Decimal", "URL",
        "Row", "Table", "Column", "ForeignKey", "Database", "DatabaseValue", "DatabaseQueue",
        "DatabasePool", "Configuration", "Statement", "Record", "Association",
        "PersistenceContainer",
        "FetchableRecord", "PersistableRecord", "MutablePersistableRecord", "TableRecord",
        "InsertionSuccess", "Index", "View", "GRDB", "Moorage", "Replica", "Value", "RowKey",
        "Refusal", "LocalDate", "LocalTime", "LocalDateTime", "Instant", "ExactDecimal",
        "ColumnText", "TextUUID", "Subscription", "BelongsToAssociation", "HasManyAssociation",
        "HasOneAssociation", "Columns", "CodingKeys", "ForeignKeys", "Request", "Cursor",
    ]
}
