import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// Keys that the hub hands out are for one replica alone (docs/reference/merge-rules.md, Keys that devices choose).
struct KeyOracle {
    /// Every key that a replica's name was promised, by table.
    private var granted: [String: [String: [ClosedRange<Int64>]]] = [:]
    /// What the central database knows to be promised, by table; and what it knew at its backup.
    private var promised: [String: [ClosedRange<Int64>]] = [:]
    private var atBackup: [String: [ClosedRange<Int64>]] = [:]
    /// Rows whose keys were nobody's promise.
    private var loose: Set<RowName> = []
    /// Who inserted a row first.
    private var authors: [RowName: String] = [:]
    /// By table how many keys a block has.
    private let blocks: [String: Int]
    /// A file that was put back, or copied, and a restored centre give keys twice.
    private let isStrict: Bool

    init(_ history: History) {
        blocks = history.world.rules.compactMapValues(\.keyBlock)
        isStrict = !history.steps.contains { step in
            switch step.action {
            case .restore, .copy, .restoreHub, .dropTriggers: true
            default: false
            }
        }
    }

    var isEmpty: Bool { blocks.isEmpty }

    // MARK: The hub

    mutating func backedUp() { atBackup = promised }
    mutating func restored() { promised = atBackup }

    /// - Returns: How many blocks came.
    mutating func welcomed(
        _ welcome: Welcome, _ replica: String, _ centre: SimulatedCentre
    ) throws -> Int {
        for block in welcome.keys {
            guard let size = blocks[block.table], block.first <= block.last else {
                throw violation(block.table, "keys that nobody asked for")
            }
            let keys = block.first...block.last
            guard keys.count <= 2 * size else {
                throw violation(block.table, "\(keys.count) keys in blocks of \(size)")
            }
            if let other = promised[block.table]?.first(where: { $0.overlaps(keys) }) {
                throw violation(block.table, "\(keys) is promised, and \(other) was before")
            }
            guard keys.lowerBound > (try centre.highestKey(of: block.table)) else {
                throw violation(block.table, "\(keys) is promised below a row that is there")
            }
            promised[block.table, default: []].append(keys)
            granted[replica, default: [:]][block.table, default: []].append(keys)
        }
        return welcome.keys.count
    }

    private func isGranted(_ key: Int64, _ table: String, to replica: String?) -> Bool {
        guard let replica else { return false }
        return granted[replica]?[table]?.contains { $0.contains(key) } ?? false
    }

    // MARK: The device

    /// A table's keys before its user's transaction.
    struct Picture {
        fileprivate var keys: Set<Int64>
        /// After this one SQLite goes on.
        fileprivate let last: Int64
        fileprivate let held: [ClosedRange<Int64>]
    }

    func observe(_ device: SimulatedDevice) throws -> [String: Picture] {
        var pictures: [String: Picture] = [:]
        for table in blocks.keys where device.tables.contains(table) {
            let keys = try device.integerKeys(of: table)
            let sequence = try device.numbers(
                "SELECT seq FROM sqlite_sequence WHERE name = \(Value.text(table).literal)")
            let held = try device.write {
                try $0.rawRows(
                    "SELECT next, last FROM _moorage_keys WHERE tbl = \(Value.text(table).literal)")
            }.compactMap { row -> ClosedRange<Int64>? in
                guard case .integer(let next) = row[0], case .integer(let last) = row[1],
                    next <= last
                else { return nil }
                return next...last
            }
            pictures[table] = Picture(
                keys: keys, last: max(keys.max() ?? 0, sequence.max() ?? 0), held: held)
        }
        return pictures
    }

    /// What SQLite chose lies in a block of the replica's own, as long as it has one above all rows.
    ///
    /// - Returns: How many rows got such a key.
    mutating func check(
        _ before: [String: Picture], on device: SimulatedDevice
    ) throws -> Int {
        let replica = try device.state().replica
        var count = 0
        for (table, picture) in before {
            let new = try device.integerKeys(of: table).subtracting(picture.keys).sorted()
            let ends = picture.held.map(\.upperBound)
            // One block is used up before the next exchange chooses another.
            let hasRoom =
                blocks[table, default: 0] >= 100
                && ends.contains { $0 >= picture.last + Int64(new.count) }
            for key in new {
                if isGranted(key, table, to: replica) {
                    count += 1
                    continue
                }
                loose.insert(RowName(table: table, key: RowKey([.integer(key)])))
                guard hasRoom else { continue }
                throw violation(
                    table, "device \(device.number) has keys of its own, and a row got \(key)")
            }
        }
        return count
    }

    // MARK: Pushes

    /// - Returns: How many rows got another key than they were pushed with.
    mutating func judge(_ push: JudgedPush) throws -> Int {
        guard !isEmpty else { return 0 }
        var names: Set<RowName> = []
        for (change, outcome) in push.pairs {
            names.insert(change.rowName)
            guard blocks[change.table] != nil, case .insert = change.operation,
                case .integer(let key)? = change.key.values.first
            else { continue }
            if push.before.rows[change.rowName] != nil, isStrict, !change.isAgain,
                authors[change.rowName] != push.replica, !loose.contains(change.rowName),
                !push.hidden.contains(change.rowName),
                isGranted(key, change.table, to: push.replica)
            {
                throw violation(change.table, "\(key) was promised to one, and another has it")
            }
            if !push.isRefused(outcome), authors[change.rowName] == nil {
                authors[change.rowName] = push.replica
            }
        }
        var rekeyed = 0
        for name in push.after.rows.keys
        where push.before.rows[name] == nil && !names.contains(name) && blocks[name.table] != nil {
            rekeyed += 1
            guard case .integer(let key)? = name.key.values.first,
                promised[name.table]?.contains(where: { $0.contains(key) }) == true
            else { continue }
            throw violation(name.table, "a row that is kept got \(key), which is promised")
        }
        return rekeyed
    }

    private func violation(_ table: String, _ what: String) -> Violation {
        Violation(.keys, "\(table): \(what)")
    }
}

extension SimulatedDevice {
    fileprivate func numbers(_ sql: String) throws -> [Int64] {
        try write { try $0.rawRows(sql) }.compactMap { row in
            if case .integer(let number)? = row.first { number } else { nil }
        }
    }

    fileprivate func integerKeys(of table: String) throws -> Set<Int64> {
        guard let key = (columns[table] ?? []).keys.first else { return [] }
        return Set(try numbers("SELECT \"\(key.name)\" FROM \"\(table)\""))
    }
}

extension SimulatedCentre {
    /// 0 where there is no row.
    fileprivate func highestKey(of table: String) throws -> Int64 {
        guard let key = (columns[table] ?? []).keys.first else { return 0 }
        let rows = try write { try $0.rawRows("SELECT max(\"\(key.name)\") FROM \"\(table)\"") }
        if case .integer(let number)? = rows.first?.first { return number }
        return 0
    }
}
