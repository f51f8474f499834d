public import Foundation
public import Moorage

/// The words of the status views. An app in another language replaces them.
public struct ReplicaTexts: Sendable {
    /// Everything is in sync.
    public var upToDate = "Up to date"
    /// Changes go up or come down.
    public var working = "Syncing"
    /// The hub cannot be reached.
    public var offline = "Offline"
    /// The user has to sign in.
    public var signInRequired = "Sign in to sync"
    /// The app is too old.
    public var updateRequired = "Update the app to sync"
    /// Something needs a person: how many things.
    public var attention: @Sendable (Int) -> String = {
        $0 == 1 ? "1 item needs attention" : "\($0) items need attention"
    }
    /// Local changes wait: how many.
    public var pending: @Sendable (Int) -> String = {
        $0 == 1 ? "1 change to send" : "\($0) changes to send"
    }
    /// How much of a copy is here, from 0 to 1.
    public var received: @Sendable (Double) -> String = { "\(Int($0 * 100)) % received" }
    /// Since when the hub cannot be reached.
    public var since: @Sendable (Date) -> String = {
        "Since \($0.formatted(date: .abbreviated, time: .shortened))"
    }

    /// The words in English.
    public init() {}

    /// The one line for a headline.
    public func title(_ headline: ReplicaHeadline) -> String {
        switch headline {
        case .upToDate: upToDate
        case .working: working
        case .offline: offline
        case .signInRequired: signInRequired
        case .updateRequired: updateRequired
        case .attention(let count): attention(count)
        }
    }

    /// The second line: what waits here, and how far the copy is; `nil` if there is nothing to say.
    public func detail(_ status: ReplicaStatus) -> String? {
        var parts: [String] = []
        switch status.headline {
        case .working(let fraction?): parts.append(received(fraction))
        case .offline(let date?): parts.append(since(date))
        case .upToDate, .working, .offline, .signInRequired, .updateRequired, .attention: break
        }
        if status.pendingCount > 0 { parts.append(pending(status.pendingCount)) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}

extension ReplicaHeadline {
    /// The name of a symbol of Apple's platforms (SF Symbols) that fits the headline.
    public var symbolName: String {
        switch self {
        case .upToDate: "checkmark.circle"
        case .working: "arrow.triangle.2.circlepath"
        case .offline: "wifi.slash"
        case .signInRequired: "person.crop.circle.badge.exclamationmark"
        case .updateRequired: "arrow.down.app"
        case .attention: "exclamationmark.triangle"
        }
    }
}
