#if Server
    /// What a device gets.
    enum Push: Hashable, Sendable {
        /// A silent notification: the app wakes up and syncs.
        case news
        /// A text that the user sees: the hub refused a change.
        case refused(PushText)

        /// A newer notification of the same name replaces the older one.
        var name: String {
            switch self {
            case .news: "news"
            case .refused: "refused"
            }
        }
    }

    /// The text of a notification.
    struct PushText: Encodable, Hashable, Sendable {
        let title: String
        let body: String
    }
#endif
