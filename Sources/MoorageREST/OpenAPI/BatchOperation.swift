import MoorageCore

/// Writes to any tables in one request.
struct BatchOperation {
    private typealias Member = (name: String, value: DocumentPart)

    /// The tables that a user may write.
    private let tables: [DocumentTable]

    init(_ tables: [DocumentTable]) { self.tables = tables.filter(\.mayWrite) }

    /// `nil` for a user who may write nothing.
    var path: DocumentPart? {
        guard let first = tables.first else { return nil }
        let parameters: [SharedParameter] = [.prefer, .idempotencyKey]
        let refusals = [404, 406, 409, 412, 422] + DocumentAnswers.ofBodies
        let answer = DocumentAnswers.json(
            "What became of each write.", headers: [.preference], .schema("BatchResults"))
        return [
            "post": [
                "operationId": "batch", "summary": "Carries out several writes to any tables.",
                "parameters": .list(parameters.map(\.reference)),
                "requestBody": [
                    "required": true,
                    "content": [
                        "application/json": [
                            "schema": .schema("Batch"), "example": example(of: first),
                        ]
                    ],
                ],
                "responses": .object(
                    [("200", answer)]
                        + DocumentAnswers.refusals(DocumentAnswers.ofAll + refusals)),
            ]
        ]
    }

    var components: [(name: String, value: DocumentPart)] {
        if tables.isEmpty { return [] }
        let rows = tables.map { $0.schema(.row) }
        return [
            ("Batch", batch),
            ("BatchResults", RowComponents.results(row: ["anyOf": .list(rows)])),
        ] + tables.map { ($0.componentName(.operation), operation(on: $0)) }
    }

    private var batch: DocumentPart {
        [
            "type": "object",
            "properties": [
                "atomic": [
                    "type": ["boolean", "null"], "default": true,
                    "description": """
                    Whether all are carried out or none. Otherwise each is carried out or refused \
                    by itself.
                    """,
                ],
                "operations": [
                    "type": "array", "maxItems": .integer(Int64(BatchBody.mostWrites)),
                    "items": ["oneOf": .list(tables.map { $0.schema(.operation) })],
                ],
            ],
            "required": ["operations"], "additionalProperties": false,
        ]
    }

    private func operation(on table: DocumentTable) -> DocumentPart {
        let key: Member = ("key", table.key(isNullable: true))
        let changed: Member = ("row", versioned(table.schema(.update)))
        let named = keyNamed(by: table)
        var choices: [DocumentPart] = []
        if table.mayInsert {
            choices.append(operation("insert", table, [("row", table.schema(.insert))]))
        }
        if table.mayUpdate {
            choices.append(operation("update", table, [changed], optional: [key]).adding(named))
        }
        if table.mayReplace {
            let whole: Member = ("row", versioned(table.schema(.replace)))
            // The hub makes the key of a new row.
            let condition = table.isKeyMade ? [:] : named
            choices += [
                operation("upsert", table, [changed], optional: [key]).adding(condition),
                operation("replace", table, [whole], optional: [key]).adding(condition),
            ]
        }
        if table.mayDelete {
            let key: Member = ("key", table.key(isNullable: false))
            choices.append(operation("delete", table, [key], optional: [("row", Self.version)]))
        }
        return ["oneOf": .list(choices)]
    }

    private func operation(
        _ name: String, _ table: DocumentTable, _ members: [Member], optional: [Member] = []
    ) -> DocumentPart {
        let head: [Member] = [
            ("op", ["const": .text(name)]), ("table", ["const": .text(table.title)]),
        ]
        return [
            "type": "object", "properties": .object(head + members + optional),
            "required": .texts((head + members).map(\.name)), "additionalProperties": false,
        ]
    }

    // MARK: Keys and versions

    /// The operation or its row has the key.
    private func keyNamed(by table: DocumentTable) -> DocumentPart {
        let names = DocumentPart.texts(table.description.keyNames)
        return [
            "anyOf": [
                ["required": ["key"], "properties": ["key": ["not": ["type": "null"]]]],
                ["properties": ["row": ["required": names]]],
            ]
        ]
    }

    /// A row with the version in which it must be.
    private func versioned(_ row: DocumentPart) -> DocumentPart {
        ["allOf": [row, ["properties": ["$etag": Self.etag]]]]
    }

    static let etag: DocumentPart = [
        "type": ["string", "null"],
        "description": "The write is carried out if the row is in this version.",
    ]

    /// A row that names nothing but its version.
    private static let version: DocumentPart = [
        "type": "object", "properties": ["$etag": etag], "patternProperties": ["^\\$": [:]],
        "additionalProperties": false,
    ]

    // MARK: Example

    /// A write that changes nothing where there is no such row.
    private func example(of table: DocumentTable) -> DocumentPart {
        let values = ExampleValue(table, use: .request)
        let keyed: [Member] = [("table", .text(table.title)), ("key", values.key)]
        let operation: [Member]
        if table.mayUpdate {
            let row = values.row(Array(table.updatable.prefix(1)))
            operation = [("op", "update")] + keyed + [("row", row)]
        } else if table.mayDelete {
            operation = [("op", "delete")] + keyed
        } else {
            let row = values.row(table.description.primaryKey)
            operation = [("op", "upsert"), ("table", .text(table.title)), ("row", row)]
        }
        return ["atomic": false, "operations": [.object(operation)]]
    }
}
