#if Server
    import MoorageWire

    /// How much a server takes at once. Beyond a limit it refuses; it never queues without
    /// bound.
    public struct ServerLimits: Hashable, Sendable {
        /// Bytes of one request's body.
        public var maximumBodyBytes: Int
        /// Bytes of all bodies that are being read or worked on.
        public var maximumBufferedBytes: Int
        /// Bytes of one request's headers.
        public var maximumHeaderBytes: Int
        /// Open connections at once; each live stream takes one.
        public var maximumConnections: Int
        /// Exchanges and comparisons that run at once.
        public var maximumExchanges: Int
        /// Live streams at once; four fifths of the connections at most.
        public var maximumStreams: Int
        /// Requests a minute of one user. Requests with the shared secret have no user and are not
        /// counted.
        public var requestsPerMinute: Int
        /// How long a client may send nothing, or take nothing, before it is cut off.
        public var idleTimeout: Duration
        /// How long the database may work for one request of REST. The server then interrupts it,
        /// and rolls back what it wrote.
        public var restTimeout: Duration

        /// Every number must be at least 1, and each time-out more than zero:
        /// ``HubServer/Configuration/validate()`` checks this.
        public init(
            maximumBodyBytes: Int = 64_000_000, maximumBufferedBytes: Int = 512_000_000,
            maximumHeaderBytes: Int = 16_384, maximumConnections: Int = 1_000,
            maximumExchanges: Int = 32, maximumStreams: Int = 10_000, requestsPerMinute: Int = 600,
            idleTimeout: Duration = .seconds(30), restTimeout: Duration = .seconds(30)
        ) {
            self.maximumBodyBytes = maximumBodyBytes
            self.maximumBufferedBytes = maximumBufferedBytes
            self.maximumHeaderBytes = maximumHeaderBytes
            self.maximumConnections = maximumConnections
            self.maximumExchanges = maximumExchanges
            self.maximumStreams = maximumStreams
            self.requestsPerMinute = requestsPerMinute
            self.idleTimeout = idleTimeout
            self.restTimeout = restTimeout
        }

        func validate() throws(HubError) {
            let numbers = [
                ("maximumBodyBytes", maximumBodyBytes),
                ("maximumBufferedBytes", maximumBufferedBytes),
                ("maximumHeaderBytes", maximumHeaderBytes),
                ("maximumConnections", maximumConnections),
                ("maximumExchanges", maximumExchanges), ("maximumStreams", maximumStreams),
                ("requestsPerMinute", requestsPerMinute),
            ]
            for (name, number) in numbers where number < 1 {
                throw HubError.limitTooSmall(name)
            }
            for (name, time) in [("idleTimeout", idleTimeout), ("restTimeout", restTimeout)]
            where time <= .zero {
                throw HubError.timeoutTooSmall(name)
            }
        }
    }
#endif
