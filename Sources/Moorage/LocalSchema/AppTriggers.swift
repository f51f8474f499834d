import GRDB
import MoorageCore
import SQLiteSupport

/// Finds triggers of the app that would write a synced table while the hub's rows are applied. Such
/// a write is in no log, so the device would diverge silently.
struct AppTriggers {
    private struct AppTrigger {
        let name: String
        let isGuarded: Bool
        let written: [String]
    }

    /// By the folded name of their table or view.
    private let triggers: [Identifier: [AppTrigger]]

    init(_ db: Database) throws {
        let sql = """
            SELECT name, tbl_name, sql FROM sqlite_master
            WHERE type = 'trigger' AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\'
            UNION ALL
            SELECT name, tbl_name, sql FROM sqlite_temp_master WHERE type = 'trigger'
            """
        var triggers: [Identifier: [AppTrigger]] = [:]
        for row in try Row.fetchAll(db, sql: sql) {
            let text: String = row["sql"] ?? ""
            let words = SQLWords(text).words
            let trigger = AppTrigger(
                name: row["name"],
                isGuarded: words.contains { SQLText.isSameName($0.text, "_moorage_applying") },
                written: Self.written(words))
            triggers[Identifier(folding: row["tbl_name"]), default: []].append(trigger)
        }
        self.triggers = triggers
    }

    /// - Parameter synced: Local names of the synced tables.
    func check(_ table: String, synced: [String]) throws {
        let folded = Set(synced.map { Identifier(folding: $0) })
        var seen: Set<Identifier> = [Identifier(folding: table)]
        var rest = [Identifier(folding: table)]
        while let next = rest.popLast() {
            for trigger in triggers[next] ?? [] where !trigger.isGuarded {
                for written in trigger.written.map({ Identifier(folding: $0) }) {
                    if folded.contains(written) {
                        throw ReplicaError.unguardedTrigger(
                            trigger.name, on: table, writing: written)
                    }
                    if seen.insert(written).inserted { rest.append(written) }
                }
            }
        }
    }

    // MARK: Reading SQL

    /// The tables that the statements of a trigger's body write.
    private static func written(_ words: [SQLWords.Word]) -> [String] {
        guard let begin = words.firstIndex(where: { $0.isUnquoted("BEGIN") }) else { return [] }
        var result: [String] = []
        let body = Array(words[(begin + 1)...])
        func target(at index: Int) {
            guard index < body.count else { return }
            let name =
                index + 2 < body.count && body[index + 1].isUnquoted(".")
                ? body[index + 2] : body[index]
            result.append(name.text)
        }
        for (index, word) in body.enumerated() {
            if word.isUnquoted("INTO") {
                target(at: index + 1)
            } else if word.isUnquoted("FROM"), index > 0, body[index - 1].isUnquoted("DELETE") {
                target(at: index + 1)
            } else if word.isUnquoted("UPDATE"), index + 1 < body.count {
                if body[index + 1].isUnquoted("SET") { continue }
                target(at: body[index + 1].isUnquoted("OR") ? index + 3 : index + 1)
            }
        }
        return result
    }
}

extension SQLWords.Word {
    /// Whether it is this keyword or mark. SQLite also takes `'name'` for a name where it needs
    /// one.
    fileprivate func isUnquoted(_ other: String) -> Bool {
        (kind == .plain || kind == .mark) && SQLText.isSameName(text, other)
    }
}
