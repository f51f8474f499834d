package import MoorageCore

/// A hub's tables as a file beside an app's sources: what `moorage schema` writes, and what code
/// generators read (decision 0110).
package struct SchemaFile: Hashable, Sendable {
    package let schema: SchemaDescription
    /// By table; a table without details is missing.
    package let details: [Identifier: TableDetails]

    package init(schema: SchemaDescription, details: [Identifier: TableDetails]) {
        self.schema = schema
        self.details = details.filter { $0.value != TableDetails() }
    }

    package init(_ answer: SchemaAnswer) {
        self.init(schema: answer.schema, details: answer.details)
    }

    /// The name of the file, unless a command gets another one.
    package static let defaultName = "moorage.schema.json"
    /// The version of the file's form.
    package static let format: Int64 = 1
    /// The most bytes of a file that a command or a build reads.
    package static let maximumBytes = 64 << 20
}
