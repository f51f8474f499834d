import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// What a history happens in: tables as SQL, rules, limits, devices. Data, and text.
package struct SimulatedWorld: Hashable, Sendable {
    /// One device as it is before anything happens.
    struct Device: Hashable, Sendable {
        /// How far its clock is from the true time, in milliseconds.
        var clockOffset: Int64 = 0
        /// By how many of a million its clock is too fast.
        var clockDrift: Int64 = 0
        /// What becomes of the rows that are there before it is a replica.
        var firstContact = ReplicaTable.FirstContact.refuse
        /// Its tables; `nil` for the tables of the centre.
        var schema: [String]?
        /// Rows that are there before it is a replica.
        var rows: [String] = []
        /// Who works with it; `nil` in a world without users.
        var user: String?
        /// Where its file is.
        var journal = SimulatedMachine.Journal.memory
    }

    var seed: UInt64 = 0
    /// The central tables, indexes and triggers.
    var schema: [String] = []
    /// Central triggers: devices do not have them.
    var centralOnly: [String] = []
    /// Central rows before the tables are attached.
    var rows: [String] = []
    var rules: [String: TableRules] = [:]
    /// Which way tables travel; one without an entry goes both ways.
    var directions: [String: TableDirection] = [:]
    /// Columns that do not travel like the others.
    var columns: [String: ColumnSettings] = [:]
    /// How rows come into scopes; a table without rules is everyone's.
    var scopes: [String: [ScopeRule]] = [:]
    /// Kinds of scopes that go only to devices that subscribe to them.
    var onRequest: Set<String> = []
    /// Columns that get other names in the course of the history.
    var renames: [SimulatedRename] = []
    /// What people may do with tables; a table without an entry is everyone's to write.
    var rights: [String: [String: TableRights]] = [:]
    var pageRows = 5000
    var pages = 8
    var batchRows = 5000
    /// What the hub takes in one batch.
    var hubBatchRows = HubLimits().maximumBatchRows
    /// How long the hub remembers deletions, in hours; and in how many steps.
    var retentionHours = 90 * 24
    var retentionSteps = 90
    var devices: [Device] = []

    init() {}
}

extension SimulatedWorld {
    var lines: [String] {
        var lines = ["seed \(seed)", "limits page \(pageRows) pages \(pages) batch \(batchRows)"]
        lines.append("retention \(retentionHours) hours \(retentionSteps) steps")
        if hubBatchRows != HubLimits().maximumBatchRows {
            lines.append("hub batch \(hubBatchRows)")
        }
        lines += schema.map { "table \($0)" }
        lines += centralOnly.map { "central \($0)" }
        lines += rows.map { "row \($0)" }
        for (table, rules) in rules.sorted(by: { $0.key < $1.key }) {
            lines.append("rule \(table) \(rules.rule.word)")
            if case .row = rules.granularity { lines.append("whole \(table)") }
            for (column, rule) in rules.columns.sorted(by: { $0.key < $1.key }) {
                lines.append("rule \(table) \(rule.word) \(column)")
            }
            lines += rules.optionLines(of: table)
        }
        for (table, direction) in directions.sorted(by: { $0.key < $1.key }) {
            lines.append("direction \(table) \(direction.rawValue)")
        }
        lines += columnLines + renames.map(\.line) + userLines
        for (index, device) in devices.enumerated() {
            lines.append(
                "device clock \(device.clockOffset) drift \(device.clockDrift) contact \(device.firstContact.rawValue)"
                    + (device.journal == .memory ? "" : " disk \(device.journal.rawValue)"))
            if let user = device.user { lines.append("device \(index + 1) user \(user)") }
            lines += (device.schema ?? []).map { "device \(index + 1) table \($0)" }
            lines += device.rows.map { "device \(index + 1) row \($0)" }
        }
        return lines
    }

    mutating func read(_ line: String) throws {
        let words = line.split(separator: " ")
        if let rest = line.after("seed ") {
            guard let number = UInt64(rest) else { throw HistorySyntaxError(line) }
            seed = number
        } else if line.hasPrefix("limits ") {
            guard words.count == 7, let rows = Int(words[2]), let pages = Int(words[4]),
                let batch = Int(words[6]), rows > 0, pages > 0, batch > 0
            else { throw HistorySyntaxError(line) }
            pageRows = rows
            self.pages = pages
            batchRows = batch
        } else if line.hasPrefix("retention ") {
            guard words.count == 5, let hours = Int(words[1]), let steps = Int(words[3]), hours > 0,
                steps > 0
            else { throw HistorySyntaxError(line) }
            retentionHours = hours
            retentionSteps = steps
        } else if let rest = line.after("hub batch ") {
            guard let rows = Int(rest), rows > 0 else { throw HistorySyntaxError(line) }
            hubBatchRows = rows
        } else if let sql = line.after("table ") {
            schema.append(sql)
        } else if let sql = line.after("central ") {
            centralOnly.append(sql)
        } else if let sql = line.after("row ") {
            rows.append(sql)
        } else if line.hasPrefix("rule ") {
            try readRule(line, words)
        } else if line.hasPrefix("direction ") {
            guard words.count == 3, let direction = TableDirection(rawValue: String(words[2]))
            else { throw HistorySyntaxError(line) }
            directions[String(words[1])] = direction
        } else if line.hasPrefix("whole "), words.count == 2 {
            rules[String(words[1])]?.granularity = .row
        } else if line.hasPrefix("device clock ") {
            guard words.count == 7 || words.count == 9, let offset = Int64(words[2]),
                let drift = Int64(words[4]),
                let contact = ReplicaTable.FirstContact(rawValue: String(words[6]))
            else { throw HistorySyntaxError(line) }
            var device = Device()
            device.clockOffset = offset
            device.clockDrift = drift
            device.firstContact = contact
            if words.count == 9 {
                guard words[7] == "disk",
                    let journal = SimulatedMachine.Journal(rawValue: String(words[8]))
                else { throw HistorySyntaxError(line) }
                device.journal = journal
            }
            devices.append(device)
        } else if line.hasPrefix("device ") {
            try readDevice(line)
        } else if line.hasPrefix("renamed ") {
            renames.append(try SimulatedRename(line: line))
        } else if try !readOption(line), try !readUserLine(line) {
            throw HistorySyntaxError(line)
        }
    }

    private mutating func readRule(_ line: String, _ words: [Substring]) throws {
        guard words.count == 3 || words.count == 4, let rule = MergeRule(word: String(words[2]))
        else { throw HistorySyntaxError(line) }
        let table = String(words[1])
        if words.count == 3 {
            rules[table] = TableRules(rule: rule, columns: rules[table]?.columns ?? [:])
        } else {
            guard rules[table] != nil else { throw HistorySyntaxError(line) }
            rules[table]?.columns[String(words[3])] = rule
        }
    }

    private mutating func readDevice(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, let number = Int(words[1]), devices.indices.contains(number - 1)
        else { throw HistorySyntaxError(line) }
        let sql = String(words[3])
        switch words[2] {
        case "table": devices[number - 1].schema = (devices[number - 1].schema ?? []) + [sql]
        case "row": devices[number - 1].rows.append(sql)
        case "user": devices[number - 1].user = sql
        default: throw HistorySyntaxError(line)
        }
    }
}
