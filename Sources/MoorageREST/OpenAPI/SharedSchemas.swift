/// The schemas that belong to no table.
enum SharedSchemas {
    /// RFC 9457.
    static let problem: DocumentPart = [
        "type": "object", "description": "Why a request is not carried out (RFC 9457).",
        "properties": [
            "type": ["type": "string", "format": "uri", "description": "The code as a URN."],
            "title": ["type": "string"],
            "status": ["type": "integer", "minimum": 400, "maximum": 599],
            "code": ["type": "string", "description": "What a program can compare."],
            "detail": ["type": "string", "description": "What to do, for a person."],
            "results": [
                "type": "array",
                "description": "Of a batch that was not carried out: why not each of its writes.",
                "items": [
                    "type": "object",
                    "properties": [
                        "status": [
                            "type": "integer", "minimum": 400, "maximum": 499,
                            "description": "424 for a write that was not at fault.",
                        ],
                        "problem": .schema("Problem"),
                    ],
                    "required": ["status", "problem"],
                ],
            ],
            "tables": [
                "type": "object",
                "description": "Of changes that were not carried out: why not each of them.",
                "additionalProperties": ["type": "object"],
            ],
        ],
        "required": ["type", "title", "status", "code", "detail"],
    ]

    /// What `GET /v1/tables` answers.
    static let tables: DocumentPart = [
        "type": "object",
        "properties": [
            "version": ["type": "string", "description": "Equal exactly when the tables are."],
            "tables": ["type": "array", "items": table],
        ],
        "required": ["version", "tables"],
    ]

    private static let texts: DocumentPart = ["type": "array", "items": ["type": "string"]]

    private static let table: DocumentPart = [
        "type": "object",
        "properties": [
            "name": ["type": "string"],
            "columns": [
                "type": "array",
                "items": [
                    "type": "object",
                    "properties": [
                        "name": ["type": "string"], "type": ["type": "string"],
                        "nullable": ["type": "boolean"], "readOnly": ["type": "boolean"],
                    ],
                    "required": ["name", "type", "nullable", "readOnly"],
                ],
            ],
            "key": texts,
            "relations": [
                "type": "array",
                "items": [
                    "type": "object",
                    "properties": [
                        "name": ["type": "string"], "table": ["type": "string"],
                        "many": ["type": "boolean"],
                    ],
                    "required": ["name", "table", "many"],
                ],
            ],
            "suspended": ["type": "boolean"],
            "rights": [
                "type": "object",
                "properties": [
                    "insert": ["type": ["array", "null"], "items": ["type": "string"]],
                    "update": texts, "delete": ["type": "boolean"],
                ],
                "required": ["insert", "update", "delete"],
            ],
        ],
        "required": ["name", "columns", "key", "relations", "rights"],
    ]
}
