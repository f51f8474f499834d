#if Server
    import Moorage
    import MoorageCore
    import MoorageWire

    /// The tables of a replica that `verify` cannot vouch for: suspended on the device or at the hub.
    enum SkippedTables {
        /// - Parameters:
        ///   - names: The replica's tables.
        ///   - answer: What the hub says now: it may have suspended more since the last sync.
        static func all(
            of replica: Replica, among names: [String], at answer: SchemaAnswer
        ) -> [SuspendedReplicaTable] {
            let known = replica.status.suspendedTables
            let more = answer.suspended.filter { table in
                names.contains { $0.hasSameBytes(as: table.name) }
                    && !known.contains { $0.name.hasSameBytes(as: table.name) }
            }
            return known
                + more.map {
                    SuspendedReplicaTable(
                        name: $0.name, code: $0.code.rawValue, reason: $0.reason)
                }
        }
    }
#endif
