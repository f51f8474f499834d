import Logging
import MoorageCore
import MoorageWire

/// One exchange as steps. Each step makes frames of the answer, in one piece of synchronous work on
/// a connection.
///
/// Between two frames there is no transaction and no lock, and between two steps no connection. So
/// a slow client costs nothing. Short frames share a step.
struct ExchangeSteps: Sendable {
    private enum Stage: Sendable {
        case welcome, push, page, end, done
    }

    /// Without its batch, once a push has taken it.
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
    /// How the answer may stay open; `nil` where it may not.
    private let terms: LiveTerms?
    /// What a live stream continues from, after the last frame; `nil` where the answer ends.
    var opening: LiveOpening? { terms == nil ? nil : position }
    /// Where the replica is, if it has caught up, and if somebody needs to know.
    private(set) var position: LiveOpening?
    /// The hub's clock when the exchange began. A later time would include waiting, which is no
    /// difference between the clocks.
    private var arrivedAt: HubTime = 0

    /// Whose exchange it is; `nil` for one that gets only what is everyone's.
    private let principal: Principal?
    private var scopes = ReplicaScopes.everyones
    private let rights: UserRights
    private let barred: BarredTables
    /// The hub as this step has read it.
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
        self.terms = request.isLive ? terms : nil
        self.makeID = makeID
        self.logger = logger
        rights = UserRights(configuration, of: principal)
        barred = BarredTables(configuration, for: request.clientVersion)
        cursor = request.cursor
    }

    /// Whether the last frame was returned. The exchange asks the database nothing after that.
    var isOver: Bool { stage == .done }

    /// What one step made: its frames, and the error that followed them.
    struct Step: Sendable {
        var frames: [Frame] = []
        var failure: (any Error)?
    }

    /// The next frames.
    ///
    /// - Parameter notice: Called with each frame as soon as what it reports is committed, and with
    ///   the hub as this step has read it.
    mutating func step(
        on connection: any CentralConnection, notice: (Frame, HubState?) -> Void
    ) -> Step {
        var step = Step()
        seen = nil
        do {
            repeat {
                guard let frame = try nextFrame(on: connection) else { break }
                notice(frame, seen)
                step.frames.append(frame)
            } while isNextShort
        } catch {
            step.failure = error
        }
        return step
    }

    private var isNextShort: Bool {
        switch stage {
        case .welcome, .done: false
        case .push: request.batch?.isShort ?? true
        case .page: pages == 0
        case .end: !isPurgeDue
        }
    }

    /// The next frame alone, as a step of its own; `nil` after the last.
    mutating func next(on connection: any CentralConnection) throws -> Frame? {
        seen = nil
        return try nextFrame(on: connection)
    }

    private mutating func nextFrame(on connection: any CentralConnection) throws -> Frame? {
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

    /// The hub as this step found it.
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
            throw HubError.differentHub(own: hub, hub: state.facts.hub)
        }
        let known = try gate(connection).admit(request, now: arrivedAt)
        let epoch = try checkHistory(&state, known, connection)
        isPurgeDue = configuration.retention.isDue(since: state.facts.purgedAt, now: arrivedAt)
        // The cursor is of another epoch, or too old: the replica starts over before the hub takes
        // or sends anything.
        let isOther = cursor.epoch != nil && cursor.epoch != epoch
        let visible = try VisibleScopesReader(
            connection: connection, settings: configuration.scopes
        ).read(for: principal)
        let isExpired =
            try !isOther
            && (cursor.isBehind(state.facts.horizon, connection)
                || !readScopes(visible, state, connection))
        // The batch stays in flight: the hub may have applied it, and the replica not know that.
        let hasNoPage = isOther || isExpired || knowsOtherColumns(state)
        stage = hasNoPage ? .end : request.batch == nil ? .page : .push
        hasMore = hasNoPage
        let leases = KeyLeases(
            request: request, state: state, configuration: configuration, rights: rights)
        let keys = isOther ? [] : leases.issue(on: connection, logger)
        var welcome = Welcome(
            hub: state.facts.hub, epoch: epoch, time: arrivedAt,
            schemaVersion: state.attached.schema.version,
            schema: request.schemaVersion == state.attached.schema.version
                ? nil : state.attached.schema,
            isExpired: isExpired, suspended: suspended(state), limits: configuration.limits,
            keys: keys, user: principal?.digest, live: hasNoPage ? nil : terms)
        welcome.unavailable = request.scopes.unavailable(to: visible.all)
        welcome.rights = state.attached.rights(
            of: rights, unlessKnownAs: request.rightsVersion)
        welcome.minimumClientVersion = configuration.minimumClientVersion
        welcome.copiedAt = isOther ? state.facts.copiedAt : nil
        return .welcome(welcome)
    }

    /// - Parameter state: The hub's state, which is read again when a new epoch begins.
    /// - Returns: The epoch for the welcome. Where only this replica has to reconcile, it is an
    ///   epoch that the replica does not know.
    private mutating func checkHistory(
        _ state: inout HubState, _ known: ReplicaGate.PriorState,
        _ connection: any CentralConnection
    ) throws -> Epoch {
        let check = HistoryCheck(
            connection: connection, state: state, signer: signer(state), request: request)
        guard let evidence = try check.evidence(lastBatch: known.lastBatch) else {
            return state.facts.epoch
        }
        guard check.isForAll(evidence, wasKnown: known.isKnown) else {
            check.tellOfClaim(evidence, by: principal, logger)
            return Epoch(makeID())
        }
        try check.renewEpoch(evidence, by: principal, makeID: makeID, logger)
        seen = nil
        state = try self.state(connection)
        return state.facts.epoch
    }

    private func signer(_ state: HubState) -> CursorSigner? {
        CursorSigner(state.facts, of: principal, settings: configuration.scopes)
    }

    private func gate(_ connection: any CentralConnection) -> ReplicaGate {
        ReplicaGate(
            connection: connection, replica: request.replica, formerly: request.formerly,
            user: request.user, principal: principal, configuration: configuration)
    }

    /// - Returns: Whether the hub knows of all the scopes that the cursor names.
    private mutating func readScopes(
        _ visible: VisibleScopes, _ state: HubState, _ connection: any CentralConnection
    ) throws -> Bool {
        let reader = ReplicaScopesReader(
            connection: connection, signer: signer(state), visible: visible)
        guard
            let read = try reader.read(
                replica: request.replica, of: principal, at: cursor, requested: request.scopes)
        else { return false }
        scopes = read
        return true
    }

    /// Whether the replica asks for columns that a table does not have any more. It reads the table
    /// again with the schema of the welcome, from the checkpoint that it knows. A page for the
    /// other tables alone would move it beyond deletions in this one.
    private func knowsOtherColumns(_ state: HubState) -> Bool {
        if knowsSchema(state) { return false }
        return request.tables.contains { table in
            state.attached.table(named: table.name) != nil
                && RequestedTable(table, in: state.attached) == nil
        }
    }

    /// Whether the request names the schema as it is now, or none.
    private func knowsSchema(_ state: HubState) -> Bool {
        request.schemaVersion.map { $0 == state.attached.schema.version } ?? true
    }

    private mutating func push(_ connection: any CentralConnection) throws -> Frame {
        guard let batch = request.batch else { throw HubError.batchMissing }
        if !configuration.scopes.rules.isEmpty { try connection.resolveMoves() }
        let state = try state(connection)
        let push = Push(
            connection: connection, state: state, configuration: configuration,
            handlers: handlers, replica: request.replica, sentAt: request.sentAt,
            arrivedAt: arrivedAt, authorized: scopes.visible, rights: rights, barred: barred,
            knowsSchema: knowsSchema(state), gate: gate(connection), logger: logger)
        let outcomes = try push.apply(batch)
        seen?.checkpoint = nil
        request = request.carrying(nil)
        switch outcomes.status {
        case .applied, .alreadyApplied:
            answered = batch.changes(answeredFor: request.tables)
            stage = .page
        case .forked, .notAccepted:
            hasMore = true
            stage = .end
        }
        return .outcomes(outcomes)
    }

    private mutating func page(_ connection: any CentralConnection) throws -> Frame {
        // Somebody may have revoked the replica since the step before.
        if seen == nil { try gate(connection).check() }
        let state = try state(connection)
        let tables = requested(state)
        // A suspended table is not read, and the checkpoint goes on without it. So the next cursor
        // does not name it, and the replica reads all of it later.
        var signatures = Dictionary(
            tables.filter { !state.attached.suspendedNames.contains(Identifier($0.name)) }.map {
                (Identifier($0.name), $0.restricted.signature)
            },
            uniquingKeysWith: { first, _ in first })
        signatures[""] = state.attached.schema.version + scopes.priorities.signature
        let pull = Pull(
            connection: connection, epoch: state.facts.epoch, tables: tables,
            suspended: state.attached.suspendedNames, signatures: signatures,
            scopes: scopes, signer: signer(state),
            limits: limits)
        let page =
            try state.checkpoint.flatMap { pull.pageOfNothing(after: cursor, at: $0) }
            ?? readPage(pull, on: connection)
        answered = []
        cursor = page.cursor
        pages += 1
        hasMore = !page.isCaughtUp
        if page.isCaughtUp
            || pages >= max(1, min(request.limits.maximumPages, configuration.pages.maximumPages))
        {
            stage = .end
        }
        if page.isCaughtUp, terms != nil || configuration.news != nil {
            position = LiveOpening(
                member: LiveMember(
                    request, of: principal,
                    requested: request.scopes.scopes.filter(configuration.scopes.isOnRequest)),
                view: view(of: pull, state),
                cursor: page.cursor, time: arrivedAt)
        }
        return .page(page)
    }

    /// If a row of the pushed batch cannot be read, the replica still needs its answer. Otherwise
    /// it would ask for the same without end.
    private func readPage(_ pull: Pull, on connection: any CentralConnection) throws -> Page {
        do {
            return try read(pull, on: connection)
        } catch let error as CentralError where error.isOwnFault && !answered.isEmpty {
            logger.warning(
                "The rows of a batch could not be read at once; they are read one by one.",
                metadata: ["replica": "\(request.replica)", "error": "\(error.message)"])
            var careful = pull
            careful.isCareful = true
            return try read(careful, on: connection)
        }
    }

    private func read(_ pull: Pull, on connection: any CentralConnection) throws -> Page {
        // This comes before each page. A device would keep a row that was sent without a number
        // when the central database is restored to that very checkpoint.
        try connection.numberChanges()
        return try configuration.scopes.rules.isEmpty
            ? connection.numbered { try pull.page(after: cursor, answering: answered) }
            : connection.withMovesResolved { try pull.page(after: cursor, answering: answered) }
    }

    private func view(of pull: Pull, _ state: HubState) -> LiveView {
        LiveView(
            name: LiveView.Name(
                epoch: pull.epoch, schemaVersion: state.attached.schema.version,
                suspended: pull.suspended,
                tables: pull.tables.map(\.asked), authorized: scopes.authorized,
                priorities: scopes.priorities,
                signedFor: pull.signer.flatMap { _ in principal?.subject },
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
            .filter { !barred.contains($0.attached.name) }
            .filter {
                $0.attached.description.direction.isReceived && rights.mayRead($0.attached.name)
            }
        return state.attached.tables.compactMap { attached in
            tables.first { $0.attached.number == attached.number }
        }
    }

    /// Suspended tables, those for which the app is too old, and tables that the replica asks for
    /// but that its user may not read or the hub does not sync. Of several reasons for one table
    /// the replica takes the last.
    private func suspended(_ state: HubState) -> [SuspendedTable] {
        // If a table's columns changed, the replica reads it again with the schema of the welcome.
        let unknown = request.tables.filter { state.attached.table(named: $0.name) == nil }
        let forbidden = request.tables.filter {
            !rights.mayRead(state.attached.centralName(of: $0.name))
        }
        return state.attached.suspendedTables
            + barred.suspended(among: state.attached.runningTables)
            + forbidden.map {
                SuspendedTable(name: $0.name, reason: SuspensionReason.mayNotRead($0.name))
            }
            + unknown.map {
                SuspendedTable(name: $0.name, reason: SuspensionReason.notSynced($0.name))
            }
    }

    // MARK: Retention

    /// About once a day an exchange carries out a bounded step of the purge, so that no hub needs a
    /// timer. It is not part of the answer: an error is logged, and a later exchange tries again.
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
}

extension Batch {
    /// Whether taking it is no longer than a round trip. The answer need not begin before it then.
    package var isShort: Bool { changes.count <= 100 }
}
