package import MoorageWire

extension SchemaFile {
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
        return source.text
    }
}
