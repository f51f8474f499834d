import GRDB
import MoorageCore
import MoorageWire

/// Makes a batch of the folded log (docs/reference/client.md, Batches). Inserts and updates come in
/// foreign-key order, then refetches, then deletes in reverse. What is not taken stays.
final class BatchBuilder {
    let transaction: StoreTransaction
    private let limits: BatchLimits
    let hubLimits: HubLimits
    let now: DeviceTime

    private var upserts: [[Change]]
    private var refetches: [Change] = []
    private var deletes: [[Change]]
    var selected: Set<RowName> = []
    var selectedEntries: [[Int64]]
    /// Rows that go together with one that was taken.
    var belonging: [(table: Int, localKey: LocalKey)] = []
    var rows = 0
    var bytes = 0
    /// Whether to find the rows that go together: the log may have more than one batch, or it has
    /// groups.
    var isCut = false
    var logCounts: [Int]
    /// The tables before this one have sent everything but deletes.
    var firstOpen = 0
    var selectsDeletes = false
    private(set) var groups: LogGroups?
    /// Groups that were visited: they are taken, or stay.
    var visitedGroups: Set<Int> = []
    /// A group did not fit. What comes after it may depend on it.
    var isClosed = false
    /// Rows that wait for another, directly or through others, and rows that do not.
    var blocked: Set<LogGroups.Member> = []
    var free: Set<LogGroups.Member> = []
    /// Suspended tables, here or at the hub, that have changes. Other rows may need theirs.
    let suspended: [SuspendedLog]
    /// Whether the device has a change that it cannot send. Other changes may need its row.
    var hasBlocked: Bool
    var foundBlocked = false
    /// Only to answer questions: the form that keys get before the next batch is made.
    var nextUUIDForm: UUIDForm?
    /// Tables with values that wait for the hub's: see ``UndecidedFills``.
    let tablesWithFills: Set<Identifier>
    /// For each table its columns that are synced since it was last read.
    let unreadColumns: [Set<Int>]

    /// Without tables that the hub has suspended: their log stays as it is.
    let tables: [SyncedTable]

    private init(
        _ transaction: StoreTransaction, limits: BatchLimits, hubLimits: HubLimits, now: DeviceTime
    ) throws {
        self.transaction = transaction
        self.limits = limits
        self.hubLimits = hubLimits
        self.now = now
        tables = transaction.tables.active
        suspended = try Self.suspendedLogs(transaction)
        tablesWithFills = try UndecidedFills.tables(among: tables, transaction.statements)
        unreadColumns = tables.map { transaction.tables.unreadColumns(of: $0) }
        hasBlocked = try transaction.statements(
            "SELECT 1 FROM _moorage_refused WHERE blocked LIMIT 1"
        )
        .exists([])
        let count = tables.count
        upserts = Array(repeating: [], count: count)
        deletes = Array(repeating: [], count: count)
        selectedEntries = Array(repeating: [], count: count)
        logCounts = Array(repeating: 0, count: count)
    }

    /// A builder that answers questions about the logs, and writes nothing.
    static func asking(_ transaction: StoreTransaction) throws -> BatchBuilder {
        // The time is for what a batch writes.
        let builder = try BatchBuilder(
            transaction, limits: BatchLimits(), hubLimits: try transaction.meta.hubLimits(), now: 0)
        for table in builder.tables.indices {
            builder.logCounts[table] = try builder.reading(table).count(upTo: 1)
        }
        builder.groups = try LogGroups(
            builder.tables.indices.map(builder.reading), elsewhere: builder.groupsElsewhere())
        // A change that no batch has tried yet counts as well.
        builder.hasBlocked = true
        return builder
    }

    func reading(_ table: Int) -> LogReading {
        LogReading(table: tables[table], statements: transaction.statements)
    }

    var refused: RefusedList { RefusedList(statements: transaction.statements) }

    var maximumRows: Int { min(limits.maximumRows, hubLimits.maximumBatchRows) }
    var maximumBytes: Int { min(limits.maximumBytes, hubLimits.maximumBatchBytes) }
    private var isFull: Bool { isClosed || rows >= maximumRows || bytes >= maximumBytes }

    // MARK: Building

    /// The changes, in the order in which they are sent; empty when there is nothing to send.
    static func build(
        _ transaction: StoreTransaction, limits: BatchLimits, hubLimits: HubLimits, now: DeviceTime
    ) throws -> [Change] {
        func builder() throws -> BatchBuilder {
            try BatchBuilder(transaction, limits: limits, hubLimits: hubLimits, now: now)
        }
        let first = try builder()
        try first.gather()
        guard first.foundBlocked else { return try first.selectedChanges() }
        // The first pass may have taken a change before it found the blocked row that the change
        // needs.
        let second = try builder()
        try second.gather()
        return try second.selectedChanges()
    }

    private func gather() throws {
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
        guard entries > 0 else { return }
        groups = try LogGroups(tables.indices.map(reading), elsewhere: groupsElsewhere())
        // A group is taken before the tables are scanned whose rows it may need.
        isCut = entries > limits.maximumRows || groups != nil
        for table in tables.indices where logCounts[table] > 0 {
            firstOpen = table
            try scan(table) { if case .delete = $0.kind { false } else { true } }
        }
        selectsDeletes = true
        for table in tables.indices.reversed() where logCounts[table] > 0 {
            try scan(table) { if case .delete = $0.kind { true } else { false } }
        }
    }

    private func selectedChanges() throws -> [Change] {
        for table in tables.indices where logCounts[table] > 0 { try deleteSelected(table) }
        return tables.indices.flatMap { tables[$0].description.parentsFirst(upserts[$0]) }
            + refetches
            + tables.indices.reversed().flatMap {
                tables[$0].description.parentsFirst(deletes[$0]).reversed()
            }
    }

    /// One row's log.
    struct Group {
        let localKey: LocalKey
        var folding = LocalChangeFolding()
        var entries: [Int64] = []

        mutating func add(_ entry: LogReading.Entry) {
            folding.add(entry.entry)
            entries.append(entry.seq)
        }
    }

    func group(_ table: Int, _ localKey: LocalKey) throws -> Group {
        var group = Group(localKey: localKey)
        for entry in try reading(table).entries(localKey: localKey) { group.add(entry) }
        return group
    }

    func localChange(_ table: Int, _ group: Group) throws -> LocalChange? {
        try reading(table).localChange(group.folding, localKey: group.localKey)
    }

    /// Scans the log of a table row by row, and takes the wanted local changes until the batch is
    /// full.
    private func scan(_ table: Int, _ isWanted: (LocalChange) -> Bool) throws {
        guard !isFull else { return }
        let reading = reading(table)
        let order = (tables[table].tracked.keyColumns + ["seq"]).joined(separator: ", ")
        // A statement of its own: rows that go together are read while it runs.
        let statement = try transaction.statements.own(
            "SELECT \(reading.columns) FROM \(reading.log) ORDER BY \(order)")
        var group: Group?
        while try statement.step() {
            let entry = reading.entry(statement)
            if let finished = group, finished.localKey != entry.localKey {
                try select(table, finished, isWanted)
                if isFull { return statement.reset() }
                group = nil
            }
            group = group ?? Group(localKey: entry.localKey)
            group?.add(entry)
        }
        if let group { try select(table, group, isWanted) }
    }

    private func select(_ table: Int, _ group: Group, _ isWanted: (LocalChange) -> Bool) throws {
        let name = tables[table].rowName(tables[table].key(group.localKey))
        guard !selected.contains(name) else { return }
        guard let localChange = try localChange(table, group) else {
            // It says nothing: a candidate whose row still exists, or an update of columns that are
            // not synced.
            selectedEntries[table] += group.entries
            return
        }
        guard isWanted(localChange) else { return }
        if let number = groups?.number(table, group.localKey) {
            try selectGroup(number)
        } else {
            try add(table, name, group, localChange)
        }
        // Without recursion: a chain of parents may be as long as the log.
        while let next = belonging.popLast() { try selectRow(next.table, next.localKey) }
    }

    // MARK: One change

    func add(_ table: Int, _ name: RowName, _ group: Group, _ localChange: LocalChange) throws {
        switch try made(table, group, localChange) {
        case .nothing:
            selectedEntries[table] += group.entries
            if hasBlocked { try refused.release(name) }
        case .blocked(let refusal): try block(tables[table], name, localChange, refusal)
        case .change(let operation, let stored):
            if try dependsOnBlocked(table, group.localKey, operation) { return }
            finish(table, name, group, localChange, operation)
            try listUnsent(table, name, localChange, stored)
            try seek(table, operation, stored)
        }
    }

    func finish(
        _ table: Int, _ name: RowName, _ group: Group, _ localChange: LocalChange,
        _ operation: Change.Operation,
        number: Int? = nil
    ) {
        let change = Change(
            table: name.table, key: name.key, operation: operation, editedAt: localChange.at,
            isAgain: localChange.isAgain, group: number)
        selected.insert(name)
        selectedEntries[table] += group.entries
        rows += 1
        bytes += change.byteCount
        switch operation {
        case .insert, .update: upserts[table].append(change)
        case .refetch: refetches.append(change)
        case .delete: deletes[table].append(change)
        }
    }

    // MARK: The log

    private func deleteSelected(_ table: Int) throws {
        let reading = reading(table)
        for seq in selectedEntries[table] { try reading.delete(seq: seq) }
        guard try reading.isEmpty() else { return }
        try transaction.records.forgetCheckedTimes(of: tables[table].name)
        try reading.dropIndexes()
    }
}

extension LocalChange {
    /// Whether the change gives one of the columns its value.
    func writes(_ columns: [Int]) -> Bool {
        switch kind {
        case .insert: true
        case .update(let old): old.contains { columns.contains($0.column) }
        case .delete, .refetch: false
        }
    }
}
