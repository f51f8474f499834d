import MoorageCore
import MoorageHub

/// The changes of a client that tracks nothing.
struct SynchroniseOperation {
    private typealias Member = (name: String, value: DocumentPart)

    static let componentNames = ["Synchronise", "Synchronised"]

    private let tables: [DocumentTable]

    /// - Parameter tables: At least one.
    init(_ tables: [DocumentTable]) { self.tables = tables }

    var path: DocumentPart {
        let parameters: [SharedParameter] = [.prefer, .idempotencyKey]
        let answer = DocumentAnswers.json(
            "What became of each change, and the rows that the request gets.",
            headers: [.preference], .schema("Synchronised"))
        let body: DocumentPart = [
            "required": true,
            "content": [
                "application/json": ["schema": .schema("Synchronise"), "example": example]
            ],
        ]
        let refusals = [404, 406, 409, 412, 422] + DocumentAnswers.ofBodies
        return [
            "post": [
                "operationId": "synchronise",
                "summary": "Carries out the changes of a client, and gets rows.",
                "description": """
                A request writes \(BatchBody.mostWrites) rows at most, and gets \
                \(SynchroniseBody.mostGets).
                """,
                "parameters": .list(parameters.map(\.reference)), "requestBody": body,
                "responses": .object(
                    [("200", answer)]
                        + DocumentAnswers.refusals(DocumentAnswers.ofAll + refusals)),
            ]
        ]
    }

    var components: [(name: String, value: DocumentPart)] {
        [("Synchronise", request), ("Synchronised", answer)] + tables.flatMap(components)
    }

    private func components(of table: DocumentTable) -> [Member] {
        var parts: [(DocumentNames.Component, DocumentPart)] = [
            (.edits, edits(of: table)), (.edited, edited(table)),
        ]
        if table.mayInsert { parts.append((.add, linked(to: table, .insert))) }
        if table.mayReplace {
            parts.append((.edit, linked(to: table, .update)))
            // Rows may be linked to these, but a document would have no end.
            parts.append((.linked, linked(to: table, .update, isLast: true)))
        }
        return parts.map { (table.componentName($0), $1) }
    }

    // MARK: Requests

    private var request: DocumentPart {
        let members = tables.map { (name: $0.title, value: $0.schema(.edits)) as Member }
        let most = DocumentPart.integer(Int64(ManifestBody.mostTables))
        return LenientSchema.object([
            (
                "atomic",
                [
                    "type": ["boolean", "null"], "default": false,
                    "description": """
                    Whether all changes are carried out or none. Otherwise each is carried out or \
                    refused by itself.
                    """,
                ]
            ), ("tables", LenientSchema.object(members).adding("maxProperties", most)),
        ])
    }

    private func edits(of table: DocumentTable) -> DocumentPart {
        let key = table.key(isNullable: false)
        let version: DocumentPart = [
            "type": ["string", "null"],
            "description": "The row is deleted if it is in this version.",
        ]
        let named: DocumentPart = [
            "type": "object", "properties": ["key": key, "version": version],
            "required": ["key"], "additionalProperties": false,
        ]
        let rows: DocumentPart = ["anyOf": [key, named]]
        var members: [Member] = []
        if table.mayInsert {
            members.append(("add", LenientSchema.list(of: table.schema(.add))))
        }
        if table.mayUpdate {
            members.append(("update", LenientSchema.list(of: table.schema(.edit))))
        }
        if table.mayDelete { members.append(("delete", LenientSchema.list(of: rows))) }
        members.append(("get", LenientSchema.list(of: rows)))
        members.append(("related", related(of: table)))
        return LenientSchema.object(members)
    }

    /// The related rows of those that the request gets.
    private func related(of table: DocumentTable) -> DocumentPart {
        let paths = RelationPaths(tables).all(of: table)
        if paths.isEmpty { return LenientSchema.nothing }
        // Fewer than a request may name, so that each may be as long as it can.
        return LenientSchema.list(
            of: ["enum": .texts(paths)], most: RelatedTree.mostNames / RowReader.mostLevels
        ).adding("description", "The related rows to get, as in a list.")
    }

    /// A row with its version, and with rows that are linked to it.
    ///
    /// - Parameter isLast: Whether those are rows without linked ones.
    private func linked(
        to table: DocumentTable, _ component: DocumentNames.Component, isLast: Bool = false
    ) -> DocumentPart {
        let relations = table.relations.compactMap { relation, other -> Member? in
            let other = tables.first { $0.name.hasSameBytes(as: other) }
            guard let other, other.mayReplace else { return nil }
            let row = other.schema(isLast ? .update : .linked)
            return (
                relation.name,
                relation.isMany
                    ? LenientSchema.list(of: row)
                    : LenientSchema.nullable(row)
            )
        }
        let related = LenientSchema.object(relations)
            .adding("description", "Rows that are written with this one, or not at all.")
        let own: [Member] = [
            ("$etag", component == .insert ? [:] : BatchOperation.etag), ("$related", related),
        ]
        return ["allOf": [table.schema(component), ["properties": .object(own)]]]
    }

    // MARK: Answers

    private var answer: DocumentPart {
        let members = tables.map { (name: $0.title, value: $0.schema(.edited)) as Member }
        return [
            "type": "object",
            "properties": ["tables": ["type": "object", "properties": .object(members)]],
            "required": ["tables"],
        ]
    }

    private func edited(_ table: DocumentTable) -> DocumentPart {
        let lists = ["add", "update", "delete", "get"]
        let result: DocumentPart = [
            "type": "array",
            "items": [
                "type": "object",
                "properties": [
                    "status": [
                        "type": "integer", "minimum": 200, "maximum": 499,
                        "description": "Of this row alone.",
                    ],
                    "row": table.schema(.row), "problem": .schema("Problem"),
                    "$related": [
                        "type": "object",
                        "description": "What became of the rows that are linked to it.",
                    ],
                ],
                "required": ["status"],
            ],
        ]
        return [
            "type": "object", "properties": .object(lists.map { ($0, result) }),
            "required": .texts(lists),
        ]
    }

    // MARK: Example

    /// A row that a client gets: it changes nothing.
    private var example: DocumentPart {
        let changes: DocumentPart = ["get": [ExampleValue(tables[0], use: .request).key]]
        return ["tables": .object([(tables[0].title, changes)])]
    }
}
