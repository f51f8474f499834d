import MoorageCore

/// Keys in JSON: the value, or an array of them for a key of several columns.
extension TableDescription {
    /// - Throws: ``RESTProblem`` for what is no key of the table.
    func key(ofDocument json: JSON) throws(RESTProblem) -> RowKey {
        if case .array(let values) = json { return try key(ofDocuments: values) }
        return try key(ofDocuments: [json])
    }

    /// - Parameter documents: A value for each column of the key.
    func key(ofDocuments documents: [JSON]) throws(RESTProblem) -> RowKey {
        guard documents.count == primaryKey.count else { throw .wrongKey(of: self) }
        var values: [Value] = []
        for (column, json) in zip(primaryKey, documents) {
            guard let value = columns[column].type.value(of: json), !value.isNull else {
                throw .wrongType(columns[column], of: name)
            }
            values.append(value)
        }
        return key(values)
    }
}

extension JSON {
    /// A key as answers have it.
    init(_ key: RowKey, of table: TableDescription) {
        let values = zip(table.primaryKey, key.values).map { column, value in
            AnsweredValue(value, of: table.columns[column].type).json
        }
        self = values.count == 1 ? values[0] : .array(values)
    }
}
