#if Server
    package import MoorageCore
    package import MoorageHub
    package import MoorageServer
    import MoorageWire

    /// The settings of `moorage.yaml`, with defaults for those that it leaves out.
    package struct MoorageConfiguration: Sendable {
        package var database: DatabaseSetting?
        package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
        package var secret: SecretText?
        package var signIn = SignInSettings()
        package var tls: TLSFiles?
        package var trustedProxies: [AddressRange] = []
        package var allowPlainHTTP = false
        /// Whether the server answers REST.
        package var answersREST = false
        /// The sites whose web pages may use the server.
        package var crossOrigins: [WebOrigin] = []
        /// The tables to sync, in the file's order; `nil` for every table that can be synced.
        package var tables: [TableSettings]?
        /// Where a user's authorized scopes come from, by kind.
        var holdings: [String: ScopeHolding] = [:]
        /// The kinds whose rows go only to the replicas that subscribe to them.
        var onRequest: Set<String> = []
        /// The claim that names a user's roles.
        var roleClaim = RightSettings().roleClaim
        /// Classes of replicas, whose changes beat others.
        var classes: [ReplicaClass] = []
        var hubLimits = HubLimits()
        var pages = PageLimits(maximumRows: 10_000, maximumBytes: 8_000_000, maximumPages: 1_000)
        package var serverLimits = ServerLimits()
        package var centralConnections = 8
        var replicasPerUser = 1_000
        var retentionDays = 90
        /// How many days the hub keeps the conflict log; `nil` for no limit.
        var conflictDays: Int?
        var audit: Audit?
        /// The settings of live streams.
        var live = LivePolicy()
        /// Where the server reports what happens; `nil` for nowhere.
        package var webhook: WebhookSettings?
        /// The oldest version of the app that may sync; `nil` for any.
        var minimumClientVersion: String?

        /// How long the hub keeps the audit trail; without `days` there is no limit.
        struct Audit: Hashable {
            var days: Int?
        }

        package struct TableSettings: Hashable, Sendable {
            package let name: String
            package let rules: TableRules
            var direction = TableDirection.both
            var scopes: [ScopeRule] = []
            /// The unique key by which a table without a primary key is synced.
            var key: [String]?
            /// What its rows must meet, too.
            var filter: RowFilter?
            /// Foreign keys, by their columns, that devices do not enforce.
            var unenforcedKeys: [[String]] = []
            var columns = ColumnSettings()
            /// The names by which apps may have the table.
            var names = AppNames()
            /// What roles may do; `nil` when everyone may do everything.
            var rights: [String: TableRights]?
            /// The oldest version of the app that may sync the table; `nil` for any.
            var minimumClientVersion: String?

            /// Whether rights, scopes or settings of columns restrict the table.
            package var isRestricted: Bool {
                rights != nil || !columns.hidden.isEmpty || !columns.downOnly.isEmpty
                    || !allScopes.isEmpty
            }

            /// The rules with the filter.
            var allScopes: [ScopeRule] { filter?.applied(to: scopes) ?? scopes }
        }

        /// A secret that prints as `<secret>`.
        package struct SecretText: Hashable, Sendable, CustomStringConvertible,
            CustomDebugStringConvertible
        {
            let text: String
            package var description: String { "<secret>" }
            package var debugDescription: String { "<secret>" }
        }

        /// The hub's part of the settings.
        package var hub: HubConfiguration {
            var rules: [String: TableRules] = [:]
            for table in tables ?? [] { rules[table.name] = table.rules }
            let retention = RetentionPolicy(
                time: .seconds(retentionDays * 86_400), steps: min(90, retentionDays),
                conflicts: conflictDays.map { .seconds($0 * 86_400) })
            var hub = HubConfiguration(
                rules: rules, classes: classes, limits: hubLimits, retention: retention,
                pages: pages)
            hub.maximumReplicasPerUser = replicasPerUser
            hub.minimumClientVersion = minimumClientVersion
            hub.live = live
            if webhook?.webhook.kinds.contains(.news) == true { hub.news = NewsPolicy() }
            hub.scopes.holdings = holdings
            hub.scopes.onRequest = onRequest
            hub.rights.roleClaim = roleClaim
            hub.audit = audit.map { AuditPolicy(keeping: $0.days.map { .seconds($0 * 86_400) }) }
            for table in tables ?? [] {
                hub.keys[table.name] = table.key
                hub.directions[table.name] = table.direction
                if table.columns != ColumnSettings() { hub.columns[table.name] = table.columns }
                if table.names != AppNames() { hub.tableNames[table.name] = table.names }
                hub.rights.tables[table.name] = table.rights
                hub.minimumClientVersions[table.name] = table.minimumClientVersion
                let scopes = table.allScopes
                if !scopes.isEmpty { hub.scopes.rules[table.name] = scopes }
                if !table.unenforcedKeys.isEmpty {
                    hub.scopes.unenforcedKeys[table.name] = table.unenforcedKeys
                }
            }
            return hub
        }
    }
#endif
