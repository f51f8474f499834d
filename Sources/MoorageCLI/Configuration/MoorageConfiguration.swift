#if Server
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire

    /// What `moorage.yaml` says, with the defaults for what it does not.
    struct MoorageConfiguration {
        var database: DatabaseSetting?
        var listen = ListenAddress(host: "127.0.0.1", port: 8080)
        var secret: SecretText?
        var allowPlainHTTP = false
        /// The tables to sync, in the file's order; `nil` for every table that can be synced.
        var tables: [TableSettings]?
        /// Classes of replicas, whose changes beat others.
        var classes: [ReplicaClass] = []
        var hubLimits = HubLimits()
        var pages = PageLimits(maximumRows: 10_000, maximumBytes: 8_000_000, maximumPages: 1_000)
        var serverLimits = ServerLimits()
        var centralConnections = 8
        var retentionDays = 90
        /// How long the conflict log is kept; `nil` for ever.
        var conflictDays: Int?

        struct TableSettings: Hashable {
            let name: String
            let rules: TableRules
            var direction = TableDirection.both
        }

        /// A secret on its way to where it is used; it prints as `<secret>`.
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
            for table in tables ?? [] { hub.directions[table.name] = table.direction }
            return hub
        }
    }
#endif
