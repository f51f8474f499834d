import MoorageCore
import MoorageHub

/// The schemas of a table's rows: as answers have them, and as requests may.
struct RowComponents {
    let table: DocumentTable

    /// By name, in an order that depends on nothing but the user's rights.
    var parts: [(name: String, value: DocumentPart)] {
        var parts: [(DocumentNames.Component, DocumentPart)] = [
            (.row, row), (.part, part), (.page, page),
        ]
        if table.mayInsert { parts += [(.insert, insert), (.results, results)] }
        if table.mayReplace { parts += [(.replace, replace), (.update, update(.request))] }
        if hasMergePatch { parts.append((.mergePatch, update(.mergePatch))) }
        return parts.map { (table.componentName($0), $1) }
    }

    /// Whether a merge patch is not the same as another change of columns.
    private var hasMergePatch: Bool {
        table.mayUpdate && table.columns.contains { $0.type == .json && !$0.isGenerated }
    }

    var mergePatch: DocumentPart { table.schema(hasMergePatch ? .mergePatch : .update) }

    // MARK: Answers

    /// A whole row. It repeats what ``part`` says, because generators of clients follow no `allOf`
    /// through tables that refer to each other.
    private var row: DocumentPart { answer(required: table.columns.map(\.name)) }

    /// A row with the columns that a request asked for.
    private var part: DocumentPart { answer(required: []) }

    private func answer(required: [String]) -> DocumentPart {
        var properties: [(name: String, value: DocumentPart)] = []
        for (column, description) in table.columns.enumerated() {
            let values = table.values(of: column, .answer)
            properties.append(
                (description.name, values.adding("readOnly", description.isGenerated ? true : nil)))
        }
        properties.append(
            ("$etag", ["type": "string", "description": "The version of the row."]))
        if !table.relations.isEmpty { properties.append(("$related", related)) }
        let head: DocumentPart = ["type": "object"]
        return head.adding("description", table.comment.map { .text($0) })
            .adding([
                "properties": .object(properties), "required": .texts(required + ["$etag"]),
            ])
    }

    private var related: DocumentPart {
        let properties = table.relations.map { relation, other in
            let row = DocumentPart.schema(other)
            let value: DocumentPart =
                relation.isMany
                ? ["type": "array", "items": row] : ["anyOf": [row, ["type": "null"]]]
            return (name: relation.name, value: value)
        }
        return [
            "type": "object", "description": "The related rows that were asked for.",
            "properties": .object(properties),
        ]
    }

    private var page: DocumentPart {
        [
            "type": "object",
            "properties": [
                "rows": ["type": "array", "items": table.schema(.part)],
                "next": [
                    "type": ["string", "null"],
                    "description": "The value of `after` for the next page.",
                ],
                "count": [
                    "type": "integer", "minimum": 0,
                    "maximum": .integer(Int64(RowReader.mostCounted)),
                    "description": "How many rows all pages have.",
                ],
            ],
            "required": ["rows", "next"],
        ]
    }

    private var results: DocumentPart { Self.results(row: table.schema(.row)) }

    /// What became of each write of a request.
    static func results(row: DocumentPart) -> DocumentPart {
        [
            "type": "object",
            "properties": [
                "results": [
                    "type": "array",
                    "items": [
                        "type": "object",
                        "properties": [
                            "status": [
                                "type": "integer", "minimum": 200, "maximum": 499,
                                "description": "Of this write alone.",
                            ],
                            "row": row, "problem": .schema("Problem"),
                        ],
                        "required": ["status"],
                    ],
                ]
            ],
            "required": ["results"],
        ]
    }

    // MARK: Requests

    private var insert: DocumentPart {
        let insertable = table.insertable ?? []
        var properties: [(name: String, value: DocumentPart)] = []
        var required: [String] = []
        for (column, description) in table.columns.enumerated() {
            let name = description.name
            if table.description.isKey(column) {
                let values = table.values(of: column, .request, isNullable: table.isKeyMade)
                properties.append((name, values))
                if !table.isKeyMade { required.append(name) }
            } else if insertable.contains(column) {
                properties.append((name, table.values(of: column, .request)))
                if table.isRequired(column) { required.append(name) }
            } else if table.isReadOnly(column) {
                properties.append((name, ["readOnly": true]))
            }
        }
        return Self.object(properties, required: required)
    }

    private var replace: DocumentPart {
        let writable = table.writable
        return Self.object(
            properties(changing: writable, .request),
            required: writable.map { table.columns[$0].name })
    }

    private func update(_ use: ValueSchema.Use) -> DocumentPart {
        Self.object(properties(changing: table.updatable, use), required: [])
    }

    /// All columns: a request may have the others as they are in the row.
    private func properties(
        changing changed: [Int], _ use: ValueSchema.Use
    ) -> [(name: String, value: DocumentPart)] {
        table.columns.enumerated().map { column, description in
            if table.isReadOnly(column) { return (description.name, ["readOnly": true]) }
            if changed.contains(column) {
                return (description.name, table.values(of: column, use))
            }
            // NULL for a key means that the path names it.
            let schema = ValueSchema(
                type: description.type, use: use,
                isNullable: description.isNullable || table.description.isKey(column))
            return (
                description.name,
                schema.part.adding("description", "Only as it is in the row.")
            )
        }
    }

    /// A row of a request. It may have the members of an answer that are no columns.
    private static func object(
        _ properties: [(name: String, value: DocumentPart)], required: [String]
    ) -> DocumentPart {
        let head: DocumentPart = [
            "type": "object", "properties": .object(properties),
            "patternProperties": ["^\\$": [:]], "additionalProperties": false,
        ]
        return head.adding("required", required.isEmpty ? nil : .texts(required))
    }
}
