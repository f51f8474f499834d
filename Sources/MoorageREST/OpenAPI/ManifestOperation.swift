import MoorageCore

/// How rows of a client differ from the hub's.
struct ManifestOperation {
    private typealias Member = (name: String, value: DocumentPart)

    static let componentNames = ["Manifest", "Differences", "TableDifferences", "Difference"]

    private let tables: [DocumentTable]

    /// - Parameter tables: At least one.
    init(_ tables: [DocumentTable]) { self.tables = tables }

    var path: DocumentPart {
        let answer = DocumentAnswers.json("How the rows differ.", .schema("Differences"))
        let refusals = [404, 406, 409, 422] + DocumentAnswers.ofBodies
        return [
            "post": [
                "operationId": "manifest",
                "summary": "Tells how rows of a client differ from those that the user may see.",
                "description": """
                A request names \(ManifestBody.mostEntries) rows and \(ManifestBody.mostRanges) \
                ranges at most.
                """,
                "parameters": [],
                "requestBody": [
                    "required": true,
                    "content": [
                        "application/json": ["schema": .schema("Manifest"), "example": example]
                    ],
                ],
                "responses": .object(
                    [("200", answer)]
                        + DocumentAnswers.refusals(DocumentAnswers.ofAll + refusals)),
            ]
        ]
    }

    var components: [(name: String, value: DocumentPart)] {
        let members: [DocumentPart] = [
            manifest, Self.differences, Self.tableDifferences, Self.difference,
        ]
        return zip(Self.componentNames, members).map { (name: $0, value: $1) }
            + tables.map { ($0.componentName(.manifest), ManifestSchema($0).part) }
    }

    private var manifest: DocumentPart {
        let tables = self.tables.map { (name: $0.title, value: $0.schema(.manifest)) as Member }
        let most = DocumentPart.integer(Int64(ManifestBody.mostTables))
        return LenientSchema.object([
            ("tables", LenientSchema.object(tables).adding("maxProperties", most))
        ])
    }

    private var example: DocumentPart {
        let row: DocumentPart = [
            "key": ExampleValue(tables[0], use: .request).key, "version": "5f0c", "synced": true,
        ]
        let rows: DocumentPart = ["rows": [row]]
        return ["tables": .object([(tables[0].title, rows)])]
    }

    // MARK: Answers

    private static let differences: DocumentPart = [
        "type": "object",
        "properties": [
            "tables": ["type": "object", "additionalProperties": .schema("TableDifferences")]
        ],
        "required": ["tables"],
    ]

    private static let tableDifferences: DocumentPart = {
        let list: DocumentPart = ["type": "array", "items": .schema("Difference")]
        let sections = ManifestSection.allCases.map { (name: $0.rawValue, value: list) as Member }
        let rest: [Member] = [
            ("same", ["type": "integer", "minimum": 0]),
            ("next", ["description": "The last key that was compared; `null` at the end."]),
            ("ranges", ["type": "array", "items": rangeResult]),
        ]
        return [
            "type": "object",
            "description": "Here is the hub, and there is the client.",
            "properties": .object(sections + rest),
        ]
    }()

    private static let difference: DocumentPart = [
        "type": "object",
        "properties": [
            "key": [
                "description": "The value of the key's column, or an array for several columns."
            ],
            "version": ["type": "string", "description": "Of the hub's row, if there is one."],
        ],
        "required": ["key"],
    ]

    private static let rangeResult: DocumentPart = [
        "type": "object",
        "properties": [
            "result": ["type": "string", "enum": ["same", "differs", "unread"]],
            "rows": ["type": "integer", "minimum": 0, "description": "How many the hub has."],
        ],
        "required": ["result"],
    ]
}
