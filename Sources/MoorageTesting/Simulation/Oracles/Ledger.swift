import GRDB
import MoorageCore
import MoorageWire

/// Every value that users committed, recorded outside of the system. Each value arrives, is
/// superseded on its device before it is sent, or is in the conflict log or a list of refused
/// changes.
///
/// Values are recognizable: each text that a history writes begins with `v` and a number of its
/// own.
struct Ledger {
    struct Entry: Hashable {
        let value: String
        let device: Int
    }

    /// Who wrote a value first; `nil` for the office. Rows that exist from the beginning have no
    /// author.
    private var authors: [String: Int?] = [:]
    /// By device, values that are committed and not yet looked for.
    private var fresh: [Int: Set<String>] = [:]
    /// By device, values that are in its file and in no batch.
    private var open: [Int: Set<String>] = [:]
    /// By device, values in the in-flight batch.
    private var sent: [Int: Set<String>] = [:]
    private struct Origin {
        let device: Int
        let life: Int
        /// The rows in which it was sent.
        var rows: Set<RowName>
    }

    /// What the hub accepted: by value, the device that sent it, and that device's life.
    private var accepted: [String: Origin] = [:]
    private var lives: [Int: Int] = [:]
    /// By device, edits of a column that its app has renamed since. They go up under its new name.
    private var carried: [Int: Set<String>] = [:]
    private let names: ColumnNames
    /// By value, the row that had it when its replica began, if the first contact replaces that row.
    private var beginnings: [String: RowName] = [:]
    /// What a hub had accepted before it was restored: only acknowledged batches show it.
    private var acknowledged: Set<String> = []
    /// Whether a clock jumped by more than the time that acknowledged batches are kept. The other
    /// clock still shows their age.
    private var deviceClocksAreWild = false
    private var hubClockIsWild = false

    init(_ world: SimulatedWorld) { names = ColumnNames(world) }

    // MARK: What happens

    /// The device begins, and the first contact replaces its rows.
    mutating func began(_ device: SimulatedDevice) throws {
        for table in device.tables {
            for key in try device.keys(of: table) {
                let name = RowName(table: table, key: RowKey(key))
                for case .text(let text) in try device.row(name) where Self.isToken(text) {
                    beginnings[text] = name
                }
            }
        }
    }

    mutating func committed(_ sql: String, on device: SimulatedDevice) {
        let values = Self.values(in: sql)
        for value in values { authors[value] = .some(device.number) }
        fresh[device.number, default: []].formUnion(values)
    }

    mutating func committedByOffice(_ sql: String) {
        for value in Self.values(in: sql) { authors[value] = .some(nil) }
    }

    /// The app renamed columns with these values.
    mutating func renamed(_ values: Set<String>, on device: SimulatedDevice) {
        let number = device.number
        let known = fresh[number, default: []].union(open[number, default: []])
        carried[number, default: []].formUnion(values.intersection(known))
    }

    /// The carried values that are still in their columns, as far as the centre has these.
    private func carriedTexts(
        on device: SimulatedDevice, _ centre: SimulatedCentre
    ) throws -> Set<String> {
        guard let carried = carried[device.number], !carried.isEmpty else { return [] }
        return carried.intersection(try device.textsAhead(of: centre, names))
    }

    /// Whether a value is the device's own. A row that moves to another key takes along what others
    /// wrote, and other rows may contain the same value.
    private func isOwn(_ value: String, _ number: Int) -> Bool {
        guard let author = authors[value], author != number else { return true }
        return [fresh, open, sent].contains { $0[number]?.contains(value) == true }
    }

    /// Runs before the system changes the file: a value that is gone was superseded by its user.
    mutating func observe(_ device: SimulatedDevice, _ centre: SimulatedCentre) throws {
        let number = device.number
        let known = fresh[number, default: []].union(open[number, default: []])
        guard !known.isEmpty else { return }
        // What a column has when it begins to sync is offered as a fill, and nobody owes it.
        let texts = try device.texts(syncedWith: centre, exceptUnread: true)
            .union(try carriedTexts(on: device, centre))
        open[number] = try known.intersection(texts).filter {
            try !isAcceptedWhole($0, from: device, centre) && !isReplaced($0, on: device, centre)
        }
        fresh[number] = nil
    }

    /// Whether a text is only where it was when the device began, and nobody wrote it since. A row
    /// that got another key is sent whole. If it gets the first one back before that, the first
    /// contact replaces it as the others.
    private func isReplaced(
        _ value: String, on device: SimulatedDevice, _ centre: SimulatedCentre
    ) throws -> Bool {
        guard !authors.keys.contains(value), let row = beginnings[value] else { return false }
        return try Self.holds(device.row(row), value)
            && device.rowCount(of: value, syncedWith: centre) == 1
    }

    /// Whether a text is only in rows in which the hub accepted it from this device before the
    /// device's file was restored. An older file regards what happened to these rows since as its
    /// own.
    private func isAcceptedWhole(
        _ value: String, from device: SimulatedDevice, _ centre: SimulatedCentre
    ) throws -> Bool {
        guard let origin = accepted[value], origin.device == device.number,
            origin.life != lives[device.number, default: 0]
        else { return false }
        let held = try origin.rows.filter { try Self.holds(device.row($0), value) }
        return try !held.isEmpty && held.count == device.rowCount(of: value, syncedWith: centre)
    }

    /// Runs after the system changed the file: what was not sent must still be there.
    func survived(on device: SimulatedDevice, _ centre: SimulatedCentre) throws {
        guard let mine = open[device.number], !mine.isEmpty else { return }
        let gone = mine.subtracting(try device.texts(syncedWith: centre))
            .subtracting(try carriedTexts(on: device, centre))
        guard !gone.isEmpty else { return }
        // What a copy of the file pushed belongs to the central database.
        let arrived = gone.filter { accepted[$0].map { $0.device != device.number } ?? false }
        let unexplained = gone.subtracting(arrived).subtracting(try device.refusedTexts())
        if let value = unexplained.min() {
            throw Violation(
                .nothingLost,
                "device \(device.number): \(value) was not yet sent, and a page took it away")
        }
    }

    mutating func sent(_ batch: Batch?, by device: SimulatedDevice) {
        guard let batch else { return }
        let number = device.number
        let values = Self.values(of: batch).filter { isOwn($0, number) }
        // When a batch is sent again, the hub may have accepted some of its values already.
        let life = lives[number, default: 0]
        sent[number] = values.filter { value in
            accepted[value].map { $0.device != number || $0.life != life } ?? true
        }
        open[number] = open[number, default: []].subtracting(values)
        giveUp(batch, number)
    }

    /// A device does not send again what its user deleted, even when the row comes back.
    private mutating func giveUp(_ batch: Batch, _ number: Int) {
        let gone = Set(
            batch.changes.compactMap { change in
                switch change.operation {
                case .delete, .refetch: change.rowName
                case .insert, .update: nil
                }
            })
        if gone.isEmpty { return }
        for (value, origin) in accepted where origin.device == number {
            accepted[value]?.rows = origin.rows.subtracting(gone)
        }
    }

    mutating func accepted(_ batch: Batch, of device: SimulatedDevice) {
        let number = device.number
        for (value, rows) in Self.rows(of: batch) where isOwn(value, number) {
            accepted[value] = Origin(device: number, life: lives[number, default: 0], rows: rows)
            // From now on it is owed like any other, also after a restore of the hub.
            beginnings[value] = nil
            acknowledged.remove(value)
            sent[number]?.remove(value)
        }
    }

    /// The hub asked for the whole row: until the device sends it, its user may still change it.
    mutating func sentWhole(_ change: Change, by device: SimulatedDevice) {
        guard case .update(let edits) = change.operation else { return }
        let values = edits.filter(\.isChange).compactMap { CentralAudit.text($0.new) }
        for value in values where accepted[value]?.device == device.number {
            accepted[value]?.rows.remove(change.rowName)
            guard accepted[value]?.rows.isEmpty == true else { continue }
            accepted[value] = nil
            fresh[device.number, default: []].insert(value)
        }
    }

    /// The in-flight batch is in the log again.
    mutating func unprepared(by device: SimulatedDevice) {
        fresh[device.number, default: []].formUnion(sent[device.number, default: []])
        sent[device.number] = nil
    }

    func owed(by device: SimulatedDevice) -> Set<Entry> {
        let number = device.number
        let values = fresh[number, default: []].union(open[number, default: []])
            .union(sent[number, default: []])
        return Set(values.map { Entry(value: $0, device: number) })
    }

    /// What a file still owes when its device's clock differs this much from the clock that wrote
    /// it.
    func owed(by device: SimulatedDevice, after jump: Int64) -> Set<Entry> {
        guard Self.isWild(jump), hubClockIsWild else { return owed(by: device) }
        return owed(by: device).filter { !acknowledged.contains($0.value) }
    }

    mutating func clockJumped(by milliseconds: Int64) {
        if Self.isWild(milliseconds) { deviceClocksAreWild = true }
    }

    mutating func hubClockJumped(by milliseconds: Int64) {
        if Self.isWild(milliseconds) { hubClockIsWild = true }
    }

    private static func isWild(_ jump: Int64) -> Bool { abs(jump) > 20 * 86_400_000 }

    /// Another file replaced the device's.
    mutating func replaced(_ device: SimulatedDevice, owing entries: Set<Entry>) {
        let number = device.number
        fresh[number] = Set(entries.map(\.value))
        open[number] = nil
        sent[number] = nil
        lives[number, default: 0] += 1
    }

    /// The central database forgot values: those that devices still have as their own come again.
    mutating func hubRestored(_ centre: SimulatedCentre, _ devices: [SimulatedDevice]) throws {
        let kept = try centre.texts()
        for (value, origin) in accepted where !kept.contains(value.lowercased()) {
            accepted[value] = nil
            guard !(deviceClocksAreWild && hubClockIsWild),
                origin.life == lives[origin.device, default: 0],
                let device = devices.first(where: { $0.number == origin.device }),
                // A value that got another key since, or was overruled, belongs to the central
                // database.
                try origin.rows.contains(where: { try Self.holds(device.row($0), value) })
            else { continue }
            fresh[origin.device, default: []].insert(value)
            acknowledged.insert(value)
        }
    }

    /// Whether a row contains a text. A column may join it with others, and the central database
    /// may write it in lower case.
    private static func holds(_ row: [Value], _ text: String) -> Bool {
        row.contains { value in
            if case .text(let held) = value {
                held.lowercased().contains(text.lowercased())
            } else {
                false
            }
        }
    }

    // MARK: At the end

    /// Values that are neither in the central database, nor logged, nor listed.
    func missing(_ centre: SimulatedCentre, _ devices: [SimulatedDevice]) throws -> [String] {
        var kept = try centre.texts()
        for device in devices {
            let isWaiting = try device.cannotBegin(with: centre)
            let outdated =
                try isWaiting ? Set(device.tables) : device.outdatedTables(beside: centre)
            let waiting = try device.texts(in: outdated)
                // The hub has an earlier name that the device never saw.
                .union(device.textsAhead(of: centre, names))
            for value in try device.refusedTexts().union(waiting) {
                kept.insert(value.lowercased())
            }
        }
        let owed = Set(accepted.keys).union(sent.values.joined()).union(open.values.joined())
        return owed.filter { !kept.contains($0.lowercased()) }.sorted()
    }

    // MARK: Values

    /// The recognizable texts in a statement.
    static func values(in sql: String) -> [String] {
        var values: [String] = []
        let bytes = Array(sql.utf8)
        let quote = UInt8(ascii: "'")
        var index = 0
        while index < bytes.count {
            guard bytes[index] == quote else {
                index += 1
                continue
            }
            var text: [UInt8] = []
            index += 1
            while index < bytes.count {
                if bytes[index] == quote {
                    guard index + 1 < bytes.count, bytes[index + 1] == quote else { break }
                    index += 1
                }
                text.append(bytes[index])
                index += 1
            }
            index += 1
            let value = String(decoding: text, as: UTF8.self)
            if isToken(value) { values.append(value) }
        }
        return values
    }

    static func isToken(_ value: String) -> Bool {
        let bytes = value.utf8.prefix(2)
        guard bytes.count == 2, let first = bytes.first, let second = bytes.last else {
            return false
        }
        return (first == UInt8(ascii: "v") || first == UInt8(ascii: "V"))
            && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    static func values(of batch: Batch) -> Set<String> { Set(rows(of: batch).keys) }

    /// Each value with the rows that it is sent in.
    private static func rows(of batch: Batch) -> [String: Set<RowName>] {
        var rows: [String: Set<RowName>] = [:]
        for change in batch.changes {
            let values: [Value] =
                switch change.operation {
                case .insert(let row): row
                // Where somebody else wrote, a fill is dropped.
                case .update(let edits):
                    edits.filter { $0.isChange && !$0.isFill }.map(\.new)
                case .delete, .refetch: []
                }
            for case .text(let text) in values where isToken(text) {
                rows[text, default: []].insert(change.rowName)
            }
        }
        return rows
    }
}
