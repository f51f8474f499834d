import MoorageCore
import MoorageHub
import MoorageWire

/// What one user may do with the tables, as OpenAPI 3.1 describes it. The same tables and rights
/// give the same bytes, in whatever order a database reports the tables.
struct OpenAPIDocument {
    private let tables: [DocumentTable]
    private let schema: RowSchema
    private let hasEvents: Bool

    /// - Parameters:
    ///   - details: What the owner says of the tables, by name.
    ///   - hasEvents: Whether changes also come as events.
    init(_ schema: RowSchema, details: [Identifier: TableDetails], hasEvents: Bool) {
        self.schema = schema
        self.hasEvents = hasEvents
        let offered = schema.offered.sorted { Identifier($0.name) < Identifier($1.name) }
        var names = DocumentNames(reserved: Self.ownComponents)
        var components: [Identifier: String] = [:]
        for table in offered {
            components[Identifier(table.name)] = names.name(for: table.name)
        }
        tables = offered.map { table in
            let relations = schema.offeredRelations(of: table).compactMap { relation in
                components[Identifier(relation.table)].map { (relation: relation, other: $0) }
            }
            return DocumentTable(
                table, name: components[Identifier(table.name)] ?? "", relations: relations,
                details: details[Identifier(table.name)])
        }
    }

    /// Components that belong to no table.
    private static let ownComponents =
        ["Problem", "Tables", "Changes", "Batch", "BatchResults"] + ManifestOperation.componentNames
        + SynchroniseOperation.componentNames

    func encoded() -> [UInt8] { JSONWriter.document { part.write(to: &$0) } }

    private var part: DocumentPart {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Moorage", "version": "1",
                "description": """
                The tables that one user may read, and what the user may do with their rows. A \
                request may also use other names of tables and columns, and other forms of times. \
                In SQLite, a column may have a value that is not of its type.
                """,
            ],
            "security": [["bearer": []]],
            "tags": .list(tables.map(tag)), "paths": .object(paths),
            "components": [
                "schemas": .object(schemas), "responses": DocumentAnswers.components,
                "headers": DocumentAnswers.headers,
                "parameters": .object(
                    SharedParameter.allCases.map { (name: $0.rawValue, value: $0.part) }),
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "A token of the user, or an API key.",
                    ]
                ],
            ],
        ]
    }

    private func tag(_ table: DocumentTable) -> DocumentPart {
        let tag: DocumentPart = ["name": .text(table.title)]
        return tag.adding("description", table.comment.map { .text($0) })
    }

    // MARK: Paths

    private var paths: [(name: String, value: DocumentPart)] {
        var paths: [(name: String, value: DocumentPart)] = [
            ("/v1/openapi.json", ["get": document]), ("/v1/tables", ["get": listing]),
        ]
        if let path = changes.path { paths.append(("/v1/changes", path)) }
        if let batch = BatchOperation(tables).path { paths.append(("/v1/batch", batch)) }
        if !tables.isEmpty {
            paths.append(("/v1/manifest", ManifestOperation(tables).path))
            paths.append(("/v1/synchronise", SynchroniseOperation(tables).path))
        }
        let relations = RelationPaths(tables)
        for table in tables {
            let parameters = TableParameters(table: table, related: relations.all(of: table))
            paths += TableOperations(table: table, parameters: parameters).paths
        }
        return paths
    }

    private var changes: ChangeOperation { ChangeOperation(tables, hasEvents: hasEvents) }

    private var document: DocumentPart {
        let conditions: [SharedParameter] = [.ifMatch, .ifNoneMatch]
        return Self.operation(
            "document", "Reads this document.", conditions.map(\.reference),
            answers: [
                (
                    "200",
                    DocumentAnswers.json("This document.", headers: [.etag], ["type": "object"])
                ),
                (
                    "304",
                    DocumentAnswers.answer(
                        "The document is still in that version.", headers: [.etag])
                ),
            ], refusals: [406, 412])
    }

    private var listing: DocumentPart {
        Self.operation(
            "tables", "Lists the tables with their columns and rights.", [],
            answers: [("200", DocumentAnswers.json("The tables.", .schema("Tables")))],
            refusals: [406])
    }

    private static func operation(
        _ id: String, _ summary: String, _ parameters: [DocumentPart],
        answers: [(name: String, value: DocumentPart)], refusals: [Int]
    ) -> DocumentPart {
        [
            "operationId": .text(id), "summary": .text(summary), "parameters": .list(parameters),
            "responses": .object(
                answers + DocumentAnswers.refusals(DocumentAnswers.ofAll + refusals)),
        ]
    }

    // MARK: Components

    private var schemas: [(name: String, value: DocumentPart)] {
        [("Problem", SharedSchemas.problem), ("Tables", SharedSchemas.tables)]
            + changes.components + BatchOperation(tables).components
            + (tables.isEmpty ? [] : ManifestOperation(tables).components)
            + (tables.isEmpty ? [] : SynchroniseOperation(tables).components)
            + tables.flatMap { RowComponents(table: $0).parts }
    }
}
