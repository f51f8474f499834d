import Foundation

/// What an app says of itself and of its device. Whoever runs the hub sees it beside the replica.
///
/// The hub takes 200 bytes of each text in UTF-8. A longer text is cut before the first character
/// that does not fit.
public struct DeviceDescription: Hashable, Sendable {
    /// What its owner calls the device, such as `Ada's phone`.
    public var name: String?
    /// The version of the app: numbers with points between them, such as `2.10.1`. A hub that asks
    /// for a minimum version refuses an app that says none.
    public var appVersion: String?
    /// The operating system and its version, such as `iOS 19.1`. At first it is the running system;
    /// `nil` says nothing of it.
    public var platform: String? = DeviceDescription.runningSystem
    /// The version of the schema that the app was built for, in the app's own words.
    public var schemaVersion: String?

    /// - Parameters:
    ///   - name: What its owner calls the device; `nil` says nothing of it.
    ///   - appVersion: The version of the app; `nil` says none.
    ///   - schemaVersion: The version of the schema that the app was built for; `nil` says none.
    public init(name: String? = nil, appVersion: String? = nil, schemaVersion: String? = nil) {
        self.name = name
        self.appVersion = appVersion
        self.schemaVersion = schemaVersion
    }

    private static var runningSystem: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let patch = version.patchVersion > 0 ? ".\(version.patchVersion)" : ""
        return "\(systemName) \(version.majorVersion).\(version.minorVersion)\(patch)"
    }

    private static var systemName: String {
        #if os(macOS)
            "macOS"
        #elseif os(iOS)
            "iOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(watchOS)
            "watchOS"
        #elseif os(visionOS)
            "visionOS"
        #elseif os(Linux)
            "Linux"
        #elseif os(Android)
            "Android"
        #elseif os(Windows)
            "Windows"
        #else
            "another system"
        #endif
    }
}
