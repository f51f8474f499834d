import MoorageCore

/// Keys in paths: the values, percent-encoded, with commas between them.
extension TableDescription {
    /// - Parameter texts: The values' texts, decoded.
    /// - Returns: `nil` for texts that are no key of the table.
    func key(ofPath texts: [String]) -> RowKey? {
        guard texts.count == primaryKey.count else { return nil }
        var values: [Value] = []
        for (column, text) in zip(primaryKey, texts) {
            let type = columns[column].type
            let value =
                type == .blob
                ? Base64.decode(urlSafe: text).map { Value.blob($0) } : type.value(ofText: text)
            guard let value else { return nil }
            values.append(value)
        }
        return key(values)
    }

    /// The path of a row.
    func path(of key: RowKey) -> String {
        "/v1/tables/\(PercentEncoding.encode(name))/" + text(of: key)
    }

    /// A key as a path has it: ASCII without control characters.
    func text(of key: RowKey) -> String {
        let texts = zip(primaryKey, key.values).map { column, value in
            // The other base64 has characters that paths use.
            if case .blob(let bytes) = value { return Base64.encode(urlSafe: bytes) }
            return AnsweredValue(value, of: columns[column].type).plainText ?? ""
        }
        return texts.map(PercentEncoding.encode).joined(separator: ",")
    }
}
