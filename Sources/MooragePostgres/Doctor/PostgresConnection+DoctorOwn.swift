import MoorageCore
import MoorageHub

/// Compares Moorage's own objects with what an attach would create now.
extension PostgresConnection {
    func ownFindings(_ examination: Examination) throws -> [Finding] {
        guard let attached = examination.attached else { return [] }
        let found = try ownObjects()
        var findings = OwnObject.findings(
            expected: Self.objects(in: metadataSteps()), found: found, of: nil)
        for table in attached {
            let steps = try attachSteps(for: table, previous: table)
            findings += OwnObject.findings(
                expected: Self.objects(in: steps, isOwner: try ownsTable(table.name)),
                found: found, of: table.name,
                isExact: !examination.grown.contains(table.name))
        }
        return findings
    }

    /// The objects that steps create, in the words in which the catalog describes them.
    ///
    /// - Parameter isOwner: Whether the role owns the table. Only an owner creates triggers that
    ///   always fire.
    private static func objects(in steps: [String], isOwner: Bool = true) -> [OwnObject] {
        let statements = steps.flatMap { Self.statements(SQLWords($0)) }
        // ALTER TABLE … ENABLE ALWAYS TRIGGER name
        let always = statements.compactMap { statement -> String? in
            let words = statement.words
            guard isOwner, let place = words.firstIndex(where: { $0.isKeyword("ALWAYS") }),
                place > 0, words[place - 1].isKeyword("ENABLE"), place + 2 < words.count,
                words[place + 1].isKeyword("TRIGGER")
            else { return nil }
            return words[place + 2].text
        }
        return statements.compactMap { statement in
            // In a block the statement follows its condition.
            let start = statement.words.lastIndex { $0.isKeyword("THEN") }.map { $0 + 1 } ?? 0
            let created = SQLWords(Array(statement.words[start...]))
            guard let object = OwnObject(creating: created) else { return nil }
            switch object.kind {
            case .table, .index: return OwnObject(object.kind, object.name)
            case .function:
                let body = statement.words.last { $0.kind == .literal }?.text ?? ""
                let isDefiners = statement.words.contains { $0.isKeyword("DEFINER") }
                return function(
                    object.name, body, isDefiners: isDefiners, settings: settings(statement.words))
            case .trigger:
                let isAlways = always.contains { $0.hasSameBytes(as: object.name) }
                return trigger(object, isAlways ? .always : .usual)
            }
        }
    }

    /// The statements, where each block, `DO $…$ … $…$`, is replaced by its own statements.
    private static func statements(_ sql: SQLWords) -> [SQLWords] {
        sql.statements.flatMap { statement -> [SQLWords] in
            guard statement.words.first?.isKeyword("DO") == true,
                let body = statement.words.first(where: { $0.kind == .literal })
            else { return [statement] }
            return SQLWords(body.text).statements
        }
    }

    private static func function(
        _ name: String, _ body: String, isDefiners: Bool, settings: [String]
    ) -> OwnObject {
        OwnObject(
            .function, name,
            definition: [body, isDefiners ? "of its owner" : "of the caller"] + settings.sorted())
    }

    /// The settings of a function, from `SET name TO value, value SET …`.
    private static func settings(_ words: [SQLWords.Word]) -> [String] {
        words.split { $0.isKeyword("SET") || $0.isKeyword("AS") }.dropFirst().compactMap { part in
            guard part.count > 2, part[part.startIndex + 1].isKeyword("TO"), let name = part.first
            else { return nil }
            // One text contains what the catalog lists as several values.
            let values = part.dropFirst(2).flatMap { word in
                word.kind == .literal ? SQLWords(word.text).words : [word]
            }
            return setting(name.text, values)
        }
    }

    private static func setting(_ name: String, _ values: [SQLWords.Word]) -> String {
        "\(name.lowercased()) = "
            + values.filter { !$0.isMark(",") }.map(\.text).joined(separator: ", ")
    }

    /// The catalog lists the events in its own order.
    private static func trigger(_ object: OwnObject, _ firing: OwnObject.Firing) -> OwnObject {
        OwnObject(
            .trigger, object.name, on: object.place, definition: object.definition?.sorted(),
            firing: firing)
    }

    private func ownsTable(_ name: String) throws -> Bool {
        try link.simple(
            """
            SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class AS c
            WHERE c.oid = \(SQLText.literal(schema.table(name)))::regclass
            """
        ).text(0, 0) == "t"
    }

    private func ownObjects() throws -> [OwnObject] {
        let relations = try link.simple(
            """
            SELECT c.relname, c.relkind IN ('i', 'I') FROM pg_class AS c
            WHERE c.relnamespace = \(schema.number) AND c.relname LIKE 'moorage\\_%'
            """)
        var objects = (0..<relations.rowCount).map { row in
            OwnObject(
                relations.text(row, 1) == "t" ? .index : .table, relations.text(row, 0) ?? "")
        }
        let functions = try link.simple(
            """
            SELECT p.proname, p.prosrc, p.prosecdef, array_to_string(p.proconfig, E'\\x01')
            FROM pg_proc AS p
            WHERE p.pronamespace = \(schema.number) AND p.proname LIKE 'moorage\\_%'
            """)
        objects += (0..<functions.rowCount).map { row in
            let settings = (functions.text(row, 3) ?? "").split(separator: "\u{1}").map { setting in
                let parts = setting.split(separator: "=", maxSplits: 1)
                return Self.setting(
                    String(parts[0]), SQLWords(parts.count > 1 ? String(parts[1]) : "").words)
            }
            return Self.function(
                functions.text(row, 0) ?? "", functions.text(row, 1) ?? "",
                isDefiners: functions.text(row, 2) == "t", settings: settings)
        }
        let triggers = try link.simple(
            """
            SELECT pg_get_triggerdef(g.oid), g.tgenabled
            FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid
            WHERE c.relnamespace = \(schema.number) AND NOT g.tgisinternal
              AND g.tgname LIKE 'moorage\\_%'
            """)
        objects += (0..<triggers.rowCount).compactMap { row in
            let words = SQLWords(triggers.text(row, 0) ?? "")
            guard let object = OwnObject(creating: words) else { return nil }
            let firing: OwnObject.Firing =
                switch triggers.text(row, 1) {
                case "O": .usual
                case "A": .always
                default: .never
                }
            return Self.trigger(object, firing)
        }
        return objects
    }
}
