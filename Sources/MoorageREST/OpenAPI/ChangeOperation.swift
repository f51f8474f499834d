import MoorageCore

/// Reading what changes in any tables.
struct ChangeOperation {
    /// The tables that a user may read.
    private let tables: [DocumentTable]
    /// Whether the hub also answers events.
    private let hasEvents: Bool

    init(_ tables: [DocumentTable], hasEvents: Bool) {
        self.tables = tables
        self.hasEvents = hasEvents
    }

    /// `nil` for a user who may read nothing.
    var path: DocumentPart? {
        if tables.isEmpty { return nil }
        var parameters = [since, limit]
        if let named { parameters.insert(named, at: 1) }
        if hasEvents { parameters.append(lastID) }
        return [
            "get": [
                "operationId": "changes",
                "summary":
                    "Reads inserts, updates and deletes, in the order of their transactions.",
                "parameters": .list(parameters),
                "responses": .object(
                    [("200", answer)]
                        + DocumentAnswers.refusals(DocumentAnswers.ofAll + [404, 406, 409, 410])),
            ]
        ]
    }

    var components: [(name: String, value: DocumentPart)] {
        if tables.isEmpty { return [] }
        return [("Changes", page)]
            + tables.map { ($0.componentName(.change), change(of: $0)) }
    }

    // MARK: Answers

    private var answer: DocumentPart {
        var content: [(type: String, schema: DocumentPart)] = [
            (MediaType.json.rawValue, .schema("Changes"))
        ]
        if hasEvents { content.append((MediaType.events.rawValue, Self.events)) }
        return DocumentAnswers.answer(
            "A page of changes" + (hasEvents ? ", or all of them as they come." : "."),
            content: content)
    }

    private static let events: DocumentPart = [
        "type": "string",
        "description": """
        Server-sent events without end. The `data` of an event `change` is one of the `changes` of \
        a page. With the event `caughtUp` there is nothing more now. An `id` is the position \
        behind everything before it.
        """,
    ]

    private var page: DocumentPart {
        [
            "type": "object",
            "properties": [
                "changes": [
                    "type": "array",
                    "maxItems": .integer(Int64(ChangeParameters.limits.upperBound)),
                    "items": ["oneOf": .list(tables.map { $0.schema(.change) })],
                ],
                "next": [
                    "type": "string", "pattern": .text(Self.position),
                    "description": "The value of `since` for the next page.",
                ],
                "more": [
                    "type": "boolean",
                    "description": "Whether the next page may have something at once.",
                ],
            ],
            "required": ["changes", "next", "more"],
        ]
    }

    private func change(of table: DocumentTable) -> DocumentPart {
        let types = table.description.primaryKey.map { table.columns[$0].type }
        let count = DocumentPart.integer(Int64(types.count))
        let key: DocumentPart = [
            "type": "array",
            "prefixItems": .list(types.map { ValueSchema(type: $0, use: .answer).part }),
            "minItems": count, "maxItems": count,
        ]
        func change(_ kinds: DocumentPart, _ others: DocumentPart = [:]) -> DocumentPart {
            let properties: DocumentPart = [
                "table": ["const": .text(table.title)], "op": kinds, "key": key,
            ]
            return ["type": "object", "properties": properties.adding(others)]
        }
        let required = ["table", "op", "key"]
        return [
            "oneOf": [
                change(["enum": ["insert", "update"]], ["row": table.schema(.row)])
                    .adding("required", .texts(required + ["row"])),
                change(["const": "delete"]).adding("required", .texts(required)),
            ]
        ]
    }

    // MARK: Parameters

    private static let position = "^[A-Za-z0-9_-]+$"

    private var since: DocumentPart {
        SharedParameter.query(
            "since",
            """
            The `next` of the page before. Without it, the first page begins with every row. `now` \
            leaves the rows out.
            """, ["type": "string", "pattern": .text(Self.position)], example: "now")
    }

    /// `nil` where no table can be named.
    private var named: DocumentPart? {
        let names = tables.filter { !$0.title.isEmpty }.map { NameReading.written($0.title) }
        guard let first = names.first else { return nil }
        return SharedParameter.list(
            "tables", "The tables whose changes to read; all without it.",
            [
                "type": "array", "minItems": 1,
                "maxItems": .integer(Int64(ChangeParameters.mostTables)),
                "items": ["type": "string", "enum": .texts(names)],
            ], example: [first])
    }

    private var limit: DocumentPart {
        SharedParameter.query(
            "limit", "Changes of a page.",
            [
                "type": "integer", "minimum": .integer(Int64(ChangeParameters.limits.lowerBound)),
                "maximum": .integer(Int64(ChangeParameters.limits.upperBound)),
                "default": .integer(Int64(ChangeParameters.usualLimit)),
            ], example: 50)
    }

    private var lastID: DocumentPart {
        SharedParameter.header(
            "Last-Event-ID",
            "For events: the last `id` that came. It counts instead of `since`, unless it is empty.",
            ["type": "string"])
    }
}
