import Logging
import MoorageCore
import MoorageWire

/// One exchange as steps, each one frame of the answer and one piece of synchronous work on a
/// connection.
///
/// Between two steps no transaction and no lock is held, and between two turns no connection: so a slow
/// client costs nothing. Steps that are short follow each other in one turn.
struct ExchangeSteps: Sendable {
    private enum Stage: Sendable {
        case welcome, push, page, end, done
    }

    /// Without its batch once that was taken.
    private var request: ExchangeRequest
    private let configuration: HubConfiguration
    private let states: HubStateReader
    private let handlers: HandlerRunner
    private let makeID: @Sendable () -> String
    private let logger: Logger
    private var stage = Stage.welcome
    private var cursor: SyncCursor
    private var answered: [Change] = []
    private var pages = 0
    private var hasMore = false
    /// How the answer stays open, if it may.
    private let terms: LiveTerms?
    /// What goes on after the last frame of an answer that stays open.
    private(set) var opening: LiveOpening?
    /// The hub's clock when the exchange began: what it waits for later is not the device's clock.
    private var arrivedAt: Int64 = 0

    /// Whose exchange it is; `nil` for one that holds only what is everyone's.
    private let principal: Principal?
    private var scopes = ReplicaScopes.everyones
    private let rights: UserRights
    private var isOutdated = false
    /// What the database was asked in this turn.
    private var seen: HubState?
    private var isPurgeDue = false

    init(
        request: ExchangeRequest, principal: Principal? = nil, configuration: HubConfiguration,
        states: HubStateReader, handlers: HandlerRunner, terms: LiveTerms? = nil,
        makeID: @escaping @Sendable () -> String, logger: Logger
    ) {
        self.request = request
        self.principal = principal
        self.configuration = configuration
        self.states = states
        self.handlers = handlers
        self.terms = request.isLive && request.protocolVersion > 1 ? terms : nil
        self.makeID = makeID
        self.logger = logger
        rights = UserRights(configuration, of: principal)
        cursor = request.cursor
    }

    /// Whether the last frame was given: nothing is asked of the database for what is over.
    var isOver: Bool { stage == .done }

    /// What one turn said: its frames, and what it came to grief on after them.
    struct Turn: Sendable {
        var frames: [Frame] = []
        var failure: (any Error)?
    }

    /// The next frames.
    ///
    /// - Parameter notice: Told of each frame as soon as what it tells of stands, with the hub as this turn
    ///   has seen it.
    mutating func turn(
        on connection: any CentralConnection, notice: (Frame, HubState?) -> Void
    ) -> Turn {
        var turn = Turn()
        seen = nil
        do {
            repeat {
                guard let frame = try step(on: connection) else { break }
                notice(frame, seen)
                turn.frames.append(frame)
            } while isNextShort
        } catch {
            turn.failure = error
        }
        return turn
    }

    private var isNextShort: Bool {
        switch stage {
        case .welcome, .done: false
        case .push: request.batch?.isShort ?? true
        case .page: pages == 0
        case .end: !isPurgeDue
        }
    }

    /// The next frame alone, as a turn of its own; `nil` after the last.
    mutating func next(on connection: any CentralConnection) throws -> Frame? {
        seen = nil
        return try step(on: connection)
    }

    private mutating func step(on connection: any CentralConnection) throws -> Frame? {
        switch stage {
        case .welcome: return try welcome(connection)
        case .push: return try push(connection)
        case .page: return try page(connection)
        case .end:
            stage = .done
            if isPurgeDue { purgeIfDue(connection) }
            return opening == nil ? .end(End(hasMore: hasMore)) : nil
        case .done: return nil
        }
    }

    /// The hub as this turn found it.
    private mutating func state(_ connection: any CentralConnection) throws -> HubState {
        if let seen { return seen }
        let state = try states.state(connection)
        seen = state
        return state
    }

    private mutating func welcome(_ connection: any CentralConnection) throws -> Frame {
        var state = try state(connection)
        arrivedAt = state.now
        if let hub = request.hub, !hub.hasSameBytes(as: state.facts.hub) {
            throw HubError(
                .differentHub,
                """
                This file is a replica of the hub \(hub), and this is the hub \(state.facts.hub). \
                Point the replica at its own hub, or make a new file for this one; nothing was changed.
                """)
        }
        if !configuration.scopes.rules.isEmpty, request.protocolVersion < 2 {
            throw HubError(
                .protocolTooOld,
                "This hub gives each replica its own rows, which needs protocol 2. Update the app.")
        }
        let lastBatch = try gate(connection).admit(request, now: arrivedAt)
        if try isHistoryLost(state, lastBatch: lastBatch, connection) {
            try renewEpoch(connection)
            seen = nil
            state = try self.state(connection)
        }
        isPurgeDue = configuration.retention.isDue(since: state.facts.purgedAt, now: arrivedAt)
        // A cursor of another epoch, or one that is too old: the replica begins anew before anything
        // is taken or sent.
        let isOther = cursor.epoch != nil && cursor.epoch != state.facts.epoch
        let isExpired =
            try !isOther
            && (cursor.isBehind(state.facts.horizon, connection) || !readScopes(state, connection))
        isOutdated = knowsOtherColumns(state)
        let hasNoPage = isOther || isExpired || (isOutdated && request.batch == nil)
        stage = hasNoPage ? .end : request.batch == nil ? .page : .push
        hasMore = hasNoPage
        let keys = isOther ? [] : leaseKeys(state, connection)
        return .welcome(
            Welcome(
                hub: state.facts.hub, epoch: state.facts.epoch, time: arrivedAt,
                schemaVersion: state.attached.schema.version,
                schema: request.schemaVersion == state.attached.schema.version
                    ? nil : state.attached.schema.spoken(in: request.protocolVersion),
                isExpired: isExpired, stopped: stopped(state), limits: configuration.limits,
                keys: keys, user: principal?.digest, live: hasNoPage ? nil : terms))
    }

    private func seals(_ state: HubState) -> CursorSeals? {
        CursorSeals(state.facts, of: principal, settings: configuration.scopes)
    }

    private func gate(_ connection: any CentralConnection) -> ReplicaGate {
        ReplicaGate(
            connection: connection, replica: request.replica, formerly: request.formerly,
            user: request.user, principal: principal, configuration: configuration)
    }

    /// - Returns: Whether the hub knows of all the scopes that the cursor names.
    private mutating func readScopes(
        _ state: HubState, _ connection: any CentralConnection
    ) throws -> Bool {
        let reader = ReplicaScopesReader(
            connection: connection, settings: configuration.scopes, seals: seals(state))
        guard
            let read = try reader.read(replica: request.replica, of: principal, at: cursor)
        else { return false }
        scopes = read
        return true
    }

    /// Whether the replica asks for columns that a table does not have any more. It reads the table anew
    /// with the schema of the welcome, from the state that it knows: a page for the others alone would
    /// carry it beyond deletions in this one.
    private func knowsOtherColumns(_ state: HubState) -> Bool {
        guard let known = request.schemaVersion, known != state.attached.schema.version else {
            return false
        }
        return request.tables.contains { table in
            state.attached.table(named: table.name) != nil
                && RequestedTable(table, in: state.attached) == nil
        }
    }

    private mutating func push(_ connection: any CentralConnection) throws -> Frame {
        guard let batch = request.batch else {
            throw HubError(.internalError, "There is no batch.")
        }
        if isOutdated {
            hasMore = true
            stage = .end
            return .outcomes(Outcomes(number: batch.number, status: .notTaken, outcomes: []))
        }
        if !configuration.scopes.rules.isEmpty { try connection.deriveNotedMoves() }
        let push = Push(
            connection: connection, state: try state(connection), configuration: configuration,
            handlers: handlers, replica: request.replica, sentAt: request.sentAt,
            arrivedAt: arrivedAt, held: scopes.held, rights: rights, gate: gate(connection))
        let outcomes = try push.take(batch)
        seen?.mark = nil
        request = request.carrying(nil)
        switch outcomes.status {
        case .applied, .alreadyApplied:
            answered = batch.changes
            stage = .page
        case .forked, .notTaken:
            hasMore = true
            stage = .end
        }
        return .outcomes(outcomes.spoken(in: request.protocolVersion))
    }

    private mutating func page(_ connection: any CentralConnection) throws -> Frame {
        // Somebody may have taken its leave since the turn before.
        if seen == nil { try gate(connection).check() }
        let state = try state(connection)
        let tables = requested(state)
        var signatures = Dictionary(
            tables.map { ($0.attached.name, $0.restricted.signature) },
            uniquingKeysWith: { first, _ in first })
        signatures[""] = state.attached.schema.version
        let pull = Pull(
            connection: connection, epoch: state.facts.epoch, tables: tables,
            stopped: Set(state.attached.stopped.keys), signatures: signatures,
            scopes: scopes, seals: seals(state),
            limits: limits)
        let page =
            try state.mark.flatMap { pull.pageOfNothing(after: cursor, at: $0) }
            ?? read(pull, on: connection)
        answered = []
        cursor = page.cursor
        pages += 1
        hasMore = !page.isCaughtUp
        if page.isCaughtUp
            || pages >= max(1, min(request.limits.maximumPages, configuration.pages.maximumPages))
        {
            stage = .end
        }
        if page.isCaughtUp, terms != nil {
            opening = LiveOpening(
                member: LiveMember(request, of: principal), view: view(of: pull, state),
                cursor: page.cursor, time: arrivedAt)
        }
        return .page(page)
    }

    private func read(_ pull: Pull, on connection: any CentralConnection) throws -> Page {
        // Before each page: a row that goes out without a number stays on the device when the central
        // database is restored to that very mark.
        try connection.numberChanges()
        return try configuration.scopes.rules.isEmpty
            ? connection.numbered { try pull.page(after: cursor, answering: answered) }
            : connection.settled { try pull.page(after: cursor, answering: answered) }
    }

    private func view(of pull: Pull, _ state: HubState) -> LiveView {
        LiveView(
            name: LiveView.Name(
                epoch: pull.epoch, schemaVersion: state.attached.schema.version,
                stopped: pull.stopped,
                tables: pull.tables.map {
                    TableColumns(
                        name: $0.attached.name, columns: $0.restricted.columns.map(\.name))
                }, held: scopes.held, sealed: pull.seals.flatMap { _ in principal?.subject },
                limits: pull.limits), tables: pull.tables, signatures: pull.signatures)
    }

    private var limits: PageLimits {
        PageLimits(
            maximumRows: max(1, min(request.limits.maximumRows, configuration.pages.maximumRows)),
            maximumBytes: max(1, min(request.limits.maximumBytes, configuration.pages.maximumBytes))
        )
    }

    /// The replica's tables as the hub has them, in foreign-key order.
    private func requested(_ state: HubState) -> [RequestedTable] {
        let tables = request.tables.compactMap { RequestedTable($0, in: state.attached) }
            .filter {
                $0.attached.description.direction.isReceived && rights.mayRead($0.attached.name)
            }
        return state.attached.tables.compactMap { attached in
            tables.first { $0.attached.number == attached.number }
        }
    }

    /// Tables that stand still, and tables that the replica asks for and the hub does not have so.
    private func stopped(_ state: HubState) -> [StoppedTable] {
        // A table whose columns moved is read anew with the schema that the welcome brings.
        let unknown = request.tables.filter { state.attached.table(named: $0.name) == nil }
        let forbidden = request.tables.filter { !rights.mayRead($0.name) }
        return state.attached.stoppedTables
            + forbidden.map {
                StoppedTable(name: $0.name, reason: "Its user may not read \($0.name).")
            }
            + unknown.map { table in
                StoppedTable(
                    name: table.name,
                    reason:
                        "The hub does not sync a table \(table.name). Attach it, or leave it out.")
            }
    }

    // MARK: Keys

    /// Keys for rows that the replica inserts while it is away: it is to have two blocks of each table
    /// that hands them out. They are no part of what was asked for: what fails is logged, and tried
    /// again by the next exchange.
    private func leaseKeys(
        _ state: HubState, _ connection: any CentralConnection
    ) -> [KeyBlock] {
        guard let left = request.keys else { return [] }
        let leases = state.attached.runningTables.compactMap { table -> KeyLease? in
            guard let block = configuration.rules(for: table.name).keyBlock,
                table.description.direction.takesChanges, rights.mayInsert(table.name),
                request.tables.contains(where: { $0.name.hasSameBytes(as: table.name) })
            else { return nil }
            let known = left.first { $0.table.hasSameBytes(as: table.name) }?.count ?? 0
            return KeyLease(table, block: block, left: known)
        }
        // Each by itself: one that has come to its end leaves the others alone.
        return leases.compactMap { lease in
            do {
                return try connection.writing { try lease.take(on: connection) }
            } catch {
                logger.warning(
                    "Keys could not be handed out; the next exchange tries again.",
                    metadata: [
                        "table": "\(lease.table.name)",
                        "error": "\((error as? CentralError)?.message ?? "\(type(of: error))")",
                    ])
                return nil
            }
        }
    }

    // MARK: Retention

    /// Some exchange a day pays for a bounded step of the purge, so that no hub needs a timer. It is
    /// no part of the answer: what fails is logged, and tried again by a later one.
    private func purgeIfDue(_ connection: any CentralConnection) {
        do {
            let state = try states.state(connection)
            guard configuration.retention.isDue(since: state.facts.purgedAt, now: arrivedAt)
            else { return }
            let purge = Purge(
                connection: connection, policy: configuration.retention,
                hasClasses: !configuration.classes.isEmpty, audit: configuration.audit)
            try connection.writing {
                try purge.step(of: state.attached.runningTables, now: arrivedAt)
            }
        } catch {
            logger.warning(
                "What is older than the retention time could not be forgotten; a later exchange tries again.",
                metadata: ["error": "\((error as? CentralError)?.message ?? "\(type(of: error))")"])
        }
    }

    // MARK: The epoch

    /// Signs that the central history went back or moved (docs/design.md, 5.2).
    ///
    /// - Parameter lastBatch: The last one of this replica that the hub knows of.
    private func isHistoryLost(
        _ state: HubState, lastBatch: Int64?, _ connection: any CentralConnection
    ) throws -> Bool {
        if state.identity != state.facts.identity { return true }
        guard cursor.epoch == state.facts.epoch else { return false }
        // A cursor that is made up says nothing of this hub's history.
        if seals(state)?.accept(cursor) == false { return false }
        if try cursor.isOfLostHistory(state.facts, connection), !planted(.unknownMarkAccepted) {
            return true
        }
        // What was answered is remembered for ever.
        let answered = max(request.answered, (request.batch?.number ?? 1) - 1)
        guard answered > 0, !planted(.batchGapIgnored) else { return false }
        return answered > lastBatch ?? 0
    }

    private func renewEpoch(_ connection: any CentralConnection) throws {
        try connection.writing {
            try Attachment(on: connection, makeID: makeID).renewEpoch()
        }
    }
}

extension Batch {
    /// It takes no longer than a round trip: nobody needs to be told before it that it began.
    package var isShort: Bool { changes.count <= 100 }
}
