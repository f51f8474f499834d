import GRDB
import MoorageCore
import MoorageWire

/// Cuts a batch out of the folded log (docs/design.md, 4): inserts and updates in foreign-key order,
/// then touches, then deletes in reverse. What is not taken stays.
final class BatchBuilder {
    private let transaction: StoreTransaction
    private let limits: BatchLimits
    private let hubLimits: HubLimits
    private let now: Int64

    private var upserts: [[Change]]
    private var touches: [Change] = []
    private var deletes: [[Change]]
    private var taken: Set<RowName> = []
    private var takenEntries: [[Int64]]
    /// Rows that belong with one that was taken.
    private var belonging: [(table: Int, rawKey: [Value])] = []
    private(set) var rows = 0
    private var bytes = 0
    /// Whether the log holds more than one batch, so that what belongs together must be sought.
    private var isCut = false
    private var logCounts: [Int]
    /// The tables before this one have sent all that is not a delete.
    private var firstOpen = 0
    private var takesDeletes = false
    private var groups: LogGroups?
    /// Groups that were looked at: they are taken, or stay.
    private var settledGroups: Set<Int> = []
    /// A group did not fit: what comes after it may depend on it.
    private var isClosed = false

    /// A table that stands still at the hub keeps its log.
    private let tables: [SyncedTable]

    init(
        _ transaction: StoreTransaction, limits: BatchLimits, hubLimits: HubLimits, now: Int64
    ) {
        self.transaction = transaction
        self.limits = limits
        self.hubLimits = hubLimits
        self.now = now
        tables = transaction.tables.synced.filter {
            transaction.tables.hubStopped[$0.name] == nil
        }
        let count = tables.count
        upserts = Array(repeating: [], count: count)
        deletes = Array(repeating: [], count: count)
        takenEntries = Array(repeating: [], count: count)
        logCounts = Array(repeating: 0, count: count)
    }

    private func reading(_ table: Int) -> LogReading {
        LogReading(table: tables[table], statements: transaction.statements)
    }

    private var maximumRows: Int { min(limits.maximumRows, hubLimits.maximumBatchRows) }
    private var maximumBytes: Int { min(limits.maximumBytes, hubLimits.maximumBatchBytes) }
    private var isFull: Bool { isClosed || rows >= maximumRows || bytes >= maximumBytes }

    // MARK: Building

    /// The changes, in the order in which they are sent; empty when there is nothing to send.
    func build() throws -> [Change] {
        var entries = 0
        for table in tables.indices {
            let reading = reading(table)
            logCounts[table] = try reading.count(
                upTo: max(LogReading.indexedFrom, limits.maximumRows) + 1)
            entries += logCounts[table]
            guard logCounts[table] > 0 else { continue }
            try reading.keepTimesInOrder()
            if logCounts[table] > LogReading.indexedFrom { try reading.makeIndexes() }
        }
        guard entries > 0 else { return [] }
        groups = try LogGroups(tables.indices.map(reading), elsewhere: groupsElsewhere())
        // A group goes before the tables that it may need rows of.
        isCut = entries > limits.maximumRows || groups != nil
        for table in tables.indices where logCounts[table] > 0 {
            firstOpen = table
            try scan(table) { if case .delete = $0.kind { false } else { true } }
        }
        takesDeletes = true
        for table in tables.indices.reversed() where logCounts[table] > 0 {
            try scan(table) { if case .delete = $0.kind { true } else { false } }
        }
        for table in tables.indices where logCounts[table] > 0 { try settleLog(table) }
        return tables.indices.flatMap { tables[$0].description.parentsFirst(upserts[$0]) } + touches
            + tables.indices.reversed().flatMap {
                tables[$0].description.parentsFirst(deletes[$0]).reversed()
            }
    }

    /// One row's log.
    private struct Group {
        let rawKey: [Value]
        var folding = NoteFolding()
        var entries: [Int64] = []

        mutating func add(_ entry: LogReading.Entry) {
            folding.add(entry.entry)
            entries.append(entry.seq)
        }
    }

    private func group(_ table: Int, _ rawKey: [Value]) throws -> Group {
        var group = Group(rawKey: rawKey)
        for entry in try reading(table).entries(rawKey: rawKey) { group.add(entry) }
        return group
    }

    private func note(_ table: Int, _ group: Group) throws -> Note? {
        let exists =
            try group.folding.hasOpenCandidate && reading(table).exists(rawKey: group.rawKey)
        return group.folding.note(exists: exists)
    }

    /// Walks the log of a table row by row, and takes the notes that are wanted until the batch is
    /// full.
    private func scan(_ table: Int, _ isWanted: (Note) -> Bool) throws {
        guard !isFull else { return }
        let reading = reading(table)
        let order = (tables[table].tracked.keyColumns + ["seq"]).joined(separator: ", ")
        // A statement of its own: rows that belong together are read while it stands.
        let statement = try transaction.statements.own(
            "SELECT \(reading.columns) FROM \(reading.log) ORDER BY \(order)")
        var group: Group?
        while try statement.step() {
            let entry = reading.entry(statement)
            if let finished = group, finished.rawKey != entry.rawKey {
                try take(table, finished, isWanted)
                if isFull { return statement.reset() }
                group = nil
            }
            group = group ?? Group(rawKey: entry.rawKey)
            group?.add(entry)
        }
        if let group { try take(table, group, isWanted) }
    }

    private func take(_ table: Int, _ group: Group, _ isWanted: (Note) -> Bool) throws {
        let name = RowName(
            table: tables[table].name, key: tables[table].key(raw: group.rawKey))
        guard !taken.contains(name) else { return }
        guard let note = try note(table, group) else {
            // It says nothing: a candidate that stands, or an update of columns not synced.
            takenEntries[table] += group.entries
            return
        }
        guard isWanted(note) else { return }
        if let number = groups?.number(table, group.rawKey) {
            try takeGroup(number)
        } else {
            try add(table, name, group, note)
        }
        // Not by recursion: a chain of parents may be as long as the log.
        while let next = belonging.popLast() { try takeRow(next.table, next.rawKey) }
    }

    // MARK: One change

    private func add(_ table: Int, _ name: RowName, _ group: Group, _ note: Note) throws {
        switch try made(table, group, note) {
        case .nothing: takenEntries[table] += group.entries
        case .held(let refusal): try hold(tables[table], name, note, refusal)
        case .change(let operation, let stored):
            if try needsWaiting(table, group.rawKey) { return }
            finish(table, name, group, note, operation)
            try seek(table, operation, stored)
        }
    }

    /// What a note asks for, before it is decided whether it is sent.
    private enum Made {
        case nothing
        case held(Refusal)
        case change(Change.Operation, [StoredValueForm]?)
    }

    private func made(_ table: Int, _ group: Group, _ note: Note) throws -> Made {
        let synced = tables[table]
        let description = synced.description
        let stored = try reading(table).row(rawKey: group.rawKey)
        let operation: Change.Operation
        switch note.kind {
        case .touch where planted(.touchDropped): return .nothing
        case .touch: operation = .touch
        case .delete(let row): operation = .delete(before: row)
        case .insert, .update:
            // A row that no log saw go is asked for, and the answer says what it is.
            guard let stored else { return .change(.touch, nil) }
            if let reason = refusal(synced, stored) { return .held(reason) }
            let row = stored.enumerated().map { synced.form($0).portable($1.value) }
            if case .update(let old) = note.kind {
                operation = .update(edits(description, old, row))
            } else {
                operation = .insert(
                    row.enumerated().map { description.columns[$0].isGenerated ? .null : $1 })
            }
        }
        if planted(.emptyUpdateDropped), case .update(let edits) = operation, edits.isEmpty {
            return .nothing
        }
        return .change(operation, stored)
    }

    /// What a note changes; where whole rows are settled, beside it what it leaves as it is.
    private func edits(
        _ table: TableDescription, _ old: [OldValue], _ row: [Value]
    ) -> [ColumnEdit] {
        func isPushed(_ column: Int) -> Bool {
            !table.columns[column].isGenerated && !table.isKey(column)
        }
        let edits = old.compactMap { old in
            isPushed(old.column)
                && !table.columns[old.column].type.equal(old.value, row[old.column])
                ? ColumnEdit(column: old.column, old: old.value, new: row[old.column]) : nil
        }
        guard case .row = table.granularity, !edits.isEmpty else { return edits }
        // What the hub has in a column that was never read, nobody here has seen.
        let unread = transaction.tables.unread[table.name] ?? []
        let rest = table.columns.indices.filter { column in
            isPushed(column) && !edits.contains { $0.column == column }
                && !unread.contains { $0.hasSameBytes(as: table.columns[column].name) }
        }
        return edits + rest.map { ColumnEdit(column: $0, old: row[$0], new: row[$0]) }
    }

    /// In a log that is cut, what belongs with a change is taken along.
    private func seek(
        _ table: Int, _ operation: Change.Operation, _ stored: [StoredValueForm]?
    ) throws {
        guard isCut else { return }
        if case .delete(let before) = operation, !takesDeletes {
            try seekFormerChildren(table, before)
        }
        guard let stored else { return }
        let synced = tables[table]
        let row = stored.enumerated().map { synced.form($0).portable($1.value) }
        if case .touch = operation { return }
        if !planted(.parentsLeftBehind) { try seekParents(table, row) }
        if !planted(.formerHoldersLeftBehind) { try seekFormerHolders(table, stored) }
    }

    private func finish(
        _ table: Int, _ name: RowName, _ group: Group, _ note: Note, _ operation: Change.Operation,
        number: Int? = nil
    ) {
        let change = Change(
            table: name.table, key: name.key, operation: operation, editedAt: note.at,
            isAgain: note.isAgain, group: number)
        taken.insert(name)
        takenEntries[table] += group.entries
        rows += 1
        bytes += change.byteCount
        switch operation {
        case .insert, .update: upserts[table].append(change)
        case .touch: touches.append(change)
        case .delete: deletes[table].append(change)
        }
    }

    // MARK: Groups

    private struct Part {
        let table: Int
        let name: RowName
        let group: Group
        let note: Note
        let made: Made
    }

    /// Groups with rows of tables that stand still, here or at the hub.
    private func groupsElsewhere() throws -> Set<Int64> {
        let stopped = transaction.tables.stopped.map(\.name) + transaction.tables.hubStopped.keys
        var found: Set<Int64> = []
        for log in stopped.map(TrackedTable.logTable(of:)) {
            let isLog = "SELECT 1 FROM pragma_table_info(?1) WHERE name = 'grp'"
            guard try transaction.statements(isLog).exists([.text(log)]) else { continue }
            let statement = try transaction.statements.own(
                "SELECT DISTINCT grp FROM \(SQLText.name(log)) WHERE grp IS NOT NULL")
            while try statement.step() {
                if case .value(.integer(let group)) = statement.column(0) { found.insert(group) }
            }
        }
        return found
    }

    /// Whether a row needs one that has to wait, at whatever distance: it would be refused for that.
    private func needsWaiting(_ table: Int, _ rawKey: [Value]) throws -> Bool {
        guard let groups, groups.hasWaiting else { return false }
        var seen: Set<LogGroups.Member> = []
        var open = [LogGroups.Member(table: table, rawKey: rawKey)]
        while let row = open.popLast() {
            guard seen.insert(row).inserted else { continue }
            if let number = groups.number(row.table, row.rawKey) {
                if groups.waits(number) { return true }
                open += groups.members[number]
            }
            open += try parents(of: row)
        }
        return false
    }

    /// The rows that a change needs: their notes bring what it refers to, and it has just been made to.
    private func parents(of row: LogGroups.Member) throws -> [LogGroups.Member] {
        let synced = tables[row.table]
        guard let note = try note(row.table, group(row.table, row.rawKey)),
            let stored = try reading(row.table).row(rawKey: row.rawKey)
        else { return [] }
        return try synced.description.foreignKeys.compactMap { foreign in
            guard note.writes(foreign.columns),
                let parent = tables.firstIndex(where: {
                    $0.name.hasSameBytes(as: foreign.referencedTable)
                }), logCounts[parent] > 0
            else { return nil }
            let values = foreign.columns.map { synced.form($0).portable(stored[$0].value) }
            guard !values.contains(where: \.isNull),
                let rawKey = try parentKey(parent, foreign.referencedColumns, values),
                let brought = try self.note(parent, group(parent, rawKey)),
                brought.writes(
                    foreign.referencedColumns.compactMap {
                        tables[parent].description.column(named: $0)
                    })
            else { return nil }
            return LogGroups.Member(table: parent, rawKey: rawKey)
        }
    }

    /// Takes a whole group, or leaves it whole.
    private func takeGroup(_ number: Int) throws {
        guard let members = groups?.members[number], settledGroups.insert(number).inserted else {
            return
        }
        if let first = members.first, try needsWaiting(first.table, first.rawKey) { return }
        var parts: [Part] = []
        for member in members {
            let group = try group(member.table, member.rawKey)
            guard let note = try note(member.table, group) else {
                takenEntries[member.table] += group.entries
                continue
            }
            let table = tables[member.table]
            parts.append(
                Part(
                    table: member.table,
                    name: RowName(table: table.name, key: table.key(raw: member.rawKey)),
                    group: group, note: note, made: try made(member.table, group, note)))
        }
        let size = size(of: parts)
        if let refusal = reasonToHold(parts, size) { return try hold(parts, refusal) }
        if rows > 0, rows + size.rows > maximumRows || bytes + size.bytes > maximumBytes {
            isClosed = true
            return
        }
        for part in parts {
            switch part.made {
            case .nothing, .held: takenEntries[part.table] += part.group.entries
            case .change(let operation, let stored):
                finish(
                    part.table, part.name, part.group, part.note, operation, number: number + 1)
                try seek(part.table, operation, stored)
            }
        }
    }

    private func size(of parts: [Part]) -> (rows: Int, bytes: Int) {
        var bytes = 0
        for part in parts {
            guard case .change(let operation, _) = part.made else { continue }
            bytes +=
                Change(
                    table: part.name.table, key: part.name.key, operation: operation, editedAt: 0
                ).byteCount
        }
        return (parts.count, bytes)
    }

    /// Why a group cannot be sent as it is; `nil` when it can.
    private func reasonToHold(_ parts: [Part], _ size: (rows: Int, bytes: Int)) -> Refusal? {
        for part in parts {
            guard case .held = part.made else { continue }
            return Refusal(
                code: .group,
                message: """
                    It is part of a group, and a change of \(part.name.table) in that cannot be sent.
                    """)
        }
        guard size.rows > hubLimits.maximumBatchRows || size.bytes > hubLimits.maximumBatchBytes,
            parts.count > 1
        else { return nil }
        return Refusal(
            code: .tooLarge,
            message: """
                Its group changes \(size.rows) rows with \(size.bytes) bytes; a batch holds \
                \(hubLimits.maximumBatchRows) and \(hubLimits.maximumBatchBytes) at most. Take it back, \
                and change it in smaller groups.
                """)
    }

    private func hold(_ parts: [Part], _ refusal: Refusal) throws {
        for part in parts {
            var reason = refusal
            if case .held(let own) = part.made { reason = own }
            try hold(tables[part.table], part.name, part.note, reason)
        }
    }

    /// Rows that referred, before their own edit, to one that goes: a group brings its deletes before
    /// the turn of others.
    private func seekFormerChildren(_ table: Int, _ before: [Value]) throws {
        let parent = tables[table]
        for child in tables.indices where logCounts[child] > 0 {
            let synced = tables[child]
            for foreign in synced.description.foreignKeys
            where foreign.referencedTable.hasSameBytes(as: parent.name) {
                guard let positions = foreign.positions(in: parent.description) else { continue }
                let logged = foreign.columns.compactMap { synced.logColumn($0) }
                let values = zip(foreign.columns, positions).compactMap {
                    synced.form($0).local(before[$1])
                }
                guard logged.count == positions.count, values.count == positions.count,
                    !values.contains(where: \.isNull)
                else { continue }
                try takeAlong(child, where: logged, are: values)
            }
        }
    }

    /// Every row of the log that once held some values.
    private func takeAlong(_ table: Int, where columns: [String], are values: [Value]) throws {
        let condition = columns.enumerated().map { "\($1) = ?\($0 + 1)" }
            .joined(separator: " AND ")
        try reading(table).forEachRow(where: condition, values) { rawKey in
            belonging.append((table, rawKey))
            return true
        }
    }

    // MARK: What cannot be sent

    private func refusal(_ table: SyncedTable, _ row: [StoredValueForm]) -> Refusal? {
        for (column, form) in row.enumerated() {
            let description = table.description.columns[column]
            // It is not sent.
            if description.isGenerated { continue }
            let name = "\(table.name).\(description.name)"
            if case .invalidText = form {
                return Refusal(
                    code: .invalidText,
                    message: "\(name) holds text that is not UTF-8. Mend it, and it is sent.")
            }
            if form.value.byteCount > hubLimits.maximumValueBytes {
                return Refusal(
                    code: .tooLarge,
                    message: """
                        \(name) is larger than \(hubLimits.maximumValueBytes) bytes, the most that \
                        the hub takes. Make it smaller, and it is sent.
                        """)
            }
            guard table.description.isKey(column) else { continue }
            let columnForm = table.form(column)
            let canonical = description.type.normalized(columnForm.portable(form.value))
            if form.value.isNull {
                return Refusal(code: .notNull, message: "\(name) is NULL, and part of the key.")
            }
            if columnForm.local(canonical) != form.value {
                return Refusal(
                    code: .type,
                    message: """
                        \(name) is part of the key and not in the form in which \
                        \(description.type.name) is stored (a UUID in lower case, a number \
                        without zeros at its end). Write it in that form.
                        """)
            }
        }
        return nil
    }

    /// The change stays in the log and is listed as refused; it is tried again with each batch.
    private func hold(
        _ table: SyncedTable, _ name: RowName, _ note: Note, _ refusal: Refusal
    ) throws {
        let known = "SELECT 1 FROM _moorage_refused WHERE held AND tbl = ?1 AND key = ?2"
        let key = name.key.values.jsonText()
        guard try !transaction.statements(known).exists([.text(name.table), .text(key)]) else {
            return
        }
        let operation: RefusedChange.Operation =
            switch note.kind {
            case .insert: .insert
            case .update, .touch: .update
            case .delete: .delete
            }
        // The value stays in the row: the list would only double what is too large.
        try RefusedList(statements: transaction.statements).add(
            RefusedList.Entry(
                name: name, operation: operation,
                columns: table.columns.columns, before: nil, after: nil, refusal: refusal,
                at: now, isHeld: true))
    }

    // MARK: What goes together

    /// Rows of a cycle of tables, and of a table that refers to itself, take new parents along; so do
    /// rows that were taken along themselves, from a table whose turn has not come.
    private func seekParents(_ table: Int, _ row: [Value]) throws {
        let synced = tables[table]
        for foreign in synced.description.foreignKeys {
            guard
                let parent = tables.firstIndex(where: {
                    $0.name.hasSameBytes(as: foreign.referencedTable)
                }), parent >= firstOpen, logCounts[parent] > 0
            else { continue }
            let values = foreign.columns.map { row[$0] }
            guard !values.contains(where: \.isNull),
                let rawKey = try parentKey(parent, foreign.referencedColumns, values)
            else { continue }
            belonging.append((parent, rawKey))
        }
    }

    private func parentKey(_ parent: Int, _ columns: [String], _ values: [Value]) throws
        -> [Value]?
    {
        let synced = tables[parent]
        let positions = columns.compactMap { synced.description.column(named: $0) }
        guard positions.count == columns.count else { return nil }
        let local = zip(positions, values).compactMap { synced.form($0).local($1) }
        guard local.count == values.count else { return nil }
        let condition = positions.enumerated().map {
            "\(SQLText.name(synced.localName($1))) = ?\($0 + 1)"
        }.joined(separator: " AND ")
        let target = SQLText.name(synced.tracked.local.name)
        return try transaction.statements(
            "SELECT \(SQLText.names(synced.keyLocalNames)) FROM \(target) WHERE \(condition)"
        ).first(local)?.map(\.value)
    }

    /// Rows that held, before their own edit, a unique value that this row takes.
    private func seekFormerHolders(_ table: Int, _ stored: [StoredValueForm]) throws {
        let reading = reading(table)
        for places in reading.uniquePlaces {
            let values = places.compactMap { place in
                tables[table].columnOfPlace[place].map { stored[$0].value }
            }
            guard values.count == places.count, !values.contains(where: \.isNull) else { continue }
            try takeAlong(table, where: places.map { "o\($0)" }, are: values)
        }
    }

    /// Takes one more row, unless the hub would refuse so large a batch.
    private func takeRow(_ table: Int, _ rawKey: [Value]) throws {
        guard rows < hubLimits.maximumBatchRows, bytes < hubLimits.maximumBatchBytes else { return }
        if let number = groups?.number(table, rawKey) { return try takeGroup(number) }
        let group = try group(table, rawKey)
        guard !group.entries.isEmpty else { return }
        let name = RowName(table: tables[table].name, key: tables[table].key(raw: rawKey))
        guard !taken.contains(name) else { return }
        guard let note = try note(table, group) else { return }
        try add(table, name, group, note)
    }

    // MARK: The log

    private func settleLog(_ table: Int) throws {
        let reading = reading(table)
        for seq in takenEntries[table] { try reading.delete(seq: seq) }
        guard try reading.isEmpty() else { return }
        try transaction.db.execute(
            sql: "UPDATE _moorage_table SET checked_seq = NULL, checked_at = NULL WHERE name = ?",
            arguments: [tables[table].name])
        try reading.dropIndexes()
    }
}

extension Note {
    /// Whether the change gives one of the columns its value.
    fileprivate func writes(_ columns: [Int]) -> Bool {
        switch kind {
        case .insert: true
        case .update(let old): old.contains { columns.contains($0.column) }
        case .delete, .touch: false
        }
    }
}
