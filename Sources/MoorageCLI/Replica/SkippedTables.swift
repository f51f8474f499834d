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
            let others = names.filter { name in
                !known.contains { $0.name.hasSameBytes(as: name) }
            }
            let more = others.compactMap { name -> SuspendedReplicaTable? in
                let table = answer.schema.table(knownAs: name)?.name ?? name
                return answer.suspended.first { $0.name.hasSameBytes(as: table) }.map {
                    SuspendedReplicaTable(name: name, code: $0.code.rawValue, reason: $0.reason)
                }
            }
            return known + more
        }
    }
#endif
