import MoorageCore

/// Values as examples, of the types of a table's columns.
struct ExampleValue {
    private let table: DocumentTable
    private let use: ValueSchema.Use

    init(_ table: DocumentTable, use: ValueSchema.Use) {
        self.table = table
        self.use = use
    }

    subscript(_ column: Int) -> DocumentPart {
        switch table.columns[column].type {
        case .integer: 1
        case .boolean: true
        case .real: .real(1.5)
        case .decimal: "9.80"
        case .text: .text(table.labels(of: column).first ?? "text")
        case .blob: use == .path ? "AAEC_w" : "AAEC/w=="
        case .uuid: "6fa9de85-6161-4583-9060-401245a55af9"
        case .date: "1996-07-16"
        case .time: "13:45:00"
        case .timestamp: "1996-07-16T13:45:00"
        case .instant: "1996-07-16T13:45:00Z"
        case .json: use == .mergePatch ? ["text"] : ["text": "text"]
        }
    }

    /// A key of the table.
    var key: DocumentPart {
        let values = table.description.primaryKey.map { self[$0] }
        return values.count == 1 ? values[0] : .list(values)
    }

    /// A row with these columns.
    func row(_ columns: [Int]) -> DocumentPart {
        .object(columns.map { (name: table.columns[$0].name, value: self[$0]) })
    }

    /// The same as CSV under a line of names.
    func csv(_ columns: [Int]) -> String {
        var writer = CSVWriter()
        writer.add(columns.map { table.columns[$0].name })
        writer.add(columns.map { self[$0].plainText })
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension DocumentPart {
    /// As CSV has it.
    fileprivate var plainText: String {
        if case .text(let text) = self { return text }
        return String(decoding: JSONWriter.document { write(to: &$0) }, as: UTF8.self)
    }
}
