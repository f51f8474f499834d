import Foundation
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire

/// A hub on a database with notes. If the test asks for scopes, each note is in its owner's scope.
struct LiveBench: Sendable {
    let database: SQLiteDatabase
    let hub: Hub
    /// The error that the hub gets instead of a connection.
    let fault = Box<(any Error)?>(nil)

    static let columns = ["id", "owner", "text"]

    init(
        _ database: SQLiteDatabase? = nil, scoped: Bool = false,
        holding: ScopeHolding = .claim("sub"), news: NewsPolicy? = nil,
        _ change: (inout LivePolicy) -> Void = { _ in }
    ) async throws {
        self.database = try database ?? SQLiteDatabase()
        try self.database.execute(
            """
            CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, owner TEXT, text TEXT);
            CREATE TABLE holder (user TEXT, owner TEXT);
            INSERT INTO holder VALUES ('ada', 'ada');
            """)
        var configuration = HubConfiguration()
        // The hub polls often, so that a test does not wait for long.
        configuration.live.interval = .milliseconds(5)
        // No heartbeat comes between, unless a test is about heartbeats.
        configuration.live.heartbeat = .seconds(3_600)
        change(&configuration.live)
        configuration.news = news
        if scoped {
            configuration.scopes = ScopeSettings(
                rules: ["note": [ScopeRule(.column(kind: "owner", "owner"))]],
                holdings: ["owner": holding])
        }
        let watched = WatchedDatabase(self.database) { [fault] in
            if let fault = fault.value { throw fault }
        }
        hub = Hub(database: watched, configuration: configuration)
        _ = try await hub.attach(tables: ["note"])
    }

    func sql(_ statement: String) throws { try database.execute(statement) }

    /// Whether so many streams wait, and have everything that was polled.
    func isAtRest(_ streams: Int) -> Bool {
        let figures = hub.liveFigures
        return figures.waiting == streams && figures.behind == 0
    }

    static func replica(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + number).dropFirst())
    }

    static func request(
        _ number: Int, cursor: SyncCursor = .start, rows: Int = 5_000, batch: Batch? = nil
    ) -> ExchangeRequest {
        ExchangeRequest(
            replica: replica(number), hub: nil, sentAt: 0,
            tables: [TableColumns(name: "note", columns: columns)], cursor: cursor,
            schemaVersion: nil, batch: batch,
            limits: PageLimits(maximumRows: rows, maximumPages: 1_000), isLive: true)
    }

    static func insert(_ id: Int64, _ text: String, by number: Int) -> Batch {
        Batch(
            number: 1, nonce: "nonce-\(number)-\(id)", preparedAt: 0,
            tables: [TableColumns(name: "note", columns: columns)],
            changes: [
                Change(
                    table: "note", key: RowKey([.integer(id)]),
                    operation: .insert([.integer(id), .null, .text(text)]), editedAt: 0)
            ])
    }

    /// The notes as the owner has them.
    func notes() throws -> [Int64: String] {
        let rows = try database.perform { try $0.run("SELECT id, text FROM note", []) }
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                guard case .integer(let id) = row[0], case .text(let text) = row[1] else {
                    return nil
                }
                return (id, text)
            })
    }
}

/// A replica with a live stream: it applies what comes over the stream.
final class LiveDevice: Sendable {
    struct Copy: Sendable {
        var cursor = SyncCursor.start
        var notes: [Int64: String] = [:]
        var pages: [Page] = []
        var sharedFrames: [ObjectIdentifier] = []
        var beats = 0
        var terms: LiveTerms?
        var end: End?
        /// Pages that did not continue from the cursor.
        var strangers = 0
        var error: String?
        var isOver = false
    }
    private let copy = Box(Copy())
    private let task = Box<Task<Void, Never>?>(nil)
    let number: Int

    init(_ number: Int) { self.number = number }

    var now: Copy { copy.value }
    func cancel() { task.value?.cancel() }
    func finish() async { await task.value?.value }

    /// Opens the live stream. A task of the device's own handles what comes.
    ///
    /// - Parameter slowly: Waits in the middle of each frame.
    func open(
        _ hub: any LiveHub, rows: Int = 5_000, batch: Batch? = nil,
        slowly: (@Sendable () async -> Void)? = nil
    ) {
        let request = LiveBench.request(number, cursor: now.cursor, rows: rows, batch: batch)
        task.value = Task { [copy] in
            do {
                let stream = try await hub.begin(request, grant: LiveGrant()) { frame in
                    copy.change { $0.receive(frame) }
                    await slowly?()
                }
                try await stream?.run { frame in
                    copy.change { copy in
                        if case .page = frame.frame {
                            copy.sharedFrames.append(ObjectIdentifier(frame))
                        }
                        copy.receive(frame.frame)
                    }
                    await slowly?()
                }
            } catch is CancellationError {
            } catch { copy.change { $0.error = "\(error)" } }
            copy.change { $0.isOver = true }
        }
    }
}

extension LiveDevice.Copy {
    fileprivate mutating func receive(_ frame: Frame) {
        switch frame {
        case .welcome(let welcome): terms = welcome.live
        case .alive: beats += 1
        case .end(let end): self.end = end
        case .page(let page):
            guard page.since == cursor else {
                strangers += 1
                return
            }
            for key in page.removals.flatMap(\.keys) {
                if case .integer(let id)? = key.values.first { notes[id] = nil }
            }
            for row in page.tables.flatMap(\.rows) {
                if case .integer(let id) = row[0], case .text(let text) = row[2] {
                    notes[id] = text
                }
            }
            cursor = page.cursor
            pages.append(page)
        case .outcomes: break
        case .error(let error): self.error = error.code.rawValue
        }
    }
}

/// A value behind a lock.
final class Box<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: Value

    init(_ value: Value) { kept = value }

    var value: Value {
        get { lock.withLock { kept } }
        set { lock.withLock { kept = newValue } }
    }

    func change(_ change: (inout Value) -> Void) { lock.withLock { change(&kept) } }
}
