import MoorageCore

/// What a user may do with the rows of one table.
struct TableOperations {
    typealias Member = (name: String, value: DocumentPart)

    let table: DocumentTable
    let parameters: TableParameters

    private var rows: RowComponents { RowComponents(table: table) }

    /// The table's path, and that of a row.
    var paths: [Member] {
        // A path has no place for an empty name.
        guard !table.title.isEmpty else { return [] }
        let key = table.keyParameters.map { "{\($0)}" }.joined(separator: ",")
        return [
            (table.path, .object([("get", list)] + (table.mayInsert ? [("post", insert)] : []))),
            ("\(table.path)/\(key)", .object([("parameters", .list(parameters.key))] + ofRow)),
        ]
    }

    private var ofRow: [Member] {
        var operations: [Member] = [("get", read)]
        if table.mayReplace { operations.append(("put", replace)) }
        if table.mayUpdate { operations.append(("patch", update)) }
        if table.mayDelete { operations.append(("delete", delete)) }
        return operations
    }

    // MARK: Reading

    private var list: DocumentPart {
        operation(
            "list", "Lists rows of \(table.title).", parameters.list,
            answers: [
                (
                    "200",
                    DocumentAnswers.answer(
                        "A page of rows.", headers: [.link],
                        content: [
                            (MediaType.json.rawValue, table.schema(.page)),
                            (MediaType.csv.rawValue, ["type": "string"]),
                        ])
                )
            ], refusals: [404, 406, 409] + ofRelated)
    }

    private var read: DocumentPart {
        let conditions: [SharedParameter] = [.ifMatch, .ifNoneMatch]
        return operation(
            "read", "Reads a row of \(table.title).",
            parameters.row + conditions.map(\.reference),
            answers: [
                (
                    "200",
                    DocumentAnswers.json(
                        "The row.", headers: [table.relations.isEmpty ? .etag : .mayHaveETag],
                        table.schema(.part))
                ),
                (
                    "304",
                    DocumentAnswers.answer("The row is still in that version.", headers: [.etag])
                ),
            ], refusals: [404, 406, 409, 412] + ofRelated)
    }

    /// Related rows can be too many.
    private var ofRelated: [Int] { parameters.related.isEmpty ? [] : [413] }

    // MARK: Writing

    private static let ofWrites: [SharedParameter] = [.prefer, .idempotencyKey]
    private static let conditions: [SharedParameter] = [.ifMatch, .ifNoneMatch]

    private var created: Member {
        (
            "201",
            DocumentAnswers.json(
                "The new row. With `Prefer: return=minimal` there is no body.",
                headers: [.location, .mayHaveETag, .preference], table.schema(.row))
        )
    }

    private func changed(_ schema: DocumentPart) -> Member {
        (
            "200",
            DocumentAnswers.json(
                "The row as it is now.", headers: [.mayHaveETag, .preference], schema)
        )
    }

    private var withoutRow: Member {
        (
            "204",
            DocumentAnswers.answer(
                "Written. The user does not see the row any more, or asked for no row.",
                headers: [.mayHaveETag, .preference])
        )
    }

    private var insert: DocumentPart {
        let parameters: [SharedParameter] = [.upsert, .atomic] + Self.ofWrites
        let columns = requiredOfInsert
        let example = ExampleValue(table, use: .request)
        return operation(
            "insert", "Inserts a row or several rows into \(table.title).",
            parameters.map(\.reference),
            body: [
                json(
                    [
                        "oneOf": [
                            table.schema(.insert),
                            [
                                "type": "array", "items": table.schema(.insert),
                                "maxItems": .integer(Int64(BatchBody.mostWrites)),
                            ],
                        ]
                    ], example: example.row(columns)),
                (
                    MediaType.csv.rawValue,
                    ["schema": ["type": "string"], "example": .text(example.csv(columns))]
                ),
            ],
            answers: [
                (
                    "200",
                    DocumentAnswers.json(
                        "What became of several rows, or the row that existed already.",
                        headers: [.mayHaveETag, .preference],
                        ["anyOf": [table.schema(.row), table.schema(.results)]])
                ), created, withoutRow,
            ], refusals: [404, 406, 409, 422] + DocumentAnswers.ofBodies)
    }

    /// The columns of an example: those that a new row must name, and at least one.
    private var requiredOfInsert: [Int] {
        let description = table.description
        let key = table.isKeyMade ? [] : description.primaryKey
        let insertable = table.insertable ?? []
        let required = key + insertable.filter { table.isRequired($0) }
        if !required.isEmpty { return required }
        return insertable.isEmpty ? description.primaryKey : [insertable[0]]
    }

    private var replace: DocumentPart {
        let answers = [changed(table.schema(.row))] + (table.mayInsert ? [created] : [])
        return operation(
            "replace", "Writes a whole row of \(table.title), or a new one.",
            (Self.conditions + Self.ofWrites).map(\.reference),
            body: [
                json(
                    table.schema(.replace),
                    example: ExampleValue(table, use: .request).row(table.writable))
            ],
            answers: answers + [withoutRow],
            refusals: [404, 406, 409, 412, 422] + DocumentAnswers.ofBodies)
    }

    private var update: DocumentPart {
        let changed = Array(table.updatable.prefix(1))
        return operation(
            "update", "Changes columns of a row of \(table.title).",
            (Self.conditions + Self.ofWrites).map(\.reference),
            body: [
                json(
                    table.schema(.update),
                    example: ExampleValue(table, use: .request).row(changed)),
                (
                    MediaType.mergePatch.rawValue,
                    [
                        "schema": rows.mergePatch,
                        "example": ExampleValue(table, use: .mergePatch).row(changed),
                    ]
                ),
            ],
            answers: [self.changed(table.schema(.row)), withoutRow],
            refusals: [404, 406, 409, 412, 422] + DocumentAnswers.ofBodies)
    }

    private var delete: DocumentPart {
        operation(
            "delete", "Deletes a row of \(table.title).",
            (Self.conditions + Self.ofWrites).map(\.reference), answers: [withoutRow],
            refusals: [404, 409, 412, 413, 422])
    }

    // MARK: Parts

    private func json(_ schema: DocumentPart, example: DocumentPart) -> Member {
        (MediaType.json.rawValue, ["schema": schema, "example": example])
    }

    /// - Parameters:
    ///   - verb: What begins the operation's id.
    ///   - body: By media type; empty for a request without a body.
    ///   - refusals: The statuses that not every request may get.
    private func operation(
        _ verb: String, _ summary: String, _ parameters: [DocumentPart], body: [Member] = [],
        answers: [Member], refusals: [Int]
    ) -> DocumentPart {
        let head: DocumentPart = [
            "operationId": .text(verb + table.name), "tags": [.text(table.title)],
            "summary": .text(summary), "parameters": .list(parameters),
        ]
        let refusals = DocumentAnswers.refusals(DocumentAnswers.ofAll + refusals)
        return head.adding(
            "requestBody", body.isEmpty ? nil : ["required": true, "content": .object(body)]
        )
        .adding("responses", .object(answers + refusals))
    }
}
