public import MoorageCore
public import MoorageWire

/// What the owner configures of a hub.
public struct HubConfiguration: Sendable {
    /// Merge rules by table. In a table without an entry edits of different columns join, and
    /// otherwise the newest edit wins.
    public var rules: [String: TableRules]
    /// Classes of replicas, whose changes win over those of other replicas.
    public var classes: [ReplicaClass]
    /// What one batch may contain.
    public var limits: HubLimits
    /// How long the hub remembers deletions and batches.
    public var retention: RetentionPolicy
    /// The largest page that the hub sends, whatever a replica asks for.
    public var pages: PageLimits
    /// How many replicas one user may begin within the retention time; at least 1.
    public var maximumReplicasPerUser = 1_000
    /// The oldest version of the app that may sync, such as `2.10`; `nil` for any, also for an app
    /// that says none. Versions are compared number by number.
    public var minimumClientVersion: String?
    /// The oldest versions of the app that may sync a table, by table. To an older app, or one that
    /// says none, the table is suspended with the code `clientTooOld`. Its other tables go on.
    public var minimumClientVersions: [String: String] = [:]

    /// The unique keys of tables without a primary key by which an attach tracks them: the columns,
    /// by table. An attached table keeps its key while there is no entry for it.
    public var keys: [String: [String]] = [:]
    /// Which way tables travel; one without an entry goes both ways.
    public var directions: [String: TableDirection] = [:]
    /// Columns that do not travel like the others, or have other names in apps, by table.
    public var columns: [String: ColumnSettings] = [:]
    /// The names by which apps may have tables, by table.
    public var tableNames: [String: AppNames] = [:]
    /// Who may do what.
    public var rights = RightSettings()
    /// Whether the hub records who changed what; `nil` for not.
    public var audit: AuditPolicy?
    /// How rows come into scopes, and which scopes each user may see.
    public var scopes = ScopeSettings()
    /// How live streams work.
    public var live = LivePolicy()
    /// Whether the hub watches for replicas that are away, and how; `nil` for not. See
    /// ``Hub/news``.
    public var news: NewsPolicy?

    /// Sets some properties; the others begin with their defaults and can be set afterwards.
    ///
    /// Nothing is checked here: see ``Hub/checkConfiguration()``.
    public init(
        rules: [String: TableRules] = [:], classes: [ReplicaClass] = [],
        limits: HubLimits = HubLimits(), retention: RetentionPolicy = RetentionPolicy(),
        pages: PageLimits = PageLimits(
            maximumRows: 10_000, maximumBytes: 8_000_000, maximumPages: 1000)
    ) {
        self.rules = rules
        self.classes = classes
        self.limits = limits
        self.retention = retention
        self.pages = pages
    }

    func rules(for table: String) -> TableRules { rules[table] ?? TableRules() }

    /// The origin of a change that a replica made at this time of the hub's clock.
    func origin(of replica: String, editedAt: HubTime) -> ChangeOrigin {
        let found = classes.filter { $0.replicas.contains(replica) }
            .max { $0.priority < $1.priority }
        return ChangeOrigin(
            replica: replica, replicaClass: found?.name, priority: found?.priority ?? 0,
            editedAt: editedAt)
    }
}
