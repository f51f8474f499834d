#if Server
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire

    /// The settings of `moorage.yaml`, with defaults for those that it leaves out.
    struct MoorageConfiguration {
        var database: DatabaseSetting?
        var listen = ListenAddress(host: "127.0.0.1", port: 8080)
        var secret: SecretText?
        var signIn = SignInSettings()
        var tls: TLSFiles?
        var trustedProxies: [AddressRange] = []
        var allowPlainHTTP = false
        /// The tables to sync, in the file's order; `nil` for every table that can be synced.
        var tables: [TableSettings]?
        /// Where a user's authorized scopes come from, by kind.
        var holdings: [String: ScopeHolding] = [:]
        /// The claim that names a user's roles.
        var roleClaim = RightSettings().roleClaim
        /// Classes of replicas, whose changes beat others.
        var classes: [ReplicaClass] = []
        var hubLimits = HubLimits()
        var pages = PageLimits(maximumRows: 10_000, maximumBytes: 8_000_000, maximumPages: 1_000)
        var serverLimits = ServerLimits()
        var centralConnections = 8
        var replicasPerUser = 1_000
        var retentionDays = 90
        /// How many days the hub keeps the conflict log; `nil` for no limit.
        var conflictDays: Int?
        var audit: Audit?
        /// The settings of live streams.
        var live = LivePolicy()

        /// How long the hub keeps the audit trail; without `days` there is no limit.
        struct Audit: Hashable {
            var days: Int?
        }

        struct TableSettings: Hashable {
            let name: String
            let rules: TableRules
            var direction = TableDirection.both
            var scopes: [ScopeRule] = []
            /// Foreign keys, by their columns, that devices do not enforce.
            var unenforcedKeys: [[String]] = []
            var columns = ColumnSettings()
            /// What roles may do; `nil` when everyone may do everything.
            var rights: [String: TableRights]?

            /// Whether rights, column settings or scopes restrict the table.
            var isRestricted: Bool {
                rights != nil || columns != ColumnSettings() || !scopes.isEmpty
            }
        }

        /// A secret that prints as `<secret>`.
        struct SecretText: Hashable, CustomStringConvertible, CustomDebugStringConvertible {
            let text: String
            var description: String { "<secret>" }
            var debugDescription: String { "<secret>" }
        }

        var hub: HubConfiguration {
            var rules: [String: TableRules] = [:]
            for table in tables ?? [] { rules[table.name] = table.rules }
            let retention = RetentionPolicy(
                time: .seconds(retentionDays * 86_400), steps: min(90, retentionDays),
                conflicts: conflictDays.map { .seconds($0 * 86_400) })
            var hub = HubConfiguration(
                rules: rules, classes: classes, limits: hubLimits, retention: retention,
                pages: pages)
            hub.maximumReplicasPerUser = replicasPerUser
            hub.live = live
            hub.scopes.holdings = holdings
            hub.rights.roleClaim = roleClaim
            hub.audit = audit.map { AuditPolicy(keeping: $0.days.map { .seconds($0 * 86_400) }) }
            for table in tables ?? [] {
                hub.directions[table.name] = table.direction
                if table.columns != ColumnSettings() { hub.columns[table.name] = table.columns }
                hub.rights.tables[table.name] = table.rights
                if !table.scopes.isEmpty { hub.scopes.rules[table.name] = table.scopes }
                if !table.unenforcedKeys.isEmpty {
                    hub.scopes.unenforcedKeys[table.name] = table.unenforcedKeys
                }
            }
            return hub
        }
    }
#endif
