import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// What one simulated sync met, in order: enough for a twin of the device to carry it out again.
struct SyncRecord: Sendable {
    enum Event: Sendable {
        case schema(SchemaAnswer)
        case compared(CompareRequest, Result<CompareAnswer, HubError>)
        case asked(ExchangeRequest)
        case frame(Frame)
        /// The app's user wrote.
        case edited(String)
        /// The answer came to its end, …
        case answered
        /// … or broke.
        case broke(HubError)
    }

    /// The device's file as the sync began.
    let file: DatabaseQueue
    /// The version of its schema: a copy has another one.
    let cookie: Int64
    let replica: ReplicaFile
    let options: ReplicaOptions
    let now: Int64
    let random: SeededGenerator
    /// With the device's time.
    var events: [(now: Int64, event: Event)] = []
    /// All tables as the sync left them.
    var after: [String: String] = [:]
}

/// Writes down one sync of a device while it is simulated.
final class SyncRecorder {
    private(set) var record: SyncRecord
    private let device: SimulatedDevice
    private var isOver = false

    init(_ device: SimulatedDevice) throws {
        self.device = device
        record = SyncRecord(
            file: try device.backUp(), cookie: try device.write { try $0.schemaCookie() },
            replica: device.twinFile(), options: device.options, now: device.machine.now,
            random: device.machine.random)
    }

    func add(_ event: SyncRecord.Event) {
        if isOver { return }
        record.events.append((device.machine.now, event))
    }

    /// Nothing that the device does later is part of it.
    func end() throws {
        if isOver { return }
        isOver = true
        record.after = try device.write { try $0.contents() }
    }
}

extension Database {
    func schemaCookie() throws -> Int64 {
        guard case .integer(let cookie)? = try rawRows("PRAGMA schema_version").first?.first else {
            return 0
        }
        return cookie
    }

    /// The rows of all tables, the replica's own among them, by the tables' names.
    func contents() throws -> [String: String] {
        let sql = "SELECT name FROM sqlite_master WHERE type = 'table'"
        var result: [String: String] = [:]
        for row in try rawRows(sql) {
            guard case .text(let name) = row[0] else { continue }
            let rows = try rawRows("SELECT * FROM \"\(name)\"").map { $0.jsonText() }
            result[name] = rows.joined(separator: "\n")
        }
        return result
    }
}
