import MoorageCore
import SQLiteSupport

/// Columns that the app renamed.
///
/// - V4: A renamed column keeps its place in the log, and is not newly synced under its new name.
extension StoreSchema {
    /// The columns of keys and log that have another name now.
    ///
    /// What the app says counts first. Then comes what SQLite wrote into the triggers. Where a
    /// rebuild took the triggers away, the layout shows a single rename, and the hub's other names
    /// show several.
    func renames(
        of table: ReplicaTable, in local: LocalTable, _ known: TableRecord
    ) throws -> [ColumnRename] {
        let names = known.keys + known.places
        guard names.contains(where: { local.column(named: $0) == nil }) else { return [] }
        let told = names.compactMap { name in
            table.newName(of: name, in: local).map { ColumnRename(old: name, new: $0) }
        }
        let hub = try hubSchema()?.table(named: table.name)
        func isAtHub(_ name: String) -> Bool {
            hub?.columns.contains { SQLText.isSameName($0.name, name) } ?? false
        }
        let found = try foundRenames(in: local, known).filter { rename in
            // If the hub has both, they are two columns.
            !(isAtHub(rename.old) && isAtHub(rename.new))
                && !told.contains { SQLText.isSameName($0.old, rename.old) }
        }
        let all = told + found
        return all.filter { rename in
            func isKnown(_ name: String) -> Bool {
                names.contains { SQLText.isSameName($0, name) }
            }
            guard isKnown(rename.old), !isKnown(rename.new),
                local.column(named: rename.old) == nil,
                let column = local.column(named: rename.new), !local.columns[column].isGenerated
            else { return false }
            // Nobody can tell which of two columns became one.
            return all.count(where: { SQLText.isSameName($0.new, rename.new) }) == 1
        }
    }

    private func foundRenames(
        in local: LocalTable, _ known: TableRecord
    ) throws -> [ColumnRename] {
        // Triggers that are as they were made belie a rename: a column was dropped, and another
        // one added.
        if let recorded = known.triggers,
            let rewritten = try rewrites(
                of: [String](jsonText: recorded), on: known.name, local)
        {
            return rewritten
        }
        if let only = known.layout?.onlyRename(in: local) { return [only] }
        return try hubSchema()?.table(named: known.name.text)?
            .renames(of: known.keys + known.places, in: local) ?? []
    }

    /// The renames that SQLite wrote into the table's triggers since they were made; `nil` if a
    /// trigger is missing or another one.
    func rewrites(
        of made: [String], on table: Identifier, _ local: LocalTable
    ) throws -> [ColumnRename]? {
        guard let renames = try rewrites(of: made, on: table),
            renames.allSatisfy({
                local.column(named: $0.old) == nil && local.column(named: $0.new) != nil
            })
        else { return nil }
        return renames
    }

    private func rewrites(of made: [String], on table: Identifier) throws -> [ColumnRename]? {
        let found = try read.triggers(db)
        let there = TrackingSQL.kinds.compactMap { found[Identifier("_moorage_\($0)_\(table)")] }
        return RewrittenTriggers.renames(from: made, to: there)
    }

    /// Whether SQLite renamed a column, and the app gave its name to another one.
    func hasReusedName(_ made: [String], on table: TrackedTable) throws -> Bool {
        try rewrites(of: made, on: table.name)?.contains {
            table.local.column(named: $0.old) != nil
        } ?? false
    }

    // MARK: What the hub has

    /// How a column that was synced under another name is related to the hub's.
    enum RenamedColumn {
        /// Its values here are as old as the cursor.
        case current
        /// The device did not receive it for a while, or the hub has the other name, too.
        case stale
    }

    /// The columns that are synced from now on, and were synced under another name before.
    func renamedColumns(
        _ table: SyncedTable, _ record: TableRecord
    ) throws -> [Int: RenamedColumn] {
        let before = record.columns ?? []
        let hub = try hubSchema()?.table(named: table.name.text)
        var result: [Int: RenamedColumn] = [:]
        for (column, description) in table.description.columns.enumerated() {
            guard let old = record.layout?.column(named: table.localName(column))?.syncedName,
                !old.hasSameBytes(as: description.name),
                !before.contains(where: { $0.hasSameBytes(as: description.name) })
            else { continue }
            let isCurrent =
                before.contains { $0.hasSameBytes(as: old) }
                && !record.unreadColumns.contains { $0.hasSameBytes(as: old) }
                && hub?.column(named: old) == nil
            result[column] = isCurrent ? .current : .stale
        }
        return result
    }

    /// A due repair compares rows with what the device last read. It cannot do so if a column was
    /// not received for a while: an older value would count as an edit.
    func avoidRepairOfStaleColumns(_ table: SyncedTable) throws {
        guard let record = try records.record(of: table.name), record.state.repair == .due,
            try renamedColumns(table, record).values.contains(.stale)
        else { return }
        try repairStaleRows(table.tracked)
    }
}

/// What `ALTER TABLE … RENAME COLUMN` makes of triggers: SQLite writes the new name into them.
enum RewrittenTriggers {
    /// The names that differ; `nil` if anything else differs, or one name became two. Names that
    /// differ in the case of their letters are the same.
    static func renames(from made: [String], to there: [String]) -> [ColumnRename]? {
        if Set(made.map(Value.text)) == Set(there.map(Value.text)) { return [] }
        guard made.count == there.count else { return nil }
        var rest = there.map { SQLWords($0).words }
        var renames: [ColumnRename] = []
        for text in made {
            let words = SQLWords(text).words
            guard let index = rest.firstIndex(where: { isSameTrigger($0, words) }) else {
                return nil
            }
            for (old, new) in zip(words, rest.remove(at: index)) {
                if old.kind == new.kind, old.text.hasSameBytes(as: new.text) { continue }
                guard old.kind == .quotedName, new.kind == .quotedName else { return nil }
                let isKnown = renames.contains {
                    $0.old.hasSameBytes(as: old.text) && $0.new.hasSameBytes(as: new.text)
                }
                if isKnown || SQLText.isSameName(old.text, new.text) { continue }
                renames.append(ColumnRename(old: old.text, new: new.text))
            }
        }
        let olds = Set(renames.map { Identifier(folding: $0.old) })
        let news = Set(renames.map { Identifier(folding: $0.new) })
        return olds.count == renames.count && news.count == renames.count ? renames : nil
    }

    /// Whether two texts, each `CREATE TRIGGER "name" …`, are of one trigger and as long.
    private static func isSameTrigger(
        _ left: [SQLWords.Word], _ right: [SQLWords.Word]
    ) -> Bool {
        left.count == right.count && left.count > 2 && left[2].text.hasSameBytes(as: right[2].text)
    }
}

extension TableDescription {
    /// The columns that are gone from the file, and that it now has by another name of the hub's.
    fileprivate func renames(of names: [String], in local: LocalTable) -> [ColumnRename] {
        names.compactMap { name in
            guard local.column(named: name) == nil, let place = self.column(knownAs: name),
                local.column(named: columns[place].name) != nil
            else { return nil }
            return ColumnRename(old: name, new: columns[place].name)
        }
    }
}

extension ReplicaTable {
    /// The name that the app says a column has now; `nil` if it still has its own, or the app says
    /// nothing. An app that skipped a version has a chain of names.
    fileprivate func newName(of column: String, in local: LocalTable) -> String? {
        guard local.column(named: column) == nil else { return nil }
        let sorted = renamed.sorted { Identifier($0.key) < Identifier($1.key) }
        var name = column
        // No chain is longer, and a circle ends.
        for _ in sorted {
            guard let next = sorted.first(where: { SQLText.isSameName($0.key, name) })?.value
            else { return nil }
            if let column = local.column(named: next) { return local.columns[column].name }
            name = next
        }
        return nil
    }
}
