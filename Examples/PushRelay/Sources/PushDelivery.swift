#if Server
    /// One push notification to one replica, for all its notices of a kind in a request.
    struct PushDelivery: Sendable {
        let replica: String
        let push: Push
        let token: PushToken
        /// The notices that it is for.
        let notices: [String]
    }

    /// What became of a request's notices, for the log.
    struct RelayCounts: Sendable {
        /// Notices of which nothing is sent: conflicts.
        var unsent = 0
        /// Notices that came before.
        var repeated = 0
        /// Replicas that no app has registered, or whose service is not set.
        var unreachable = 0
        /// Notifications, by what became of them.
        var sent = 0
        var gone = 0
        var rejected = 0
        /// Why notifications wait, and how many for each reason.
        var later: [String: Int] = [:]
        /// Why nothing more is tried, and for how many notifications.
        var givenUp: [String: Int] = [:]
        /// Notices that another request is sending at the moment.
        var underWay = 0

        /// Whether the hub need not send the request again.
        var isComplete: Bool { later.isEmpty && underWay == 0 }

        var metadata: [String: Int] {
            [
                "unsent": unsent, "repeated": repeated, "unreachable": unreachable, "sent": sent,
                "gone": gone, "rejected": rejected, "later": later.values.reduce(0, +),
                "givenUp": givenUp.values.reduce(0, +), "underWay": underWay,
            ].filter { $0.value > 0 }
        }
    }
#endif
