package import MoorageWire

extension SchemaFile {
    /// What all records read with.
    private func writeReading(to source: inout SourceText) {
        source.block("nonisolated extension GRDB.Row") { source in
            source.comment("A value that the record would write as it is.")
            source.comment("- Throws: `DatabaseError` if the column contains one of another type.")
            let head = "fileprivate func exactly<Value: DatabaseValueConvertible>"
            source.block(head + "(_ column: String) throws -> Value") { source in
                source.line("let stored = try decode(DatabaseValue.self, forColumn: column)")
                source.line("if let value = Value.fromDatabaseValue(stored) {")
                source.indented { source in
                    source.line("if value.databaseValue == stored { return value }")
                    source.line("// Each integer but 0 is true.")
                    source.line("if value is Bool, case .int64 = stored.storage { return value }")
                }
                source.line("}")
                source.line("throw DatabaseError(")
                source.indented { source in
                    source.line("resultCode: .SQLITE_MISMATCH,")
                    source.line(
                        "message: \"The column \\(column) contains a value of another type.\")")
                }
            }
        }
    }

    /// Swift source with a record for each table. The same file and options give the same bytes.
    package func swiftModels(_ options: ModelOptions = ModelOptions()) -> String {
        let models = RecordModels(self, options.uuids)
        var source = SourceText()
        source.line(
            "// Made by `moorage generate swift` from \(SchemaFile.defaultName). Do not edit.")
        source.line("// Signature: \(signature)")
        source.line("// swift-format-ignore-file")
        source.line()
        let types = models.records.flatMap(\.properties).map(\.type)
        let modifier = options.access == .internal ? "" : options.access.prefix
        if types.contains(where: \.isFoundations) { source.line("\(modifier)import Foundation") }
        source.line("\(modifier)import GRDB")
        if types.contains(where: \.isMoorages) { source.line("\(modifier)import Moorage") }
        for record in models.records {
            source.line()
            RecordSource(model: record, options: options).write(to: &source)
        }
        source.line()
        writeReading(to: &source)
        return source.text
    }
}
