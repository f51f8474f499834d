import MoorageCore

/// Details are members of the tables and columns of a schema answer, after those of the schema.
extension TableDetails {
    func write(to writer: inout JSONWriter) {
        writer.optional("comment", comment)
        if !checks.isEmpty {
            writer.name("checks")
            writer.strings(checks)
        }
        if !indexes.isEmpty {
            writer.name("indexes")
            writer.array { for index in indexes { $0.positions(index) } }
        }
    }

    /// - Parameter table: A table of a schema answer.
    init(_ table: JSONReading) throws(HubError) {
        var columns: [Int: ColumnDetails] = [:]
        for (position, column) in try table.member("columns").array().enumerated() {
            columns[position] = try ColumnDetails(column)
        }
        let count = columns.count
        self.init(
            comment: try table.detail("comment"),
            checks: try table.details("checks", most: Self.maximumChecks) {
                (check) throws(HubError) in try check.detail()
            },
            indexes: try table.details("indexes", most: Self.maximumIndexes) {
                (index) throws(HubError) in
                let columns = try index.positions(below: count)
                guard !columns.isEmpty else { throw index.error("an index without columns") }
                return columns
            }, columns: columns)
    }
}

extension ColumnDetails {
    func write(to writer: inout JSONWriter) {
        writer.optional("original", original)
        writer.optional("comment", comment)
        if !labels.isEmpty {
            writer.name("labels")
            writer.strings(labels)
        }
        writer.flag("file", isFile)
    }

    /// - Parameter column: A column of a schema answer.
    init(_ column: JSONReading) throws(HubError) {
        self.init(
            original: try column.detail("original"), comment: try column.detail("comment"),
            labels: try column.details("labels", most: Self.maximumLabels) {
                (label) throws(HubError) in try label.detail()
            }, isFile: try column.flag("file"))
    }
}

extension JSONReading {
    fileprivate func detail() throws(HubError) -> String {
        let text = try string()
        guard text.utf8.count <= TableDetails.maximumTextBytes else {
            throw error("a text of more than \(TableDetails.maximumTextBytes) bytes")
        }
        return text
    }

    /// A text that may be missing.
    fileprivate func detail(_ name: String) throws(HubError) -> String? {
        try optional(name)?.detail()
    }

    /// The elements of a list that may be missing.
    fileprivate func details<Element>(
        _ name: String, most count: Int, _ element: (JSONReading) throws(HubError) -> Element
    ) throws(HubError) -> [Element] {
        guard let list = optional(name) else { return [] }
        guard try list.array().count <= count else {
            throw list.error("more than \(count) elements")
        }
        return try list.map(element)
    }
}
