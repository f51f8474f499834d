/// Why a waiting loop goes on.
package struct WakeReasons: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A commit wrote a log. The loop finds out whether anything in it is new.
    package static let commit = WakeReasons(rawValue: 1)
    /// The replica itself wrote changes that are to be sent: a revert, a retry.
    package static let edit = WakeReasons(rawValue: 2)
    /// The app asks for an exchange: it is in front again, the network is back, or a push
    /// notification came.
    package static let request = WakeReasons(rawValue: 4)
    /// An exchange that the app asked for went well.
    package static let synced = WakeReasons(rawValue: 8)
    /// What the loop waits for may have changed. It checks again, but this alone causes no
    /// exchange.
    package static let state = WakeReasons(rawValue: 16)
}
