/// Schemas of lists and objects that clients may leave out, or write as the other one without
/// anything in it (docs/reference/stateless-sync.md, Nothing).
enum LenientSchema {
    /// What says as much as a member that is missing.
    static let nothing: DocumentPart = [
        "type": ["array", "object", "null"], "maxItems": 0, "maxProperties": 0,
    ]

    /// - Parameter most: Of this list alone; `nil` where a limit is that of the whole request.
    static func list(of items: DocumentPart, most: Int? = nil) -> DocumentPart {
        let list: DocumentPart = [
            "type": ["array", "object", "null"], "items": items, "maxProperties": 0,
        ]
        return list.adding("maxItems", most.map { .integer(Int64($0)) })
    }

    /// An object of these members and no others.
    static func object(_ members: [(name: String, value: DocumentPart)]) -> DocumentPart {
        [
            "type": ["object", "array", "null"], "properties": .object(members),
            "additionalProperties": false, "maxItems": 0,
        ]
    }

    static func nullable(_ part: DocumentPart) -> DocumentPart {
        ["anyOf": [part, ["type": "null"]]]
    }

    /// Objects that have all these members with such values.
    static func having(_ members: [(name: String, value: DocumentPart)]) -> DocumentPart {
        ["properties": .object(members), "required": .texts(members.map(\.name))]
    }
}
