#if Server
    import MoorageCore

    /// How the hub is, as `GET /health` tells it to everyone: no names, no addresses, no errors'
    /// texts.
    public struct HealthReport: Hashable, Sendable {
        /// Whether the central database answers and the hub can work on it.
        public var isReachable: Bool
        /// Connections to the central database that are in use; `nil` where nobody counts them.
        public var centralConnections: Int?
        /// How many connections to the central database there may be; `nil` where nobody says.
        public var maximumCentralConnections: Int?
        /// How long the oldest transaction in the central database has been open; while it is, a
        /// page scans more than it sends.
        public var oldestTransaction: Duration?
        /// Tables that are attached and not synced until `moorage attach` runs again; `nil` where
        /// the hub could not be asked.
        public var suspendedTables: Int?

        /// `GET /health` leaves out every figure that is `nil`.
        public init(
            isReachable: Bool, centralConnections: Int? = nil,
            maximumCentralConnections: Int? = nil, oldestTransaction: Duration? = nil,
            suspendedTables: Int? = nil
        ) {
            self.isReachable = isReachable
            self.centralConnections = centralConnections
            self.maximumCentralConnections = maximumCentralConnections
            self.oldestTransaction = oldestTransaction
            self.suspendedTables = suspendedTables
        }
    }

    /// What the server itself adds.
    struct ServerState {
        var isStopping: Bool
        var connections: Int
        var exchanges: Int
        /// Live streams.
        var streams: Int
    }

    extension HealthReport {
        func encoded(with server: ServerState) -> [UInt8] {
            var writer = JSONWriter()
            writer.object {
                $0.name("status")
                $0.string(server.isStopping ? "stopping" : isReachable ? "ok" : "unavailable")
                $0.name("version")
                $0.string(HubServer.version)
                $0.name("hub")
                $0.string(isReachable ? "reachable" : "unreachable")
                $0.name("connections")
                $0.integer(Int64(server.connections))
                $0.name("exchanges")
                $0.integer(Int64(server.exchanges))
                $0.name("streams")
                $0.integer(Int64(server.streams))
                if let centralConnections {
                    $0.name("centralConnections")
                    $0.integer(Int64(centralConnections))
                }
                if let maximumCentralConnections {
                    $0.name("maximumCentralConnections")
                    $0.integer(Int64(maximumCentralConnections))
                }
                if let suspendedTables {
                    $0.name("suspendedTables")
                    $0.integer(Int64(suspendedTables))
                }
                if let oldestTransaction {
                    $0.name("oldestTransactionSeconds")
                    $0.integer(oldestTransaction.components.seconds)
                }
            }
            return writer.bytes
        }
    }
#endif
