#if Server
    /// The ids of notices that need no push any more, so that one that comes again sends nothing.
    ///
    /// It is in memory. After a restart of the relay, a notice that comes again sends again.
    actor NoticeMemory {
        enum Beginning: Hashable {
            /// Nobody has sent it.
            case new
            /// Another request is sending it at the moment.
            case underWay
            case done
        }

        /// How often a notice is tried. Otherwise one that always fails would delay all others.
        static let maximumTries = 5

        private let limit: Int
        private var underWay: Set<String> = []
        private var done: Set<String> = []
        /// The ids of `done`; the oldest is at `oldest` once there are `limit`.
        private var order: [String] = []
        private var oldest = 0
        /// How often notices failed that may come again.
        private var tries: [String: Int] = [:]

        /// - Parameter limit: How many ids it keeps, at least 1. Beyond it the oldest is forgotten.
        init(limit: Int = 10_000) { self.limit = max(1, limit) }

        /// Begins to send a notice, if it is new. End with ``finish(_:)``, ``fail(_:)`` or
        /// ``postpone(_:)``.
        func begin(_ id: String) -> Beginning {
            if done.contains(id) { return .done }
            return underWay.insert(id).inserted ? .new : .underWay
        }

        /// Nothing more is to be sent for these.
        func finish(_ ids: [String]) {
            underWay.subtract(ids)
            for id in ids {
                tries[id] = nil
                guard done.insert(id).inserted else { continue }
                if order.count < limit {
                    order.append(id)
                } else {
                    done.remove(order[oldest])
                    order[oldest] = id
                    oldest = (oldest + 1) % limit
                }
            }
        }

        /// These could not be sent. They are new again when they come again, and finished after
        /// their last try.
        ///
        /// - Returns: Whether all are finished.
        func fail(_ ids: [String]) -> Bool {
            // A notice that never comes again leaves its count. To forget some costs more tries.
            if tries.count + ids.count > limit { tries = [:] }
            for id in ids { tries[id, default: 0] += 1 }
            let last = ids.filter { tries[$0, default: 0] >= Self.maximumTries }
            finish(last)
            underWay.subtract(ids)
            return last.count == ids.count
        }

        /// These were not tried. They are new again when they come again.
        func postpone(_ ids: [String]) { underWay.subtract(ids) }
    }
#endif
