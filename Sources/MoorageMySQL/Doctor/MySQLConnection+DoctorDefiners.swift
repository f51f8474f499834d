import CMariaDB
import MoorageCore
import MoorageHub

/// Moorage's triggers run as the user who created them. If that user does not exist or lacks a
/// privilege, the owner's writes fail.
extension MySQLConnection {
    func definerFindings(in database: String) throws -> [Finding] {
        let triggers = try readTriggers()
        return try Set(triggers.compactMap(\.definer)).sorted().compactMap { definer in
            let own = triggers.filter { $0.definer == definer }
            return try definerFinding(Self.grantee(definer), own, in: database)
        }
    }

    private func definerFinding(
        _ definer: String, _ triggers: [FoundTrigger], in database: String
    ) throws -> Finding? {
        let tables = Self.firstFew(Set(triggers.map(\.table)).sorted())
        switch try definerGrants(definer) {
        case .gone:
            return Finding(
                .missingPrivileges, .problem,
                """
                Moorage's triggers on \(tables) run as \(definer), which does not exist: whatever is written \
                there fails (1449). Attach as a user that stays.
                """, repair: .attach)
        case .unknown:
            return Finding(
                .notExamined, .note,
                """
                Whether \(definer), as whom Moorage's triggers on \(tables) run, exists and has its rights could \
                not be looked at. `moorage doctor` as \(definer), or as an administrator, can.
                """)
        case .known(let grants):
            // MySQL lists roles without the privileges that they grant.
            if !link.kind.isMariaDB, grants.hasRoles { return nil }
            let missing = Self.needs(of: triggers).compactMap { table, needed in
                let words = needed.filter { !grants.has($0, on: database, table: table) }
                return words.isEmpty ? nil : (table: table, words: words.joined(separator: ", "))
            }
            guard !missing.isEmpty else { return nil }
            let roles = grants.hasRoles ? " What it may by a role does not count for triggers." : ""
            return Finding(
                .missingPrivileges, .problem,
                """
                Moorage's triggers on \(tables) run as \(definer), which lacks \
                \(Self.firstFew(missing.map { "\($0.words) on \($0.table)" })): whatever is written there fails \
                (1142).\(roles)
                """,
                repair: .sql(
                    missing.map {
                        """
                        GRANT \($0.words) ON \(SQLText.ownersName(database)).\(SQLText.ownersName($0.table)) \
                        TO \(definer)
                        """
                    }))
        }
    }

    private enum DefinerGrants {
        case gone, unknown
        case known(GrantList)
    }

    private func definerGrants(_ definer: String) throws -> DefinerGrants {
        do {
            var lines = try grants("SHOW GRANTS FOR \(definer)")
            // Privileges of PUBLIC apply to definers, too.
            if link.kind.grantsToPublic { lines += try grants("SHOW GRANTS FOR PUBLIC") }
            return .known(GrantList(lines))
        } catch let error as CentralError where error.kind != .unavailable {
            return link.lastError.map { Int32($0.code) } == ER_NONEXISTING_GRANT ? .gone : .unknown
        }
    }

    /// The privileges that triggers need, by table.
    private static func needs(of triggers: [FoundTrigger]) -> [(table: String, words: [String])] {
        var needs = ByteKeyedDictionary<(table: String, words: Set<String>)>()
        func need(_ word: String, on table: String) {
            needs[table, default: (table, [])].words.insert(word)
        }
        for trigger in triggers {
            // To read OLD and NEW.
            need("SELECT", on: trigger.table)
            need("TRIGGER", on: trigger.table)
            let body = SQLWords(trigger.body ?? "")
            for table in body.written { need("INSERT", on: table) }
            for (word, next) in zip(body.words, body.words.dropFirst())
            where (word.isKeyword("FROM") || word.isKeyword("STRAIGHT_JOIN")) && !next.isMark("(") {
                need("SELECT", on: next.text)
            }
        }
        return needs.values.sorted { $0.table < $1.table }.map { ($0.table, $0.words.sorted()) }
    }

    /// The first five words, and how many more there are.
    static func firstFew(_ words: [String]) -> String {
        let more = words.count > 5 ? " and \(words.count - 5) more" : ""
        return words.prefix(5).joined(separator: ", ") + more
    }
}
