import MoorageCore
import MoorageHub

/// The parameters that are the same for every table.
enum SharedParameter: String, CaseIterable {
    case limit = "Limit"
    case after = "After"
    case count = "Count"
    case upsert = "Upsert"
    case atomic = "Atomic"
    case ifMatch = "IfMatch"
    case ifNoneMatch = "IfNoneMatch"
    case prefer = "Prefer"
    case idempotencyKey = "IdempotencyKey"

    var reference: DocumentPart { .component("parameters", rawValue) }

    var part: DocumentPart {
        switch self {
        case .limit:
            return Self.query(
                "limit", "Rows of a page.",
                [
                    "type": "integer", "minimum": .integer(Int64(ListRequest.limits.lowerBound)),
                    "maximum": .integer(Int64(ListRequest.limits.upperBound)),
                    "default": .integer(Int64(ListRequest.usualLimit)),
                ], example: 50)
        case .after:
            return Self.query(
                "after", "The `next` of the page before.",
                ["type": "string", "pattern": "^[A-Za-z0-9_-]+$"])
        case .count:
            return Self.query(
                "count", "Whether to count the rows of all pages, up to \(RowReader.mostCounted).",
                ["type": "boolean", "default": false], example: true)
        case .upsert:
            return Self.query(
                "upsert", "Whether to change the rows that exist already.",
                ["type": "boolean", "default": false], example: true)
        case .atomic:
            return Self.query(
                "atomic",
                """
                For several rows: whether all are written or none. Otherwise each is written or \
                refused by itself, and the status is 200.
                """, ["type": "boolean", "default": true], example: false)
        case .ifMatch:
            return Self.header(
                "If-Match",
                "The request is carried out if the row is in one of these versions. `*` is any.",
                Self.versions)
        case .ifNoneMatch:
            return Self.header(
                "If-None-Match",
                """
                A write is carried out if the row is in none of these versions, or with `*` if \
                there is no such row. A read answers 304 if the row is in one of them.
                """, Self.versions)
        case .prefer:
            return Self.header(
                "Prefer", "With `return=minimal` the answer has no row.", ["type": "string"],
                example: "return=representation")
        case .idempotencyKey:
            let inner = RequestName.mostCharacters - 2
            return Self.header(
                "Idempotency-Key",
                "Names the request. It is carried out once in 24 hours by this name.",
                ["type": "string", "pattern": "^[!-~]([ -~]{0,\(inner)}[!-~])?$"])
        }
    }

    private static let versions: DocumentPart = [
        "type": "string",
        "pattern": #"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#,
    ]

    static func query(
        _ name: String, _ description: String, _ schema: DocumentPart,
        example: DocumentPart? = nil
    ) -> DocumentPart {
        parameter(name, in: "query", description, schema).adding("example", example)
    }

    /// A list of names with commas between them.
    static func list(
        _ name: String, _ description: String, _ schema: DocumentPart, example: [String]
    ) -> DocumentPart {
        parameter(name, in: "query", description, schema)
            .adding(["style": "form", "explode": false, "example": .texts(example)])
    }

    static func header(
        _ name: String, _ description: String, _ schema: DocumentPart,
        example: DocumentPart? = nil
    ) -> DocumentPart {
        parameter(name, in: "header", description, schema).adding("example", example)
    }

    private static func parameter(
        _ name: String, in place: String, _ description: String, _ schema: DocumentPart
    ) -> DocumentPart {
        [
            "name": .text(name), "in": .text(place), "description": .text(description),
            "schema": schema,
        ]
    }
}
