import GRDB

/// Finds triggers of the app that would write a synced table while the hub's rows are applied: such
/// a write is in no log, and the device would diverge in silence.
struct AppTriggers {
    private struct AppTrigger {
        let name: String
        let isGuarded: Bool
        let written: [String]
    }

    /// By the folded name of the table or view that they hang on.
    private let triggers: [String: [AppTrigger]]

    init(_ db: Database) throws {
        let sql = """
            SELECT name, tbl_name, sql FROM sqlite_master
            WHERE type = 'trigger' AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\'
            UNION ALL
            SELECT name, tbl_name, sql FROM sqlite_temp_master WHERE type = 'trigger'
            """
        var triggers: [String: [AppTrigger]] = [:]
        for row in try Row.fetchAll(db, sql: sql) {
            let text: String = row["sql"] ?? ""
            let words = Self.words(text)
            let trigger = AppTrigger(
                name: row["name"], isGuarded: words.contains { $0.isSame("_moorage_applying") },
                written: Self.written(words))
            triggers[SQLText.folded(row["tbl_name"]), default: []].append(trigger)
        }
        self.triggers = triggers
    }

    /// - Parameter synced: Local names of the synced tables.
    func check(_ table: String, synced: [String]) throws {
        let folded = Set(synced.map(SQLText.folded))
        var seen: Set<String> = [SQLText.folded(table)]
        var rest = [SQLText.folded(table)]
        while let next = rest.popLast() {
            for trigger in triggers[next] ?? [] where !trigger.isGuarded {
                for written in trigger.written.map(SQLText.folded) {
                    if folded.contains(written) {
                        throw Self.unguarded(trigger.name, table, written)
                    }
                    if seen.insert(written).inserted { rest.append(written) }
                }
            }
        }
    }

    private static func unguarded(_ trigger: String, _ table: String, _ written: String)
        -> ReplicaError
    {
        ReplicaError(
            .unguardedTrigger,
            """
            The trigger \(trigger) fires when the hub's rows go into \(table), and writes \
            \(written), which is synced: nobody would log it. Add \
            `WHEN NOT EXISTS (SELECT 1 FROM _moorage_applying)` to it.
            """, recovery: .changeSchema)
    }

    // MARK: Reading SQL

    private struct Word {
        let text: String
        let isQuoted: Bool
        func isSame(_ other: String) -> Bool { SQLText.isSameName(text, other) }
        func isKeyword(_ keyword: String) -> Bool { !isQuoted && isSame(keyword) }
    }

    /// The tables that the statements of a trigger's body write.
    private static func written(_ words: [Word]) -> [String] {
        guard let begin = words.firstIndex(where: { $0.isKeyword("BEGIN") }) else { return [] }
        var result: [String] = []
        let body = Array(words[(begin + 1)...])
        func target(at index: Int) {
            guard index < body.count else { return }
            let name =
                index + 2 < body.count && body[index + 1].isKeyword(".")
                ? body[index + 2] : body[index]
            result.append(name.text)
        }
        for (index, word) in body.enumerated() {
            if word.isKeyword("INTO") {
                target(at: index + 1)
            } else if word.isKeyword("FROM"), index > 0, body[index - 1].isKeyword("DELETE") {
                target(at: index + 1)
            } else if word.isKeyword("UPDATE"), index + 1 < body.count {
                if body[index + 1].isKeyword("SET") { continue }
                target(at: body[index + 1].isKeyword("OR") ? index + 3 : index + 1)
            }
        }
        return result
    }

    /// Names, keywords and single marks; text literals and comments are left out.
    private static func words(_ sql: String) -> [Word] {
        let bytes = Array(sql.utf8)
        var words: [Word] = []
        var index = 0
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "-") where bytes.dropFirst(index + 1).first == UInt8(ascii: "-"):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "/") where bytes.dropFirst(index + 1).first == UInt8(ascii: "*"):
                index += 2
                while index < bytes.count,
                    !(bytes[index] == UInt8(ascii: "*")
                        && bytes.dropFirst(index + 1).first == UInt8(ascii: "/"))
                { index += 1 }
                index += 2
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["), UInt8(ascii: "'"):
                let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                var content: [UInt8] = []
                index += 1
                while index < bytes.count {
                    if bytes[index] == end {
                        guard end != UInt8(ascii: "]"), index + 1 < bytes.count,
                            bytes[index + 1] == end
                        else { break }
                        index += 1
                    }
                    content.append(bytes[index])
                    index += 1
                }
                index += 1
                // SQLite takes 'name' for a name where a name must stand.
                words.append(Word(text: String(decoding: content, as: UTF8.self), isQuoted: true))
            default:
                let start = index
                while index < bytes.count, isLetter(bytes[index]) { index += 1 }
                if index > start {
                    words.append(Word(text: text(start..<index), isQuoted: false))
                } else {
                    if byte > 0x20 {
                        words.append(Word(text: text(index..<(index + 1)), isQuoted: false))
                    }
                    index += 1
                }
            }
        }
        return words
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
