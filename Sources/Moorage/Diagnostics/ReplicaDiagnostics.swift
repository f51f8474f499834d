public import Foundation
import MoorageCore
import MoorageSupport

/// What a replica is at a moment, for support: states, counts, codes and times.
///
/// It has no values of rows, no keys of rows, no names of scopes and no secrets. It names tables and
/// columns. An app can put it into a message to its author; ``json()`` is the text for that.
/// `moorage inspect --json` prints the same of a file.
public struct ReplicaDiagnostics: Hashable, Sendable, Codable {
    /// When the file was read, by the device's clock.
    public internal(set) var readAt: Date
    /// The version of this library.
    public internal(set) var libraryVersion: String
    /// The version of the app, as it gave it; `nil` without one, and for a file alone.
    public internal(set) var appVersion: String?
    /// The version of the schema that the app was built for, as it gave it.
    public internal(set) var appSchemaVersion: String?
    /// The operating system, as the app or this library names it; `nil` for a file alone.
    public internal(set) var platform: String?
    /// The format of the replica's own tables in the file.
    public internal(set) var fileFormat: Int
    /// The replica's id. The hub's logs and lists have the same.
    public internal(set) var replica: String
    /// The hub's id; `nil` before the replica has met it.
    public internal(set) var hub: String?
    /// Scheme, host and port of the hub; `nil` for a hub in this process, and for a file alone.
    public internal(set) var address: String?
    /// A fingerprint of the hub's schema; `nil` before the replica has met its hub.
    public internal(set) var schemaVersion: String?
    /// Whether a clone has not ended yet.
    public internal(set) var isCloning: Bool
    /// What the replica does now: the name of a ``ReplicaStatus/Phase``. `nil` for a file alone.
    public internal(set) var phase: String?
    /// Whether a live stream is open; `nil` for a file alone.
    public internal(set) var isLive: Bool?
    /// When the replica last caught up with the hub, by the device's clock; `nil` if it never did.
    public internal(set) var lastCaughtUp: Date?
    /// The same moment by the hub's clock.
    public internal(set) var freshAsOf: Date?
    /// When an exchange last went well, by the device's clock; `nil` if the file knows of none.
    public internal(set) var lastContact: Date?
    /// Why the last exchange failed: the raw value of a ``ReplicaError/Code``. `nil` after one that
    /// went well.
    public internal(set) var lastErrorCode: String?
    /// By how much the device's clock is ahead of the hub's; `nil` before the first answer of a
    /// process.
    public internal(set) var clockOffsetMilliseconds: Int64?
    /// What the replica knows of the hub.
    public internal(set) var cursor: Cursor
    /// The tables, in the order of the app's list.
    public internal(set) var tables: [Table]
    /// Local changes that no batch contains.
    public internal(set) var log: Log
    /// The batch that was sent and is not answered; `nil` without one.
    public internal(set) var inFlight: Batch?
    /// Answered batches that are kept, in case the central database is restored.
    public internal(set) var acknowledgedCount: Int
    /// The SQLite file.
    public internal(set) var file: File
    /// The last 50 exchanges in the order of their ends, and then those that are under way. After
    /// the process was killed, the last few are missing.
    public internal(set) var exchanges: [ExchangeRecord]

    /// The same as JSON on one line. Times are milliseconds since 1970. What is `nil` has no member.
    ///
    /// - Throws: Never with a snapshot of a replica. `JSONEncoder` cannot promise it.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(DeviceTime(date).milliseconds)
        }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
