public import MoorageCore
public import MoorageWire

/// Attaches a hub to a central database and detaches it again (docs/reference/hub.md, Attaching).
/// Synchronous.
///
/// Every step can be repeated. The next attach finishes one that was broken off.
public struct Attachment {
    let connection: any CentralConnection
    let scopes: ScopeSettings
    let keys: [String: [String]]
    private let makeID: () -> String
    /// How many existing rows get their tracking rows in one transaction.
    package var batchRows = 5_000
    /// Called between these transactions. An error that it throws breaks the attach off.
    package var afterBatch: () throws -> Void = {}

    /// - Parameters:
    ///   - scopes: How rows come into scopes. Leaving out a table's scopes does not give its rows
    ///     to everyone: see `unscoping`.
    ///   - keys: The keys of tables without a primary key (``HubConfiguration/keys``).
    ///   - makeID: Makes a random id: for the hub, and for each epoch.
    public init(
        on connection: any CentralConnection, scopes: ScopeSettings = ScopeSettings(),
        keys: [String: [String]] = [:], makeID: @escaping () -> String
    ) {
        self.connection = connection
        self.scopes = scopes
        self.keys = keys
        self.makeID = makeID
    }

    /// What an attach would do, as SQL, without doing it.
    ///
    /// The statements for the tracking of a table come only once it has its key.
    ///
    /// - Parameters:
    ///   - names: The tables to sync; `nil` for every table that can be synced.
    ///   - keyless: Tables without any key, to which the attach would add one.
    public func plan(tables names: [String]?, addingKeysTo keyless: [String] = []) throws
        -> [String]
    {
        let isThere = try connection.hasMetadata()
        let installed = try isThere ? Installed(connection) : Installed()
        let plan = try makePlan(names, installed, addingKeysTo: keyless)
        var steps = connection.metadataSteps()
        for table in plan.removed { steps += try connection.detachSteps(for: table) }
        for item in plan.attached {
            if item.hasAddedKey {
                let added = try connection.addKeySteps(to: item.table)
                steps += added
                if !added.isEmpty {
                    steps.append(
                        "-- \(item.table.name): existing rows get keys, \(batchRows) in a transaction"
                    )
                }
                steps += try connection.closeKeySteps(of: item.table)
                if !added.isEmpty {
                    steps.append(
                        "-- \(item.table.name): a tracking table and triggers, by that key")
                    continue
                }
            }
            steps += try connection.attachSteps(for: item.table, previous: item.previous)
            steps.append(
                "-- \(item.table.name): existing rows get tracking rows, \(batchRows) in a transaction"
            )
            if try isReadAgain(item)
                || isThere && Metadata(connection: connection).missed(item.table) != nil
            {
                steps.append("-- \(item.table.name): devices read every row again")
            }
            // The steps above make what these steps read.
            if item.previous != nil { steps += try connection.repairSteps(for: item.table) }
        }
        for table in plan.leftKeys { steps += try connection.removeKeySteps(from: table) }
        return steps
    }

    /// Attaches tables, and detaches those that are not named any more. One transaction makes a
    /// table's triggers, many fill its tracking rows, and a last one records the table. The owner's
    /// writers wait for a moment at most (docs/decisions/0035).
    ///
    /// - Returns: The tables that are synced. When `names` is `nil`, also those that cannot be,
    ///   each with the reason.
    /// - Throws: ``HubError`` `tableUnsupported` when a table that was named cannot be synced.
    ///   Nothing was changed then. `differentHub` or `configuration`, where the database cannot go
    ///   on as the hub of the move.
    ///
    /// - Parameters:
    ///   - unscoping: Whether the rows of tables that had scopes, and have none any more, may go to
    ///     everyone from now on.
    ///   - keyless: Tables without any key, which get the column ``KeylessTable/addedKey``.
    ///   - move: The hub that goes on in this database, with a new epoch; `nil` for a hub of its
    ///     own.
    public func attach(
        tables names: [String]?, newEpoch: Bool = false, unscoping: Bool = false,
        addingKeysTo keyless: [String] = [], continuing move: HubMove? = nil,
        progress: (String) -> Void = { _ in }
    ) throws -> AttachReport {
        let metadata = Metadata(connection: connection)
        var installed = Installed()
        // Some databases commit each statement that makes a table. There an attach can end before
        // it writes the facts. The format is the last of them.
        let isThere = try connection.hasMetadata()
        let isAttached = try isThere && metadata.value("format") != nil
        if isAttached {
            _ = try metadata.facts(oldest: 1)
            installed = try Installed(connection)
        }
        if let move { try metadata.check(move, isThere: isThere) }
        // The whole plan comes first, so that an attach that cannot succeed changes nothing.
        var plan = try makePlan(names, installed, addingKeysTo: keyless)
        if !unscoping, !installed.known.isEmpty { try refuseUnscoping(plan, metadata) }
        try retrying {
            for step in connection.metadataSteps() { try connection.runStep(step) }
            try FormatUpgrade(connection: connection).run()
            if try metadata.value("hub") == nil {
                if let move { try metadata.record(move) }
                try metadata.set("hub", move?.hub ?? makeID())
                try metadata.begin(makeID())
            }
            if try metadata.value("cursor_secret")?.isEmpty != false {
                try metadata.set("cursor_secret", makeID() + makeID())
            }
            if try metadata.value("purge") == nil { try metadata.set("purge", "0") }
            try metadata.set("format", String(Metadata.format))
        }
        for table in plan.removed {
            progress("detaching \(table.name)")
            try detach(table)
        }
        let keyed = plan.attached.filter(\.hasAddedKey)
        for item in keyed { try addKey(to: item, progress) }
        if !keyed.isEmpty {
            // The tables as the database describes them, now that they have their keys.
            let removed = plan.removed
            plan = try makePlan(names, Installed(connection, known: installed.known))
            plan.removed = removed
        }
        for item in plan.attached {
            progress("attaching \(item.table.name)")
            try retrying {
                // Reserves the table's number before anything has it in its name.
                if item.previous == nil { try metadata.begin(item.table) }
                let isReadAgain = try isReadAgain(item)
                for step in try connection.attachSteps(for: item.table, previous: item.previous) {
                    try connection.runStep(step)
                }
                // This is recorded with the triggers, in case the attach breaks off after them.
                if isReadAgain { try metadata.setMissed(item.table, by: makeID()) }
            }
            try fill(item.table, progress)
            while try !end(item.table, progress) {}
        }
        for table in plan.leftKeys { try removeKey(from: table) }
        // A running hub reads its tables again when this text changes.
        let attachedAs = plan.attached.filter { !$0.table.scopes.isEmpty }
            .map { "\($0.table.number):\($0.table.scopes.text)" }.joined(separator: "\n")
        if try metadata.value("attached_as") ?? "" != attachedAs {
            try retrying { try metadata.set("attached_as", attachedAs) }
        }
        // What was attached before as this hub has an epoch that replicas may know.
        let again = isAttached ? move : nil
        if newEpoch || again != nil {
            try retrying {
                if let again { try metadata.record(again) }
                try renewEpoch()
            }
        }
        return AttachReport(
            attached: plan.attached.map(\.table.description), unsupported: plan.unsupported,
            removed: plan.removed.map(\.name))
    }

    private func fill(_ table: AttachedTable, _ progress: (String) -> Void) throws {
        try repeating {
            try connection.fillTracking(table, batch: batchRows) { count in
                progress("attaching \(table.name): \(count) rows")
                try afterBatch()
            }
        }
    }

    /// Whether every replica must read a table again: what it missed while the table was suspended,
    /// or while a trigger was missing.
    private func isReadAgain(_ item: Plan.Item) throws -> Bool {
        guard let previous = item.previous else { return false }
        return try item.needsRestamp || connection.hasMissedChanges(item.table, previous: previous)
    }

    /// Restamps a table where that is due, and records that it is attached.
    ///
    /// - Returns: Whether that is done. It is not where another attach has found missed changes
    ///   since this one began to restamp.
    private func end(_ table: AttachedTable, _ progress: (String) -> Void) throws -> Bool {
        let metadata = Metadata(connection: connection)
        let mark = try metadata.missed(table)
        if mark != nil {
            try repeating {
                try connection.restamp(table, batch: batchRows) { count in
                    progress("attaching \(table.name): \(count) rows to read again")
                    try afterBatch()
                }
            }
        }
        var isDone = false
        try retrying {
            for step in try connection.repairSteps(for: table) { try connection.runStep(step) }
            isDone = try metadata.missed(table) == mark
            guard isDone else { return }
            try metadata.save(table)
            try metadata.set(connection.columnForms(of: table.name), of: table)
            try metadata.end(table)
        }
        return isDone
    }

    /// A configuration without scopes, such as another program's, must not send scoped rows to
    /// everybody.
    private func refuseUnscoping(_ plan: Plan, _ metadata: Metadata) throws {
        guard try metadata.facts(oldest: 1).format >= Metadata.formatOfScopes else { return }
        let scoped = try metadata.scopes()
        for item in plan.attached
        where item.table.scopes.isEmpty && scoped[item.table.number] != nil {
            throw HubError.scopesLeftOut(of: item.table.name)
        }
    }

    /// Removes every trace from the central database.
    public func detach() throws {
        guard try connection.hasMetadata() else {
            // Some of Moorage's tables may exist where each statement that makes one commits.
            return try removeRest()
        }
        // An installation of an older format lacks some of these tables.
        try retrying {
            for step in connection.metadataSteps() { try connection.runStep(step) }
        }
        let metadata = Metadata(connection: connection)
        for table in try metadata.tables() + metadata.begunTables() { try detach(table) }
        // Triggers of one table may name the key of another.
        for table in try metadata.tablesWithAddedKey() { try removeKey(from: table) }
        try removeRest()
    }

    /// Removes Moorage's own tables, and objects that they do not name any more.
    private func removeRest() throws {
        try retrying {
            for step in try connection.leftSteps() + connection.detachMetadataSteps() {
                try connection.runStep(step)
            }
        }
    }

    /// Begins a new epoch: every replica reconciles. Call it inside a write transaction.
    func renewEpoch() throws {
        let metadata = Metadata(connection: connection)
        for table in try metadata.tables() { try connection.restamp(table) }
        // Checkpoints of the history that ended mean nothing in this one.
        try metadata.forgetHorizon()
        try metadata.forgetGrants()
        try metadata.begin(makeID())
    }

    private func detach(_ table: AttachedTable) throws {
        try retrying {
            for step in try connection.detachSteps(for: table) { try connection.runStep(step) }
            try Metadata(connection: connection).remove(table)
            try Metadata(connection: connection).end(table)
        }
    }

    /// Runs one transaction, and tries again as ``repeating(_:)`` does. If a statement waited for a
    /// lock, the owner's writers would queue behind it.
    func retrying(_ work: () throws -> Void) throws {
        try repeating { try connection.writing(work) }
    }

    /// Runs work that has transactions of its own, and tries again while other transactions have
    /// the locks that it needs.
    func repeating(_ work: () throws -> Void) throws { try connection.retryingConflicts(work) }
}

/// What an attach did.
public struct AttachReport: Hashable, Sendable {
    /// The tables that are synced now, including those that were attached before.
    public let attached: [TableDescription]
    /// Tables that the attach skipped, each with the reason.
    public let unsupported: [SuspendedTable]
    /// Tables that were tracked and are not any more.
    public let removed: [String]
}
