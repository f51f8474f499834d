import GRDB
import MoorageCore

/// Checks in the central audit how often, and in which order, things happened.
struct HistoryOracles {
    let simulation: Simulation

    struct Record {
        let table: String
        let key: String
        let column: String?
        let value: String?
        let operation: String
    }

    /// Checks that no value is written twice, and that no deleted key comes back with only values
    /// that it had before.
    ///
    /// It checks both only when nothing gave the same change another name. A restored or copied
    /// file may have to offer a change again. A row that moves to another key takes its values
    /// along.
    func check() throws {
        guard !simulation.givesOtherNames else { return try checkStaleValues() }
        let records = try records()
        try checkOnce(records)
        try checkDeletions(records)
    }

    func records() throws -> [Record] {
        try simulation.centre.write {
            try $0.rawRows("SELECT tbl, key, col, val, op FROM sim_audit ORDER BY number")
        }.map { row in
            let texts = row.map(CentralAudit.text)
            return Record(
                table: texts[0] ?? "", key: texts[1] ?? "", column: texts[2], value: texts[3],
                operation: texts[4] ?? "")
        }
    }

    /// Whether a deleted row comes back with the device's values.
    func comesBack(_ table: String) -> Bool {
        simulation.history.world.rules[table]?.updateOfDeleted == .resurrect
    }

    private func checkOnce(_ records: [Record]) throws {
        // Compares by bytes, because two keys may be one text in two Unicode forms.
        var seen: Set<[Value]> = []
        for record in records {
            // A value that a trigger wrote in lower case counts separately. Two joined texts may be
            // joined again.
            guard let value = record.value, let column = record.column, Ledger.isToken(value),
                !value.utf8.contains(UInt8(ascii: "\n")),
                // A row that wins as a whole also brings the values that it did not change.
                simulation.history.world.rules[record.table]?.granularity != .row,
                !comesBack(record.table)
            else { continue }
            let name = [record.table, record.key, column, value].map(Value.text)
            guard seen.insert(name).inserted else {
                throw Violation(
                    .exactlyOnce, "\(record.table).\(column) became \(value) twice")
            }
        }
    }

    private func checkDeletions(_ records: [Record]) throws {
        var before: [RowName: Set<String>] = [:]
        var isGone: [RowName: Bool] = [:]
        var coming: (name: RowName, values: Set<String>)?
        func arrive() throws {
            guard let (name, values) = coming else { return }
            coming = nil
            if isGone[name] == true, !values.isEmpty, !comesBack(name.table),
                values.isSubset(of: before[name, default: []])
            {
                throw Violation(
                    .deletion, "\(name.table) \(name.key.values) came back: \(values.sorted())")
            }
            isGone[name] = false
            before[name, default: []].formUnion(values)
        }
        for record in records {
            let name = RowName(table: record.table, key: RowKey([.text(record.key)]))
            if coming?.name != name || record.operation != "I" { try arrive() }
            switch record.operation {
            case "D": isGone[name] = true
            case "I":
                if coming == nil { coming = (name, []) }
                if let value = record.value, Ledger.isToken(value) { coming?.values.insert(value) }
            default:
                if let value = record.value { before[name, default: []].insert(value) }
            }
        }
        try arrive()
    }
}

extension History {
    /// Whether the same change may come under another name, or the same value may reach another
    /// row.
    var givesOtherNames: Bool {
        repeatsValues
            || steps.contains { step in
                switch step.action {
                case .migrate, .attach, .alter, .upgrade: true
                default: false
                }
            }
    }

    /// The same, while no schema changes.
    var repeatsValues: Bool {
        movesKeys || world.rules.values.contains(where: \.keepsBoth)
            || steps.contains { step in
                switch step.action {
                case .restore, .copy, .restoreHub, .dropTriggers: true
                default: false
                }
            }
    }

    /// Whether a row may get another key.
    var movesKeys: Bool {
        steps.contains { step in
            switch step.action {
            case .exchange(_, let events):
                events.contains { $0.what.sql.map(Self.movesKeys) ?? false }
            default: step.action.sql.map(Self.movesKeys) ?? false
            }
        }
            || (world.schema + world.devices.flatMap { $0.schema ?? [] }).contains {
                $0.contains("ON UPDATE CASCADE")
            }
    }

    private static func movesKeys(_ sql: String) -> Bool {
        ["SET id =", "SET sub =", "SET x =", "SET y ="].contains { sql.contains($0) }
    }
}

extension Step.Event.What {
    fileprivate var sql: String? {
        switch self {
        case .edit(let sql), .office(let sql): sql
        default: nil
        }
    }
}
