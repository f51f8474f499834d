import MoorageCore

/// What a client may say of its rows of one table.
struct ManifestSchema {
    private typealias Member = (name: String, value: DocumentPart)

    private let table: DocumentTable

    init(_ table: DocumentTable) { self.table = table }

    /// Rows, or digests of ranges.
    var part: DocumentPart { ["anyOf": [rows, ranges]] }

    private var bounds: [Member] {
        let key = table.key(isNullable: true)
        return [("after", key), ("upTo", key)]
    }

    // MARK: Rows

    private var rows: DocumentPart {
        let limits = TableManifest.limits
        let limit: DocumentPart = [
            "type": ["integer", "null"], "minimum": .integer(Int64(limits.lowerBound)),
            "maximum": .integer(Int64(limits.upperBound)),
            "description": "Rows of the hub that the answer compares.",
        ]
        let own: [Member] = [
            ("rows", LenientSchema.list(of: row)),
            ("limit", limit), ("modified", modified), ("digest", digest),
            ("ranges", LenientSchema.nothing),
        ]
        return LenientSchema.object(own + bounds).adding("allOf", [timed, digested])
    }

    /// The column that says when a row was changed.
    private var modified: DocumentPart {
        let names = names { $0.isTime }
        if names.isEmpty { return ["type": "null"] }
        return [
            "enum": .list(names.map { .text($0) } + [.null]),
            "description": "The column that says when a row was changed.",
        ]
    }

    /// The columns of which digests are made.
    private var digest: DocumentPart {
        let names = names { $0.hasDigest }
        if names.isEmpty { return LenientSchema.nothing }
        return LenientSchema.list(of: ["enum": .texts(names)], most: names.count)
            .adding(["uniqueItems": true, "description": "The columns of which digests are made."])
    }

    private func names(_ isIncluded: (ColumnType) -> Bool) -> [String] {
        table.columns.filter { isIncluded($0.type) }.map(\.name)
    }

    private var row: DocumentPart {
        let text: DocumentPart = ["type": ["string", "null"]]
        let flag: DocumentPart = ["type": ["boolean", "null"]]
        let named: DocumentPart = ["type": "string"]
        let members: [Member] = [
            ("key", table.key(isNullable: false)),
            (
                "version",
                text.adding("description", "The `$etag` with which the client got the row.")
            ),
            ("modified", ["description": "When the client's row was changed."]),
            ("digest", text),
            (
                "synced",
                flag.adding(
                    "description", "Whether the row is as the client got it from the hub.")
            ), ("deleted", flag),
        ]
        let contradictions: [[Member]] = [
            [("version", named), ("modified", [:])], [("version", named), ("digest", named)],
            [("modified", [:]), ("digest", named)],
            [("synced", ["const": true]), ("deleted", ["const": true])],
        ]
        return [
            "type": "object", "properties": .object(members), "required": ["key"],
            "additionalProperties": false,
            "not": ["anyOf": .list(contradictions.map(LenientSchema.having))],
        ]
    }

    /// Rows have times only where the column is named.
    private var timed: DocumentPart {
        let name: DocumentPart = ["type": "string"]
        return ["anyOf": [LenientSchema.having([("modified", name)]), without("modified")]]
    }

    /// Rows have digests only where the columns are named.
    private var digested: DocumentPart {
        let names: DocumentPart = ["type": "array", "minItems": 1]
        return [
            "anyOf": [
                LenientSchema.having([("digest", names)]), without("digest", isNullable: true),
            ]
        ]
    }

    /// Tables of whose rows no one has the member.
    private func without(_ member: String, isNullable: Bool = false) -> DocumentPart {
        let null: DocumentPart = ["type": "null"]
        let required: DocumentPart = ["required": .texts([member])]
        let row: DocumentPart =
            isNullable ? ["properties": .object([(member, null)])] : ["not": required]
        let items: DocumentPart = ["items": row]
        return ["properties": ["rows": items]]
    }

    // MARK: Ranges

    private var ranges: DocumentPart {
        let members = bounds + [("digest", ["type": "string"])]
        let range: DocumentPart = [
            "type": "object", "properties": .object(members), "required": ["digest"],
            "additionalProperties": false,
        ]
        let list: DocumentPart = [
            "type": "array", "minItems": 1, "items": range,
            "description": "Digests of ranges, in place of rows.",
        ]
        let others: [Member] =
            TableManifest.lists.map { ($0, LenientSchema.nothing) }
            + ["after", "upTo", "limit", "modified"].map { ($0, ["type": "null"]) }
        return [
            "type": "object", "properties": .object([("ranges", list)] + others),
            "required": ["ranges"], "additionalProperties": false,
        ]
    }
}
