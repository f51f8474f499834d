public import Logging
import MoorageCore
public import MoorageWire

/// The hub: tracks, merges and pages a central database for replicas, in the same process or behind
/// a server.
///
/// It keeps nothing in memory that two processes on one database would have to share.
///
/// Any task may call its functions, several at a time. Their SQL runs on a thread of the connector,
/// never on a thread that Swift's tasks share. If their task is cancelled, they throw
/// `CancellationError`, and the connector interrupts what runs. Work that has begun on the database
/// may still complete.
///
/// Their failures are ``HubError``, for example where nothing is attached or the database does not
/// answer.
public final class Hub: UserHub, LiveHub {
    let database: any CentralDatabase
    let configuration: HubConfiguration
    let makeID: @Sendable () -> String
    let logger: Logger
    let states: HubStateReader
    let handlers = HandlerRunner()
    let rowKeys = RowKeys()
    let feed: LiveFeed
    /// Streams of changes that read at once.
    let changeTurns = ReadingTurns(atOnce: 2)
    /// `nil` where nobody wants to know of news.
    let absent: AbsentReplicas?

    /// - Parameters:
    ///   - makeID: Makes a random id; tests pass a seeded one.
    ///   - logger: Receives errors that are not part of an exchange's answer; never values.
    public init(
        database: any CentralDatabase, configuration: HubConfiguration = HubConfiguration(),
        makeID: @escaping @Sendable () -> String = Hub.randomID,
        logger: Logger = Logger(label: "moorage.hub")
    ) {
        self.database = database
        self.configuration = configuration
        states = HubStateReader(configuration, logger: logger)
        feed = LiveFeed(
            database, states: states, configuration: configuration, logger: logger)
        absent = configuration.news.map { [states] policy in
            AbsentReplicas(
                database, states: states, configuration: configuration, policy: policy,
                makeID: makeID, logger: logger)
        }
        self.makeID = makeID
        self.logger = logger
    }

    /// A random UUID of the system.
    public static let randomID: @Sendable () -> String = {
        var generator = SystemRandomNumberGenerator()
        return UUIDText.random(using: &generator)
    }

    // MARK: Users

    package func asSeen(by principal: Principal) -> any HubConnection {
        PrincipalConnection(hub: self, principal: principal)
    }

    /// The hub for replicas in the same process that have no user. They get what is everyone's.
    public var connection: DirectConnection { DirectConnection(self) }

    /// The hub for replicas of one user in the same process. They get what is everyone's, and the
    /// scopes that the user may see.
    ///
    /// - Parameter principal: The user, whom the caller has already signed in.
    public func connection(for principal: Principal) -> DirectConnection {
        DirectConnection(asSeen(by: principal))
    }

    package var liveFigures: LiveFigures { feed.figures }

    /// Checks that every rule fits its table, before the first replica comes.
    ///
    /// - Throws: ``HubError`` `configuration` that names table, column and what to do. Each
    ///   exchange fails with it until that is done.
    public func checkConfiguration() async throws {
        let schema = try await schema().schema
        for name in configuration.rules.keys.sorted() where schema.table(named: name) == nil {
            throw HubError.rulesOfUnattachedTable(name, attached: schema.tables.map(\.name))
        }
    }

    package func schema() async throws -> SchemaAnswer {
        try await access { try self.schema(on: $0) }
    }

    package func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await compare(request, for: nil)
    }

    func compare(_ request: CompareRequest, for principal: Principal?) async throws
        -> CompareAnswer
    {
        try await access { try self.compare(request, for: principal, on: $0) }
    }

    func schema(on connection: any CentralConnection) throws -> SchemaAnswer {
        try Self.translating {
            let state = try states.state(connection)
            let details = SchemaDetailsReader(configuration: configuration, logger: logger)
            return SchemaAnswer(
                hub: state.facts.hub, schema: state.attached.schema,
                suspended: state.attached.suspendedTables,
                details: details.read(state.attached.schema, on: connection))
        }
    }

    func compare(
        _ request: CompareRequest, for principal: Principal?, on connection: any CentralConnection
    ) throws -> CompareAnswer {
        try Self.translating {
            let state = try states.state(connection)
            try ReplicaGate(
                connection: connection, replica: request.replica, formerly: request.formerly,
                user: request.user, principal: principal, configuration: configuration
            ).check()
            let table = state.attached.centralName(of: request.table.name)
            guard UserRights(configuration, of: principal).mayRead(table) else {
                throw HubError.noTableForUser(request.table.name)
            }
            let barred = BarredTables(configuration, for: request.clientVersion)
            if let reason = barred.reason(of: table) {
                throw HubError.tableSuspended(reason)
            }
            let visible = try VisibleScopesReader(
                connection: connection, settings: configuration.scopes
            ).read(for: principal)
            let comparison = Comparison(
                connection: connection, state: state,
                signer: CursorSigner(state.facts, of: principal, settings: configuration.scopes),
                authorized: visible.delivered(request.cursor.named),
                maximumRows: configuration.pages.maximumRows)
            return try configuration.scopes.rules.isEmpty
                ? connection.numbered { try comparison.page(request) }
                : connection.withMovesResolved { try comparison.page(request) }
        }
    }

    // MARK: The owner's side

    /// Attaches tables of the central database; see
    /// ``Attachment/attach(tables:newEpoch:unscoping:addingKeysTo:continuing:progress:)``.
    ///
    /// The next attach finishes one that was broken off.
    ///
    /// - Parameters:
    ///   - tables: The tables to sync; `nil` for every table that can be synced. Attached tables
    ///     that are not among them are detached.
    ///   - newEpoch: Whether to begin a new epoch, after which every replica reconciles.
    ///   - unscoping: Whether the rows of tables that had scopes, and have none any more, may go to
    ///     everyone from now on.
    ///   - keyless: Tables without any key, which get the column ``KeylessTable/addedKey``. A
    ///     detach removes it.
    ///   - move: The hub that goes on in this database, after its rows were copied from another
    ///     one. It begins a new epoch. `nil` for a hub of its own.
    ///   - progress: Receives a line for each step, on the connection's thread.
    /// - Throws: ``HubError`` `differentHub` where this database is attached as another hub than
    ///   that of the move, `configuration` where its id has another form.
    public func attach(
        tables: [String]? = nil, newEpoch: Bool = false, unscoping: Bool = false,
        addingKeysTo keyless: [String] = [], continuing move: HubMove? = nil,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> AttachReport {
        let report = try await attaching {
            try $0.attach(
                tables: tables, newEpoch: newEpoch, unscoping: unscoping, addingKeysTo: keyless,
                continuing: move, progress: progress)
        }
        states.invalidate()
        feed.poke()
        return report
    }

    /// What ``attach(tables:newEpoch:unscoping:addingKeysTo:continuing:progress:)`` would do, as
    /// SQL.
    public func attachPlan(
        tables: [String]? = nil, addingKeysTo keyless: [String] = []
    ) async throws -> [String] {
        try await attaching { try $0.plan(tables: tables, addingKeysTo: keyless) }
    }

    private func attaching<Result: Sendable>(
        _ work: @escaping @Sendable (Attachment) throws -> Result
    ) async throws -> Result {
        try await access { [makeID, configuration] connection in
            try Self.translating {
                try work(
                    Attachment(
                        on: connection, scopes: configuration.scopes, keys: configuration.keys,
                        makeID: makeID))
            }
        }
    }

    /// Examines the central database for what prevents syncing it, or will, and for what fixes
    /// that. Call it before an attach or after it. It changes nothing, and nobody has to wait for
    /// it.
    ///
    /// - Parameters:
    ///   - tables: The tables to sync; `nil` for those that are attached, before an attach for all.
    ///   - longTransaction: The doctor reports transactions that are open for longer.
    /// - Returns: What it found, the worst first.
    /// - Throws: ``HubError`` with the reason, where it gets no connection.
    public func doctor(
        tables: [String]? = nil, longTransaction: Duration = .seconds(60)
    ) async throws -> [Finding] {
        try await access { [configuration] connection in
            try Self.translating {
                try Doctor(
                    connection: connection, configuration: configuration,
                    longTransaction: longTransaction
                ).examine(tables: tables)
            }
        }
    }

    /// Removes every trace of Moorage from the central database.
    public func detach() async throws {
        try await access { [makeID] connection in
            try Self.translating { try Attachment(on: connection, makeID: makeID).detach() }
        }
        states.invalidate()
    }

    /// The conflict log, newest first.
    ///
    /// - Parameter limit: How many at most.
    public func conflicts(
        _ filter: ConflictFilter = ConflictFilter(), limit: Int = 100
    ) async throws -> [ConflictRecord] {
        try await withMetadata { try $0.conflicts(filter, limit: limit) }
    }

    /// One line of the conflict log.
    ///
    /// - Parameter id: Its id, or a beginning of it that no other id has.
    /// - Throws: ``HubError`` `notFound`, also where several ids begin so.
    public func conflict(id: String) async throws -> ConflictRecord {
        try await access { try self.review(on: $0) { try $0.record(id: id) } }
    }

    /// Decides a logged conflict or refusal again. What it writes is a change like any program's:
    /// it reaches every replica, and the rules see it with the time of now.
    ///
    /// - Parameter id: Its id, or a beginning of it that no other id has.
    /// - Returns: The line with its decision.
    /// - Throws: ``HubError`` `notFound`, `alreadyDecided` or `tableSuspended`; `databaseError`,
    ///   with the reason, when the database refuses the values. Nothing is changed then.
    public func decide(_ decision: ConflictDecision, conflict id: String) async throws
        -> ConflictRecord
    {
        let record = try await access { connection in
            try self.review(on: connection) { review in
                try connection.writing { try review.decide(id: id, decision) }
            }
        }
        feed.poke()
        return record
    }

    private func review<Result>(
        on connection: any CentralConnection, _ work: (ConflictReview) throws -> Result
    ) throws -> Result {
        try Self.translating {
            let state = try states.state(connection)
            return try work(
                ConflictReview(
                    connection: connection, schema: state.attached, configuration: configuration))
        }
    }

    func steps(
        _ request: ExchangeRequest, for principal: Principal?, terms: LiveTerms? = nil
    ) -> ExchangeSteps {
        ExchangeSteps(
            request: request, principal: principal, configuration: configuration, states: states,
            handlers: handlers, terms: terms, makeID: makeID, logger: logger)
    }

    /// Runs work on Moorage's own tables alone. Throws where nothing is attached.
    func withMetadata<Result: Sendable>(
        _ work: @escaping @Sendable (Metadata) throws -> Result
    ) async throws -> Result {
        try await access { connection in
            try Self.translating {
                let metadata = Metadata(connection: connection)
                _ = try metadata.facts()
                return try work(metadata)
            }
        }
    }

    /// Runs work on a connection. Throws a ``HubError``, which can go to a replica, where it gets
    /// none.
    func access<Result: Sendable>(
        _ work: @escaping @Sendable (any CentralConnection) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.withConnection(work)
        } catch let error as CentralError {
            throw HubError(error)
        }
    }

    /// Runs work, and throws a connector's error as a ``HubError``, which can go to a replica.
    static func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as CentralError {
            throw HubError(error)
        }
    }
}
