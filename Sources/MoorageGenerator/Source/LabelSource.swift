import MoorageCore

/// The source of the enumeration of a column's labels.
struct LabelSource {
    let labels: RecordModel.Labels
    let access: String

    func write(to source: inout SourceText) {
        source.comment("What `\(labels.column)` may be.")
        let protocols =
            "RawRepresentable, Codable, Hashable, Sendable, DatabaseValueConvertible"
        source.block("\(access)enum \(labels.name): \(protocols)") { source in
            for label in labels.cases {
                source.line("case \(SwiftNames.escaped(label.name))")
            }
            source.comment("A label that this version of the app does not know.")
            source.line("case unrecognized(String)")
            source.line()
            source.comment("All labels that this version of the app knows.")
            source.line("\(access)static let known: [\(labels.name)] = [")
            source.indented { source in
                for label in labels.cases { source.line(".\(SwiftNames.escaped(label.name)),") }
            }
            source.line("]")
            source.line()
            source.block("\(access)init(rawValue: String)") { source in
                // A string's `==` takes two spellings of one character for the same.
                source.line("self =")
                source.indented { source in
                    source.line(
                        "Self.known.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }")
                    source.line("?? .unrecognized(rawValue)")
                }
            }
            source.line()
            source.block("\(access)var rawValue: String") { source in
                source.line("switch self {")
                for label in labels.cases {
                    source.line(
                        "case .\(SwiftNames.escaped(label.name)): "
                            + SourceText.literal(label.label))
                }
                source.line("case .unrecognized(let label): label")
                source.line("}")
            }
        }
    }
}
