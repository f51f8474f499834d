import MoorageCore

/// The source of one record.
struct RecordSource {
    let model: RecordModel
    let options: ModelOptions

    private var access: String { options.access.prefix }

    func write(to source: inout SourceText) {
        writeComment(to: &source)
        // A module may isolate its types to the main actor. Records belong to every task.
        source.block("nonisolated \(access)struct \(model.name): \(protocols)") { source in
            let name = SourceText.literal(model.table.names[0])
            source.line("\(access)static let databaseTableName = \(name)")
            source.line()
            for property in model.properties { write(property, to: &source) }
            if let key = model.key, key.name != "id", model.isIdentifiable {
                source.line()
                source.line("\(access)var id: \(typeName(key)) { self.\(escaped(key)) }")
            }
            source.line()
            writeInitializer(to: &source)
            writeColumns(to: &source)
            writeForeignKeys(to: &source)
            writeAssociations(to: &source)
            for labels in model.labels {
                source.line()
                LabelSource(labels: labels, access: access).write(to: &source)
            }
        }
        source.line()
        writeCoding(to: &source)
    }

    private func writeComment(to source: inout SourceText) {
        if let comment = model.comment {
            source.comment(comment)
        } else {
            source.comment("A row of `\(model.table.names[0])`.")
        }
        let note =
            switch model.table.direction {
            case .both: ""
            case .down: "The rows come from the hub, and the app cannot change them."
            case .downReverting:
                "The rows come from the hub, and the next sync undoes the app's changes."
            case .up: "The rows go to the hub, and none come from it."
            }
        guard !note.isEmpty else { return }
        source.line("///")
        source.comment(note)
    }

    private var protocols: String {
        var names = ["Codable", "Hashable", "Sendable", "FetchableRecord"]
        if model.isIdentifiable { names.insert("Identifiable", at: 2) }
        if !model.isWritable {
            names.append("TableRecord")
        } else if model.chosenKey != nil {
            names.append("MutablePersistableRecord")
        } else {
            names.append("PersistableRecord")
        }
        return names.joined(separator: ", ")
    }

    // MARK: Properties

    private func escaped(_ property: RecordModel.Property) -> String {
        SwiftNames.escaped(property.name)
    }

    private func typeName(_ property: RecordModel.Property) -> String {
        property.type.name + (property.isOptional ? "?" : "")
    }

    private func write(_ property: RecordModel.Property, to source: inout SourceText) {
        for note in property.notes { source.comment(note) }
        source.line("\(access)var \(escaped(property)): \(typeName(property))")
    }

    private func writeInitializer(to source: inout SourceText) {
        source.line("\(access)init(")
        source.indented { source in
            for (place, property) in model.properties.enumerated() {
                let initial = property.initial.map { " = \($0)" } ?? ""
                let end = place + 1 < model.properties.count ? "," : ""
                source.line("\(escaped(property)): \(typeName(property))\(initial)\(end)")
            }
        }
        source.block(")") { source in
            for property in model.properties {
                source.line("self.\(escaped(property)) = \(escaped(property))")
            }
        }
    }

    private func writeColumns(to source: inout SourceText) {
        source.line()
        source.comment("The columns, for requests.")
        source.block("\(access)enum Columns") { source in
            for property in model.properties {
                let name = SourceText.literal(property.column.names[0])
                source.line("\(access)static let \(escaped(property)) = Column(\(name))")
            }
        }
    }

    // MARK: Associations

    private func writeForeignKeys(to source: inout SourceText) {
        guard !model.references.isEmpty else { return }
        source.line()
        source.comment("The foreign keys, for associations.")
        source.block("\(access)enum ForeignKeys") { source in
            for reference in model.references {
                let columns = list(reference.columns)
                let references = list(reference.referencedColumns)
                source.line(
                    "\(access)static let \(SwiftNames.escaped(reference.name)) = GRDB.ForeignKey(")
                source.indented { $0.line("\(columns), to: \(references))") }
            }
        }
    }

    private func list(_ names: [String]) -> String {
        "[" + names.map(SourceText.literal).joined(separator: ", ") + "]"
    }

    private func writeAssociations(to source: inout SourceText) {
        for reference in model.references {
            source.line()
            source.comment("The `\(reference.type)` that the row refers to.")
            writeAssociation(
                reference.name, "BelongsToAssociation<\(model.name), \(reference.type)>",
                "belongsTo(\(reference.type).self", using: "ForeignKeys", reference.name,
                to: &source)
        }
        for inverse in model.inverses {
            source.line()
            let kind = inverse.isOne ? "HasOneAssociation" : "HasManyAssociation"
            source.comment(
                inverse.isOne
                    ? "The `\(inverse.type)` that refers to the row."
                    : "Each `\(inverse.type)` that refers to the row.")
            writeAssociation(
                inverse.name, "\(kind)<\(model.name), \(inverse.type)>",
                "\(inverse.isOne ? "hasOne" : "hasMany")(\(inverse.type).self",
                using: "\(inverse.type).ForeignKeys", inverse.reference, to: &source)
        }
    }

    private func writeAssociation(
        _ name: String, _ type: String, _ call: String, using keys: String, _ key: String,
        to source: inout SourceText
    ) {
        source.block("\(access)static var \(SwiftNames.escaped(name)): \(type)") { source in
            source.line("\(call), using: \(keys).\(SwiftNames.escaped(key)))")
            source.indented { $0.line(".forKey(\(SourceText.literal(name)))") }
        }
    }

    // MARK: Reading and writing

    private func writeCoding(to source: inout SourceText) {
        source.block("nonisolated extension \(model.name)") { source in
            source.block("\(access)enum CodingKeys: String, CodingKey") { source in
                for property in model.properties {
                    let name = SourceText.literal(property.column.names[0])
                    source.line("case \(escaped(property)) = \(name)")
                }
            }
            source.line()
            source.block("\(access)init(row: GRDB.Row) throws") { source in
                for property in model.properties {
                    let name = SourceText.literal(property.column.names[0])
                    let read = property.type.isExact ? "decode(forColumn: " : "exactly("
                    source.line("\(escaped(property)) = try row.\(read)\(name))")
                }
            }
            guard model.isWritable else { return }
            source.line()
            let container = "container: inout PersistenceContainer"
            source.block("\(access)func encode(to \(container)) throws") { source in
                for property in model.properties where property.isWritten {
                    let name = SourceText.literal(property.column.names[0])
                    source.line("container[\(name)] = \(escaped(property))")
                }
            }
            if let key = model.chosenKey {
                source.line()
                source.comment("SQLite chose the key, if nobody else did.")
                source.block("\(access)mutating func didInsert(_ inserted: InsertionSuccess)") {
                    let isChosen = "self.\(escaped(key)) == nil, inserted.rowIDColumn != nil"
                    $0.line("if \(isChosen) { self.\(escaped(key)) = inserted.rowID }")
                }
            }
        }
    }
}
